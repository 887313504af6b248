using System.Diagnostics;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// Builds one index of a table, some rows in each transaction. What it knows of its progress is in the database alone: a transaction may
/// run twice, and two builders of one index only share the work.
/// </summary>
internal sealed class IndexBuilder(TableShape shape, int ordinal, IndexBuild build)
{
    /// <summary>Rows whose keys are sorted and added together, between two checks of the time.</summary>
    private const int RowsAtOnce = 128;

    private readonly RowReader _reader = shape.CreateReader();
    private readonly IIndexShape _index = shape.Use()[ordinal];
    private readonly KeyList _keys = new();
    private readonly List<byte[]> _primaryKeys = [];

    /// <summary>The place in <see cref="_primaryKeys"/> for each of <see cref="_keys"/>.</summary>
    private readonly List<int> _rowOf = [];
    private readonly List<int> _order = [];

    /// <summary>Adds the next rows.</summary>
    internal Step Advance(WriteTransaction transaction)
    {
        TableOpening table = new(transaction, shape);
        IndexStatus status = table.State[ordinal];
        if (status.State == IndexState.Ready)
        {
            return new Step(status, 1);
        }

        byte[]? last = status.State == IndexState.Building ? status.Key : null;
        IndexTree tree = status.State == IndexState.Building ? table.Trees[ordinal] : table.Create(ordinal);
        long began = Stopwatch.GetTimestamp();
        int left = build.RowsPerTransaction;
        bool isDone = false;
        while (!isDone && left > 0 && (left == build.RowsPerTransaction || Stopwatch.GetElapsedTime(began) < build.TimePerTransaction))
        {
            int wanted = Math.Min(left, RowsAtOnce);
            Read(table.Rows, last, wanted);
            isDone = _primaryKeys.Count < wanted;
            left -= wanted;
            last = _primaryKeys.Count > 0 ? _primaryKeys[^1] : last;
            if (!TryAdd(tree, out byte[]? duplicate))
            {
                table.Drop(_index.Name);
                return Store(ref table, new IndexStatus(IndexState.Failed, duplicate));
            }
        }

        return Store(ref table, isDone ? new IndexStatus(IndexState.Ready) : new IndexStatus(IndexState.Building, last));
    }

    private Step Store(ref TableOpening table, IndexStatus status)
    {
        table.Store(table.State.With(shape, ordinal, status));
        double rows = Math.Max(1, table.Rows.Count);
        return new Step(status, status.State == IndexState.Ready ? 1 : Math.Min(1, table.Rows.EstimateCount([], status.Key) / rows));
    }

    /// <summary>Reads the keys of the next rows behind a primary key; null for the first ones.</summary>
    private void Read(Tree rows, byte[]? last, int most)
    {
        _keys.Clear();
        _rowOf.Clear();
        _primaryKeys.Clear();
        using TreeEnumerator entries = (last is null ? rows.From([]) : rows.After(last)).GetEnumerator();
        while (_primaryKeys.Count < most && entries.MoveNext())
        {
            _reader.Read(entries.Current.Value);
            _reader.AddKeys(ordinal, _keys);
            while (_rowOf.Count < _keys.Count)
            {
                _rowOf.Add(_primaryKeys.Count);
            }

            _primaryKeys.Add(entries.Current.Key.ToArray());
        }
    }

    /// <summary>Adds what was read in the order of the index, which finds its pages near each other.</summary>
    private bool TryAdd(IndexTree tree, out byte[]? duplicate)
    {
        _order.Clear();
        for (int at = 0; at < _keys.Count; at++)
        {
            _order.Add(at);
        }

        _order.Sort((i, j) => KeyList.Compare(_keys, i, _keys, j));
        foreach (int at in _order)
        {
            ReadOnlySpan<byte> key = _keys.KeyAt(at);
            if (!tree.TryAdd(key, _primaryKeys[_rowOf[at]]))
            {
                duplicate = key.ToArray();
                return false;
            }
        }

        duplicate = null;
        return true;
    }

    /// <summary>How far the index is after a transaction, and the part of the rows that is in it.</summary>
    internal readonly record struct Step(IndexStatus Status, double Fraction);
}
