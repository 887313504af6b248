using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// A table whose keys and rows are bytes: for programs that store documents as they come, and index them without decoding. Made once, kept
/// in a static field, used by all transactions.
/// </summary>
public sealed class RawTableDefinition
{
    private readonly RawIndex[] _indexes;

    /// <summary>Defines a table with its indexes.</summary>
    /// <param name="name">The name of the table, which is that of the tree of its rows. No '@' at the beginning, and no '/'.</param>
    /// <param name="indexes">The indexes.</param>
    /// <exception cref="ArgumentException">Two indexes have the same name, or a name is too long.</exception>
    /// <exception cref="InvalidOperationException">There are more indexes than a table may have.</exception>
    public RawTableDefinition(string name, params ReadOnlySpan<RawIndex> indexes)
    {
        TableNames.CheckTable(name);
        for (int ordinal = 0; ordinal < indexes.Length; ordinal++)
        {
            if (indexes[ordinal] is null)
            {
                Throw.NullIndex(name, nameof(indexes));
            }

            IndexRules.Check(name, indexes[..ordinal].ToArray(), indexes[ordinal]);
        }

        _indexes = indexes.ToArray();
        Shape = new RawShape(name, this);
    }

    /// <summary>The name of the table.</summary>
    public string Name => Shape.Name;

    /// <summary>
    /// Length in bytes of every primary key, with which indexes take less room; null (the default) when it depends on the key.
    /// </summary>
    public int? KeyBytes
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value ?? 1, nameof(KeyBytes));
            field = value;
        }
    }

    /// <summary>The indexes.</summary>
    public IReadOnlyList<RawIndex> Indexes => _indexes;

    /// <summary>Whether one of the indexes says when rows expire.</summary>
    public bool HasExpiry => _indexes.Any(static index => index.Kind == IndexKind.Expiry);

    internal RawShape Shape { get; }

    /// <summary>The indexes for a transaction.</summary>
    internal RawIndex[] Use() => _indexes;

    /// <summary>The place of an index.</summary>
    /// <exception cref="ArgumentException">It is not an index of this table.</exception>
    internal int OrdinalOf(RawIndex index)
    {
        ArgumentNullException.ThrowIfNull(index);
        int ordinal = Array.IndexOf(_indexes, index);
        if (ordinal < 0)
        {
            Throw.ForeignIndex(Name, index.Name);
        }

        return ordinal;
    }

    /// <summary>Refuses a primary key of another length than the table's.</summary>
    internal void CheckKey(ReadOnlySpan<byte> key)
    {
        if (KeyBytes is { } bytes && key.Length != bytes)
        {
            Throw.OtherKeyLength(Name, key.Length, bytes);
        }
    }
}
