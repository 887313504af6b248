using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Voron.Storage.Typed.Tables;

/// <summary>A table as bytes in a write transaction: changes rows and brings their indexes along.</summary>
internal sealed class TableWriter
{
    private readonly WriteTransaction _transaction;
    private readonly TableShape _shape;
    private TableState _state;
    private IndexTree[] _trees;
    private int _changes;
    private bool _isBuilding;

    internal TableWriter(WriteTransaction transaction, TableShape shape)
    {
        _transaction = transaction;
        _shape = shape;
        Open();
    }

    internal Tree Rows { get; private set; }

    internal TableState State => _state;

    internal bool HasIndexes => _trees.Length > 0;

    /// <summary>Looks again if an index may be in another state since: this transaction may have opened the table a second time.</summary>
    internal void Refresh()
    {
        if (_changes != Volatile.Read(ref _shape.Changes))
        {
            Open();
        }
    }

    internal TableReader ToReader()
    {
        Refresh();
        return new(_shape, _state, Rows.AsReadTree(), _trees);
    }

    /// <summary>
    /// Stores a row and brings its indexes along. If another row has one of its keys in a unique index, or the engine refuses a key as too
    /// long, what came before is undone: nothing has changed, and the transaction stays usable.
    /// </summary>
    /// <param name="change">The index keys of the row before and after.</param>
    /// <param name="primaryKey">The key of the row; no bytes of the transaction, which may move with the first change.</param>
    /// <param name="row">The row, as little.</param>
    /// <param name="replaces">Whether it may replace a row.</param>
    /// <returns>False when a row has that key and may not be replaced.</returns>
    internal bool TryApply(RowChange change, ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row, bool replaces)
    {
        Mark(primaryKey);

        // A new row is added first, and unique keys too are added without a lookup before: each is one descent instead of two.
        if (!replaces && !Rows.TryAdd(primaryKey, row))
        {
            return false;
        }

        change.Compare();
        int added = 0;
        try
        {
            for (; added < change.Added.Count; added++)
            {
                int at = change.Added[added];
                int ordinal = change.After.OrdinalAt(at);
                if (!_trees[ordinal].TryAdd(change.After.KeyAt(at), primaryKey))
                {
                    Undo(change, added, primaryKey, replaces);
                    IIndexShape index = _shape.Use()[ordinal];
                    Throw.NotUnique(_shape.Name, index.Name, index.Decode(change.After.KeyAt(at)));
                }
            }

            if (replaces)
            {
                Rows.Put(primaryKey, row);
            }
        }
        catch (Exception error) when (error is KeyTooLongException or ValueTooLongException or ArgumentException)
        {
            Undo(change, added, primaryKey, replaces);
            throw;
        }

        foreach (int at in change.Removed)
        {
            _trees[change.Before.OrdinalAt(at)].Remove(change.Before.KeyAt(at), primaryKey);
        }

        return true;
    }

    /// <summary>Deletes a row; false when there is none with this key, which is no bytes of the transaction.</summary>
    internal bool Delete(ReadOnlySpan<byte> primaryKey)
    {
        Refresh();
        if (!Rows.TryGet(primaryKey, out ReadOnlySpan<byte> stored))
        {
            return false;
        }

        Mark(primaryKey);
        using RowChange keys = RowChange.Take();
        _shape.AddKeys(stored, _state, keys.Before);
        Rows.Delete(primaryKey);
        for (int i = 0; i < keys.Before.Count; i++)
        {
            _trees[keys.Before.OrdinalAt(i)].Remove(keys.Before.KeyAt(i), primaryKey);
        }

        return true;
    }

    internal long NextId()
    {
        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.UTF8.GetBytes(_shape.Name, name)];
        return _transaction.OpenTree(TableNames.Sequences).Increment(name);
    }

    private void Mark(ReadOnlySpan<byte> primaryKey)
    {
        if (_isBuilding)
        {
            BuildMarks.Mark(_shape.Name, primaryKey);
        }
    }

    [MemberNotNull(nameof(_state), nameof(_trees))]
    private void Open()
    {
        TableOpening opening = new(_transaction, _shape);
        Rows = opening.Rows;
        _state = opening.State;
        _isBuilding = _state.IsBuilding;
        _trees = opening.Trees;
        _changes = Volatile.Read(ref _shape.Changes);
    }

    /// <summary>Takes the first of the added keys out again, and a row that was new.</summary>
    private void Undo(RowChange change, int added, ReadOnlySpan<byte> primaryKey, bool replaces)
    {
        while (added-- > 0)
        {
            int at = change.Added[added];
            _trees[change.After.OrdinalAt(at)].Remove(change.After.KeyAt(at), primaryKey);
        }

        if (!replaces)
        {
            Rows.Delete(primaryKey);
        }
    }
}
