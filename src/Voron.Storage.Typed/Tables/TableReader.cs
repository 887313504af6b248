using System.Text;

namespace Voron.Storage.Typed.Tables;

/// <summary>A table as bytes, as one transaction sees it.</summary>
internal sealed class TableReader
{
    /// <summary>The transaction, in which indexes are opened when they are used; unless it is a write transaction.</summary>
    private readonly ReadTransaction _transaction;
    private readonly IndexTree[]? _trees;

    internal TableReader(TableShape shape, TableState state, ReadTree rows, IndexTree[] trees)
    {
        Shape = shape;
        State = state;
        Rows = rows;
        _trees = trees;
    }

    private TableReader(TableShape shape, TableState state, ReadTree rows, ReadTransaction transaction)
    {
        Shape = shape;
        State = state;
        Rows = rows;
        _transaction = transaction;
    }

    internal TableShape Shape { get; }

    internal TableState State { get; }

    internal ReadTree Rows { get; }

    /// <exception cref="TreeNotFoundException">There is no such table.</exception>
    internal static TableReader Open(ReadTransaction transaction, TableShape shape) =>
        Open(transaction, shape, transaction.OpenTree(shape.Name));

    /// <summary>Null when there is no such table.</summary>
    internal static TableReader? TryOpen(ReadTransaction transaction, TableShape shape) =>
        transaction.TryOpenTree(shape.Name, out ReadTree rows) ? Open(transaction, shape, rows) : null;

    /// <summary>Opens the tree of an index that is ready or being built.</summary>
    internal bool TryOpen(int ordinal, out ReadIndexTree tree)
    {
        if (_trees is not null)
        {
            tree = _trees[ordinal].AsReadTree();
            return true;
        }

        IIndexShape index = Shape.Use()[ordinal];
        return ReadIndexTree.TryOpen(_transaction, TableNames.OfIndex(Shape.Name, index.Name), index.IsUnique, out tree);
    }

    /// <summary>Opens the tree of an index to be read.</summary>
    /// <exception cref="IndexNotBuiltException">Not all rows are in it.</exception>
    internal ReadIndexTree OpenIndex(int ordinal)
    {
        IndexState state = State[ordinal].State;
        if (state != IndexState.Ready || !TryOpen(ordinal, out ReadIndexTree tree))
        {
            Throw.NotBuilt(Shape.Name, Shape.Use()[ordinal].Name, state == IndexState.Ready ? IndexState.Missing : state);
            tree = default;
        }

        return tree;
    }

    /// <summary>The row to which an entry of an index leads.</summary>
    internal ReadOnlySpan<byte> RowAt(ReadOnlySpan<byte> primaryKey, string index)
    {
        if (!Rows.TryGet(primaryKey, out ReadOnlySpan<byte> row))
        {
            Throw.NoRow(Shape.Name, index);
        }

        return row;
    }

    internal IReadOnlyList<TableFinding> Check(int most, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most);
        return new TableCheck(this, most, cancellationToken).Run();
    }

    private static TableReader Open(ReadTransaction transaction, TableShape shape, ReadTree rows)
    {
        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.UTF8.GetBytes(shape.Name, name)];
        ReadOnlySpan<byte> record = default;
        bool isKnown = transaction.TryOpenTree(TableNames.Tables, out ReadTree tables) && tables.TryGet(name, out record);
        return new TableReader(shape, isKnown ? TableState.Read(shape, record) : TableState.Empty(shape), rows, transaction);
    }
}
