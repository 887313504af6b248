using System.IO.Pipelines;

namespace Voron.Storage;

/// <summary>The result for one key of a lookup of many keys. The value is valid as long as that of a single lookup.</summary>
public readonly ref struct TreeLookup
{
    private readonly TreeEntry _entry;

    internal TreeLookup(int index, bool exists, TreeEntry entry)
    {
        Index = index;
        Exists = exists;
        _entry = entry;
    }

    /// <summary>The index of the key among the given keys.</summary>
    public int Index { get; }

    /// <summary>True if the key exists.</summary>
    public bool Exists { get; }

    /// <summary>The value; empty if the key does not exist.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use <see cref="OpenValueReader"/>.</exception>
    public ReadOnlySpan<byte> Value => _entry.Value;

    /// <summary>The length of the value in bytes, of any kind; does not read a large value.</summary>
    public long ValueBytes => _entry.ValueBytes;

    /// <summary>Opens the value, of any length, for reading, like <see cref="ReadTree.TryOpenValueReader"/>.</summary>
    /// <exception cref="InvalidOperationException">The key does not exist.</exception>
    public PipeReader OpenValueReader()
    {
        if (!Exists)
        {
            Transactions.Throw.NoSuchKey();
        }

        return _entry.OpenValueReader();
    }
}
