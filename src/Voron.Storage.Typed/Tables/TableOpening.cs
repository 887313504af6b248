using System.Text;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// Opens a table for writing and makes the database agree with the definition as far as that costs nothing: a new table and an empty one
/// have all of their indexes, and indexes that are not declared are dropped.
/// </summary>
internal ref struct TableOpening
{
    private readonly WriteTransaction _transaction;
    private readonly TableShape _shape;
    private readonly IIndexShape[] _indexes;
    private readonly Tree _tables;

    internal TableOpening(WriteTransaction transaction, TableShape shape)
    {
        _transaction = transaction;
        _shape = shape;
        _indexes = shape.Use();
        _tables = transaction.OpenTree(TableNames.Tables);
        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.UTF8.GetBytes(shape.Name, name)];
        bool isKnown = _tables.TryGet(name, out ReadOnlySpan<byte> record);
        State = isKnown ? TableState.Read(shape, record) : TableState.Empty(shape);
        TableState before = State;
        bool hasRows = transaction.TryOpenTree(shape.Name, out Tree rows);
        Rows = hasRows ? rows : transaction.OpenTree(shape.Name);
        DropIndexes(isKnown && !hasRows);
        Trees = new IndexTree[_indexes.Length];
        for (int ordinal = 0; ordinal < _indexes.Length; ordinal++)
        {
            OpenIndex(ordinal);
        }

        if (!isKnown || State != before)
        {
            Store(State);
        }
    }

    internal TableState State { get; private set; }

    internal Tree Rows { get; }

    /// <summary>The trees of the indexes that are ready or being built.</summary>
    internal IndexTree[] Trees { get; }

    /// <summary>Stores what the table has.</summary>
    internal void Store(TableState state)
    {
        State = state;
        Interlocked.Increment(ref _shape.Changes);
        Span<byte> name = stackalloc byte[256];
        _tables.Put(name[..Encoding.UTF8.GetBytes(_shape.Name, name)], state.Record);
    }

    /// <summary>Creates the tree of an index that the table does not have.</summary>
    internal IndexTree Create(int ordinal)
    {
        string index = _indexes[ordinal].Name;
        IndexTree tree = IndexTree.Create(
            _transaction, TableNames.OfIndex(_shape.Name, index), _indexes[ordinal].IsUnique, _shape.FixedKeyBytes);
        if (tree.Count != 0)
        {
            Throw.ForeignTree(_shape.Name, index);
        }

        Trees[ordinal] = tree;
        return tree;
    }

    internal readonly void Drop(string index) => _transaction.DropTree(TableNames.OfIndex(_shape.Name, index));

    private void DropIndexes(bool all)
    {
        foreach (string index in State.Undeclared)
        {
            Drop(index);
        }

        if (all)
        {
            // The tree of rows was dropped: what the indexes have is about rows that are gone.
            BuildMarks.MarkAll(_shape.Name);
            foreach (IIndexShape index in _indexes)
            {
                Drop(index.Name);
            }

            State = TableState.Empty(_shape);
        }
        else if (State.Undeclared.Count > 0)
        {
            State = State.WithoutUndeclared(_shape);
        }
    }

    private void OpenIndex(int ordinal)
    {
        IIndexShape index = _indexes[ordinal];
        bool isStored = State[ordinal].State is IndexState.Ready or IndexState.Building;
        if (isStored && IndexTree.TryOpen(
            _transaction, TableNames.OfIndex(_shape.Name, index.Name), index.IsUnique, out Trees[ordinal]))
        {
            return;
        }

        if (Rows.Count == 0)
        {
            Create(ordinal);
            State = State.With(_shape, ordinal, new IndexStatus(IndexState.Ready));
        }
        else if (isStored)
        {
            // The tree was dropped, and with it the index.
            State = State.With(_shape, ordinal, default);
        }
    }
}
