using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>The rows of a table by one of its indexes: in the order of index keys, and of primary keys within one.</summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
/// <typeparam name="TIndexKey">The type of the index's keys.</typeparam>
public readonly ref struct IndexView<TKey, TRow, TIndexKey>
{
    private readonly ReadTree<TKey, TRow> _rows;

    internal IndexView(
        TableDefinition<TKey, TRow> definition, Index<TRow, TIndexKey> index, ReadTree<TKey, TRow> rows, ReadIndexTree tree)
    {
        Definition = definition;
        Index = index;
        _rows = rows;
        Tree = tree;
    }

    /// <summary>Number of entries: of rows, unless a row has several keys or none.</summary>
    public long Count => Tree.Count;

    /// <summary>The primary keys of all rows in the order of the index; no row is read.</summary>
    public IndexKeys<TKey, TRow, TIndexKey> Keys => All.Keys;

    internal TableDefinition<TKey, TRow> Definition { get; }

    internal Index<TRow, TIndexKey> Index { get; }

    internal ReadIndexTree Tree { get; }

    private IndexRange<TKey, TRow, TIndexKey> All => new(this, [], null, isReversed: false);

    /// <summary>Finds the row with this key in a unique index.</summary>
    /// <exception cref="InvalidOperationException">The index is not unique.</exception>
    public bool TryGet(TIndexKey key, [MaybeNullWhen(false)] out TRow row)
    {
        CheckUnique();
        using KeyBytes bytes = KeyBytes.Of(Index.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        bool exists = Tree.Unique.TryGet(bytes.Span, out ReadOnlySpan<byte> primaryKey);
        row = exists ? RowAt(primaryKey) : default;
        return exists;
    }

    /// <summary>Finds the primary key of the row with this key in a unique index; the row is not read.</summary>
    /// <exception cref="InvalidOperationException">The index is not unique.</exception>
    public bool TryGetKey(TIndexKey key, [MaybeNullWhen(false)] out TKey primaryKey)
    {
        CheckUnique();
        using KeyBytes bytes = KeyBytes.Of(Index.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        bool exists = Tree.Unique.TryGet(bytes.Span, out ReadOnlySpan<byte> found);
        primaryKey = exists ? Definition.Keys.Decode(found) : default;
        return exists;
    }

    /// <summary>All rows in the order of the index.</summary>
    public IndexRange<TKey, TRow, TIndexKey>.Enumerator GetEnumerator() => All.GetEnumerator();

    /// <summary>Rows with this key.</summary>
    public IndexRange<TKey, TRow, TIndexKey> Equal(TIndexKey key) => new(this, Kept(key), Behind(key), isReversed: false);

    /// <summary>Rows with from ≤ key &lt; to.</summary>
    public IndexRange<TKey, TRow, TIndexKey> Range(TIndexKey from, TIndexKey to) => new(this, Kept(from), Kept(to), isReversed: false);

    /// <summary>Rows with from ≤ key.</summary>
    public IndexRange<TKey, TRow, TIndexKey> From(TIndexKey from) => new(this, Kept(from), null, isReversed: false);

    /// <summary>Rows with key &gt; <paramref name="after"/>.</summary>
    public IndexRange<TKey, TRow, TIndexKey> After(TIndexKey after) => new(this, Behind(after), null, isReversed: false);

    /// <summary>Rows with key &lt; <paramref name="to"/>.</summary>
    public IndexRange<TKey, TRow, TIndexKey> To(TIndexKey to) => new(this, [], Kept(to), isReversed: false);

    /// <summary>Rows with key ≤ <paramref name="last"/>.</summary>
    public IndexRange<TKey, TRow, TIndexKey> UpTo(TIndexKey last) => new(this, [], Behind(last), isReversed: false);

    /// <summary>All rows, the last of the index first.</summary>
    public IndexRange<TKey, TRow, TIndexKey> Reverse() => All.Reverse();

    /// <summary>The row to which an entry of the index leads.</summary>
    internal TRow RowAt(scoped ReadOnlySpan<byte> primaryKey)
    {
        if (!_rows.Bytes.TryGet(primaryKey, out ReadOnlySpan<byte> stored))
        {
            Throw.NoRow(Definition.Name, Index.Name);
        }

        return Definition.Rows.Decode(stored);
    }

    private byte[] Kept(TIndexKey key) => KeyBytes.Kept(Index.Keys, key);

    /// <summary>The first bytes behind a key.</summary>
    private byte[] Behind(TIndexKey key)
    {
        using KeyBytes bytes = KeyBytes.Of(Index.Keys, key, stackalloc byte[KeyBytes.OnStack]);
        return [.. bytes.Span, 0];
    }

    private void CheckUnique()
    {
        if (!Tree.IsUnique)
        {
            Throw.NoUniqueIndex(Definition.Name, Index.Name);
        }
    }
}
