using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>Rows and their indexes as one transaction sees them. Rows are read when they are asked for.</summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
public sealed class ReadTable<TKey, TRow>
{
    private readonly TableDefinition<TKey, TRow> _definition;
    private readonly TableReader _reader;
    private readonly ReadTree<TKey, TRow> _rows;

    internal ReadTable(TableDefinition<TKey, TRow> definition, TableReader reader)
    {
        _definition = definition;
        _reader = reader;
        _rows = new ReadTree<TKey, TRow>(reader.Rows, definition.Tree);
    }

    /// <summary>Number of rows.</summary>
    public long Count => _rows.Count;

    /// <summary>Finds a row.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TRow row) => _rows.TryGet(key, out row);

    /// <summary>The row with this key; the default, null for classes, when there is none.</summary>
    public TRow? Get(TKey key) => _rows.TryGet(key, out TRow? row) ? row : default;

    /// <summary>True when the row exists; it is not read.</summary>
    public bool Contains(TKey key) => _rows.Contains(key);

    /// <summary>All rows in the order of keys.</summary>
    public RowRange<TKey, TRow>.Enumerator GetEnumerator() => new(_rows.GetEnumerator());

    /// <summary>Rows with from ≤ key &lt; to.</summary>
    public RowRange<TKey, TRow> Range(TKey from, TKey to) => new(_rows.Range(from, to));

    /// <summary>Rows with from ≤ key.</summary>
    public RowRange<TKey, TRow> From(TKey from) => new(_rows.From(from));

    /// <summary>Rows with key &gt; <paramref name="after"/>.</summary>
    public RowRange<TKey, TRow> After(TKey after) => new(_rows.After(after));

    /// <summary>Rows with key &lt; <paramref name="to"/>.</summary>
    public RowRange<TKey, TRow> To(TKey to) => new(_rows.To(to));

    /// <summary>All rows from the last to the first.</summary>
    public RowRange<TKey, TRow> Reverse() => new(_rows.Reverse());

    /// <summary>The rows by one of the table's indexes.</summary>
    /// <exception cref="IndexNotBuiltException">The index is not built to its end in this database.</exception>
    /// <exception cref="ArgumentException">It is not an index of this table.</exception>
    public IndexView<TKey, TRow, TIndexKey> By<TIndexKey>(Index<TRow, TIndexKey> index) =>
        new(_definition, index, _rows, _reader.OpenIndex(_definition.Indexes.OrdinalOf(index)));

    /// <summary>
    /// Compares rows and indexes both ways: each row is in the indexes as their selectors say, and each entry of an index belongs to a row.
    /// Of an index that is being built, the rows that are in it. Reads every row at least once; a sound table has no findings.
    /// </summary>
    /// <param name="most">Number of findings after which the check ends.</param>
    /// <param name="cancellationToken">Ends the check.</param>
    public IReadOnlyList<TableFinding> Check(int most = 1_000, CancellationToken cancellationToken = default) =>
        _reader.Check(most, cancellationToken);
}
