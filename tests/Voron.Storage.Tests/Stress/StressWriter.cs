using System.Collections.Immutable;
using System.IO.Pipelines;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Stress;

/// <summary>One writing thread: makes every kind of change in the trees and in the model, and ends its transactions in every way.</summary>
internal sealed class StressWriter(StressLife life, int seed)
{
    private const int MostPending = 40;

    private readonly Random _random = new(seed);
    private readonly List<Task> _pending = [];
    private ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>> _state = StressModel.Empty;

    internal void Run()
    {
        while (!life.IsOver)
        {
            if (_random.Next(6) == 0)
            {
                Share();
            }
            else
            {
                Write();
            }

            if (_pending.Count >= MostPending)
            {
                Await();
            }
        }

        Await();
    }

    private void Await()
    {
        _pending.ForEach(static commit => commit.GetAwaiter().GetResult());
        _pending.Clear();
    }

    private void Write()
    {
        using WriteTransaction transaction = _random.Next(3) == 0
            ? life.Environment.BeginWriteAsync().AsTask().GetAwaiter().GetResult()
            : life.Environment.BeginWrite();
        _state = life.Model.At(life.Model.Last);
        ChangeWithSavepoints(transaction);
        if (_random.Next(8) == 0)
        {
            // Rolled back by the end of the scope.
            return;
        }

        life.Model.Set(transaction.TransactionId, _state);

        // Few wait for the device, or nothing else would happen.
        CommitMode mode = _random.Next(4) == 0 ? (CommitMode)_random.Next(3) : CommitMode.Lazy;
        if (_random.Next(3) == 0)
        {
            _pending.Add(transaction.CommitAsync(mode).AsTask());
        }
        else
        {
            transaction.Commit(mode);
        }
    }

    /// <summary>An action that shares a transaction with those of others; one in four throws, and nothing of it may be left.</summary>
    private void Share()
    {
        bool fails = _random.Next(4) == 0;
        Task write = life.Environment.WriteAsync(transaction =>
        {
            _state = life.Model.At(life.Model.Last);
            for (int i = _random.Next(1, 6); i > 0; i--)
            {
                Change(transaction);
            }

            if (fails)
            {
                // A transaction in which nothing else succeeds may be committed without a change.
                life.Model.Set(transaction.TransactionId, life.Model.At(life.Model.Last));
                throw new TimeZoneNotFoundException("meant to fail");
            }

            // Something, so that the transaction is committed under its number.
            Put(transaction, "t0", _random.Next(StressLife.Keys));
            life.Model.Set(transaction.TransactionId, _state);
        }).AsTask();
        try
        {
            write.GetAwaiter().GetResult();
        }
        catch (TimeZoneNotFoundException) when (fails)
        {
            // As meant.
        }
    }

    private void ChangeWithSavepoints(WriteTransaction transaction)
    {
        var savepoints = new Stack<(Savepoint Point, ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>> State)>();
        bool hasSavepoints = _random.Next(2) == 0;
        for (int i = _random.Next(1, _random.Next(4) == 0 ? 80 : 16); i > 0; i--)
        {
            Change(transaction);
            if (!hasSavepoints)
            {
                continue;
            }

            switch (_random.Next(8))
            {
                case 0 or 1 when savepoints.Count < 4:
                    savepoints.Push((transaction.CreateSavepoint(), _state));
                    break;
                case 2 when savepoints.Count > 0:
                    while (savepoints.Count > 1 && _random.Next(3) == 0)
                    {
                        savepoints.Pop();
                    }

                    transaction.RollbackTo(savepoints.Peek().Point);
                    _state = savepoints.Peek().State;
                    break;
                case 3 when savepoints.Count > 0:
                    transaction.Release(savepoints.Pop().Point);
                    break;
                case 4:
                    // A checkpoint may well come in between.
                    Thread.Sleep(_random.Next(2));
                    break;
            }
        }

        // At least one change, so that the transaction is committed under its number.
        Put(transaction, "t0", _random.Next(StressLife.Keys));
    }

    private void Change(WriteTransaction transaction)
    {
        string name = StressLife.TreeName(_random.Next(StressLife.Trees));
        int number = _random.Next(StressLife.Keys);
        bool isFull = _state.TryGetValue(name, out ImmutableSortedDictionary<int, StressRow>? rows) && rows.Count > StressLife.Keys / 2;
        switch (_random.Next(isFull ? 20 : 30))
        {
            case 0 when _random.Next(10) == 0:
                Require(transaction.DropTree(name) == _state.ContainsKey(name), "a drop");
                _state = _state.Remove(name);
                break;
            case 1:
                Rename(transaction, name);
                break;
            case 2 when _random.Next(3) == 0:
                DeleteRange(transaction, name, number);
                break;
            case < 9:
                Delete(transaction, name, number);
                break;
            case 9:
                Compare(transaction, name);
                break;
            case 10:
                Stream(transaction, name, number);
                break;
            case 11:
                Reserve(transaction, name, number);
                break;
            case 12:
                ThroughCursor(transaction, name, number);
                break;
            case 13:
                Append(transaction, name);
                break;
            default:
                Put(transaction, name, number);
                break;
        }
    }

    private StressRow NewRow(bool isStreamed = false)
    {
        int page = life.PageBytes;
        int bytes = _random.Next(isStreamed ? 8 : 30) switch
        {
            0 => page + _random.Next(page * 3),
            1 => _random.Next(page / 2),
            2 => (page * 2) - 200,
            3 => _random.Next(4) == 0 ? page * _random.Next(4, 18) : 0,
            4 => (page / 4) + _random.Next(2),
            _ => _random.Next(120),
        };
        return new StressRow(_random.Next(1, int.MaxValue), bytes, isStreamed);
    }

