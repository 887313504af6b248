using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>The rows of a table of bytes by one of its indexes: in the order of index keys, and of primary keys within one.</summary>
public readonly ref struct RawIndexView
{
    private readonly TableReader _table;
    private readonly RawIndex _index;
    private readonly ReadIndexTree _tree;

    internal RawIndexView(TableReader table, RawIndex index, ReadIndexTree tree)
    {
        _table = table;
        _index = index;
        _tree = tree;
    }

    /// <summary>Number of entries: of rows, unless a row has several keys or none.</summary>
    public long Count => _tree.Count;

    /// <summary>Finds the row with this key in a unique index.</summary>
    /// <exception cref="InvalidOperationException">The index is not unique.</exception>
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> row)
    {
        bool exists = TryGetKey(key, out ReadOnlySpan<byte> primaryKey);
        row = exists ? _table.RowAt(primaryKey, _index.Name) : default;
        return exists;
    }

    /// <summary>Finds the primary key of the row with this key in a unique index; the row is not read.</summary>
    /// <exception cref="InvalidOperationException">The index is not unique.</exception>
    public bool TryGetKey(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> primaryKey)
    {
        if (!_tree.IsUnique)
        {
            Throw.NoUniqueIndex(_table.Shape.Name, _index.Name);
        }

        return _tree.Unique.TryGet(key, out primaryKey);
    }

    /// <summary>All entries in the order of the index.</summary>
    public RawIndexRange.Enumerator GetEnumerator() => Between([], null).GetEnumerator();

    /// <summary>Entries with this key.</summary>
    public RawIndexRange Equal(ReadOnlySpan<byte> key) => Between(key.ToArray(), [.. key, 0]);

    /// <summary>Entries whose key begins with these bytes.</summary>
    public RawIndexRange Prefix(ReadOnlySpan<byte> prefix) => Between(prefix.ToArray(), IndexPrefixes.Behind(prefix));

    /// <summary>Entries with from ≤ key &lt; to.</summary>
    public RawIndexRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => Between(from.ToArray(), to.ToArray());

    /// <summary>Entries with from ≤ key.</summary>
    public RawIndexRange From(ReadOnlySpan<byte> from) => Between(from.ToArray(), null);

    /// <summary>Entries with key &lt; <paramref name="to"/>.</summary>
    public RawIndexRange To(ReadOnlySpan<byte> to) => Between([], to.ToArray());

    /// <summary>All entries, the last of the index first.</summary>
    public RawIndexRange Reverse() => Between([], null).Reverse();

    private RawIndexRange Between(byte[] low, byte[]? high) => new(_table, _index, _tree, low, high, isReversed: false);
}
