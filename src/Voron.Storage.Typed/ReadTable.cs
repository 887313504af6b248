using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>Rows and their indexes as one transaction sees them. Rows are read when they are asked for.</summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
public sealed class ReadTable<TKey, TRow>
{
    private readonly TableDefinition<TKey, TRow> _definition;
    private readonly TableState _state;
    private readonly ReadTree<TKey, TRow> _rows;

    /// <summary>The transaction, in which indexes are opened when they are used; unless it is a write transaction.</summary>
    private readonly ReadTransaction _transaction;
    private readonly IndexTree[]? _trees;

    internal ReadTable(
        TableDefinition<TKey, TRow> definition, TableState state, ReadTree<TKey, TRow> rows, ReadTransaction transaction)
    {
        _definition = definition;
        _state = state;
        _rows = rows;
        _transaction = transaction;
    }

    internal ReadTable(TableDefinition<TKey, TRow> definition, TableState state, ReadTree<TKey, TRow> rows, IndexTree[] trees)
    {
        _definition = definition;
        _state = state;
        _rows = rows;
        _trees = trees;
    }

    /// <summary>Number of rows.</summary>
    public long Count => _rows.Count;

    internal TableDefinition<TKey, TRow> Definition => _definition;

    internal TableState State => _state;

    internal ReadTree<TKey, TRow> Rows => _rows;

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
    public IndexView<TKey, TRow, TIndexKey> By<TIndexKey>(Index<TRow, TIndexKey> index)
    {
        int ordinal = _definition.Indexes.OrdinalOf(index);
        IndexState state = _state[ordinal].State;
        if (state != IndexState.Ready || !TryOpen(ordinal, out ReadIndexTree tree))
        {
            Throw.NotBuilt(_definition.Name, index.Name, state == IndexState.Ready ? IndexState.Missing : state);
            tree = default;
        }

        return new IndexView<TKey, TRow, TIndexKey>(_definition, index, _rows, tree);
    }

    /// <summary>
    /// Compares rows and indexes both ways: each row is in the indexes as their selectors say, and each entry of an index belongs to a row.
    /// Of an index that is being built, the rows that are in it. Reads every row at least once; a sound table has no findings.
    /// </summary>
    /// <param name="most">Number of findings after which the check ends.</param>
    /// <param name="cancellationToken">Ends the check.</param>
    public IReadOnlyList<TableFinding> Check(int most = 1_000, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most);
        return new TableCheck<TKey, TRow>(this, most, cancellationToken).Run();
    }

    /// <summary>Opens the tree of an index that is ready or being built.</summary>
    internal bool TryOpen(int ordinal, out ReadIndexTree tree)
    {
        if (_trees is not null)
        {
            tree = _trees[ordinal].AsReadTree();
            return true;
        }

        RowIndex<TRow> index = _definition.Indexes[ordinal];
        return ReadIndexTree.TryOpen(_transaction, TableNames.OfIndex(_definition.Name, index.Name), index.IsUnique, out tree);
    }
}