    private ImmutableSortedDictionary<int, StressRow> Rows(string name) =>
        _state.GetValueOrDefault(name, StressModel.NoRows);

    private void Note(string name, int number, StressRow row) => _state = _state.SetItem(name, Rows(name).SetItem(number, row));

    private void Put(WriteTransaction transaction, string name, int number)
    {
        StressRow row = NewRow();
        Tree tree = transaction.OpenTree(name);
        if (_random.Next(5) == 0)
        {
            bool isNew = !Rows(name).ContainsKey(number);
            Require(tree.TryAdd(StressRow.Key(number), row.ToArray()) == isNew, "an addition");
            row = isNew ? row : Rows(name)[number];
        }
        else
        {
            tree.Put(StressRow.Key(number), row.ToArray());
        }

        Note(name, number, row);
    }

    private void Reserve(WriteTransaction transaction, string name, int number)
    {
        StressRow row = NewRow();
        row.ToArray().CopyTo(transaction.OpenTree(name).Reserve(StressRow.Key(number), row.Bytes));
        Note(name, number, row);
    }

    private void Stream(WriteTransaction transaction, string name, int number)
    {
        StressRow row = NewRow(isStreamed: true);
        PipeWriter pipe = transaction.OpenTree(name).OpenValueWriter(StressRow.Key(number));
        byte[] value = row.ToArray();
        for (int done = 0; done < value.Length;)
        {
            int part = Math.Min(value.Length - done, 3000);
            value.AsSpan(done, part).CopyTo(pipe.GetSpan(part));
            pipe.Advance(part);
            done += part;
        }

        pipe.Complete();
        Note(name, number, row);
    }

    private void Append(WriteTransaction transaction, string name)
    {
        int last = Rows(name).IsEmpty ? -1 : Rows(name).Keys.Last();
        Tree tree = transaction.OpenTree(name);
        for (int number = last + 1; number < Math.Min(last + 6, StressLife.Keys); number++)
        {
            StressRow row = NewRow();
            tree.Append(StressRow.Key(number), row.ToArray());
            Note(name, number, row);
        }

        _state = _state.SetItem(name, Rows(name));
    }

    private void ThroughCursor(WriteTransaction transaction, string name, int number)
    {
        if (!transaction.TryOpenTree(name, out Tree tree))
        {
            return;
        }

        using WriteCursor cursor = tree.OpenCursor();
        int[] numbers = [.. Rows(name).Keys.Where(key => key >= number).Take(8)];
        bool stands = cursor.Seek(StressRow.Key(number));
        foreach (int at in numbers)
        {
            Require(stands && cursor.Key.SequenceEqual(StressRow.Key(at)), $"a writing cursor at {at}");
            if (_random.Next(2) == 0)
            {
                cursor.DeleteCurrent();
                _state = _state.SetItem(name, Rows(name).Remove(at));
            }
            else
            {
                StressRow row = NewRow();
                cursor.SetValue(row.ToArray());
                Note(name, at, row);
            }

            stands = cursor.MoveNext();
        }
    }

    private void Rename(WriteTransaction transaction, string name)
    {
        string other = StressLife.TreeName(_random.Next(StressLife.Trees));
        if (_state.TryGetValue(name, out ImmutableSortedDictionary<int, StressRow>? rows) && !_state.ContainsKey(other))
        {
            Require(transaction.RenameTree(name, other), "a change of a name");
            _state = _state.Remove(name).Add(other, rows);
        }
    }

    private void Delete(WriteTransaction transaction, string name, int number)
    {
        if (transaction.TryOpenTree(name, out Tree tree))
        {
            Require(tree.Delete(StressRow.Key(number)) == Rows(name).ContainsKey(number), "a deletion");
            _state = _state.SetItem(name, Rows(name).Remove(number));
        }
    }

    private void DeleteRange(WriteTransaction transaction, string name, int from)
    {
        if (transaction.TryOpenTree(name, out Tree tree))
        {
            int to = from + _random.Next(StressLife.Keys / 4);
            int[] gone = [.. Rows(name).Keys.Where(key => key >= from && key < to)];
            Require(tree.DeleteRange(StressRow.Key(from), StressRow.Key(to)) == gone.Length, "a deletion of a range");
            _state = _state.SetItem(name, Rows(name).RemoveRange(gone));
        }
    }

    /// <summary>The transaction sees its own state.</summary>
    private void Compare(WriteTransaction transaction, string name)
    {
        if (!transaction.TryOpenTree(name, out Tree tree))
        {
            Require(!_state.ContainsKey(name), $"no tree {name}");
            return;
        }

        Require(tree.Count == Rows(name).Count, "a count");
        using WriteCursor cursor = tree.OpenCursor();
        bool stands = cursor.MoveFirst();
        foreach ((int number, StressRow row) in Rows(name))
        {
            Require(stands && cursor.Key.SequenceEqual(StressRow.Key(number)), $"key {number}");
            Require(cursor.ValueBytes == row.Bytes, $"the length of {number}");
            Require(row.IsStreamed || row.Difference(cursor.Value) is null, $"the value of {number}, {row}");
            stands = cursor.MoveNext();
        }

        Require(!stands, "an end");
    }

    private static void Require(bool holds, string what)
    {
        if (!holds)
        {
            throw new InvalidDataException($"inside of a write transaction {what} is not what the model has");
        }
    }
}
