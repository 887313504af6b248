using System.IO.Pipelines;

namespace Voron.Storage;

/// <summary>What the lookup of many keys found for one of them. The value is valid like that of a single lookup.</summary>
public readonly ref struct TreeLookup
{
    private readonly TreeEntry _entry;

    internal TreeLookup(int index, bool exists, TreeEntry entry)
    {
        Index = index;
        Exists = exists;
        _entry = entry;
    }

    /// <summary>Index of the key among those that were asked for.</summary>
    public int Index { get; }

    /// <summary>True when the key exists.</summary>
    public bool Exists { get; }

    /// <summary>The value; empty when the key does not exist.</summary>
    /// <exception cref="ValueInPiecesException">No span can hold the value; <see cref="OpenValueReader"/> reads it.</exception>
    public ReadOnlySpan<byte> Value => _entry.Value;

    /// <summary>Length of the value, whatever it is; a long value is not looked at.</summary>
    public long ValueBytes => _entry.ValueBytes;

    /// <summary>Opens the value for reading, of any length, as <see cref="ReadTree.TryOpenValueReader"/> does.</summary>
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
