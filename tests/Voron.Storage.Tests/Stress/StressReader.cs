using System.Collections.Immutable;
using System.IO.Pipelines;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Stress;

/// <summary>
/// One reading thread: begins, clones, renews and holds snapshots, and compares all it reads with the model of the snapshot.
/// </summary>
internal sealed class StressReader(StressLife life, int seed)
{
    private const int MostHeld = 4;
    private const int MostKeys = 40;

    private readonly Random _random = new(seed);
    private readonly List<ReadTransaction> _held = [];

    /// <summary>Values compared.</summary>
    internal long Reads { get; private set; }

    /// <summary>Snapshots begun, renewed or cloned.</summary>
    internal long Snapshots { get; private set; }

    internal void Run()
    {
        try
        {
            while (!life.IsOver)
            {
                RunOnce();
            }
        }
        finally
        {
            _held.ForEach(static reader => reader.Dispose());
        }
    }

    /// <summary>Compares everything that a snapshot has.</summary>
    internal void ReadAll(ReadTransaction reader)
    {
        var state = life.Model.At(reader.TransactionId);
        Require(reader.TreeNames.ToHashSet(StringComparer.Ordinal).SetEquals(state.Keys), reader, "the names of trees");
        foreach ((string name, ImmutableSortedDictionary<int, StressRow> rows) in state)
        {
            Scan(reader, reader.OpenTree(name), rows, forward: true);
        }
    }

    private void RunOnce()
    {
        ReadTransaction reader;
        switch (_random.Next(6))
        {
            case 0 when _held.Count > 0:
                // One that was held for long; often it is read again later.
                int index = _random.Next(_held.Count);
                reader = _held[index];
                _held.RemoveAt(index);
                break;
            case 1 when _held.Count > 0:
                reader = _held[_random.Next(_held.Count)].Clone();
                break;
            case 2 when _held.Count > 0:
                index = _random.Next(_held.Count);
                reader = _held[index].Renew();
                _held.RemoveAt(index);
                break;
            case 3 when life.TryTake(out reader):
                break;
            default:
                reader = life.Environment.BeginRead();
                break;
        }

        Snapshots++;
        try
        {
            for (int i = _random.Next(1, 6); i > 0 && !life.IsOver; i--)
            {
                Read(reader);
            }
        }
        catch
        {
            reader.Dispose();
            throw;
        }

        if (_held.Count < MostHeld && _random.Next(3) == 0)
        {
            _held.Add(reader);
        }
        else if (_random.Next(8) == 0)
        {
            life.HandOver(reader);
        }
        else
        {
            reader.Dispose();
        }
    }

    private void Read(ReadTransaction reader)
    {
        var state = life.Model.At(reader.TransactionId);
        string name = StressLife.TreeName(_random.Next(StressLife.Trees));
        if (!state.TryGetValue(name, out ImmutableSortedDictionary<int, StressRow>? rows))
        {
            Require(!reader.TryOpenTree(name, out _), reader, $"a tree {name} that is not there");
            return;
        }

        ReadTree tree = reader.OpenTree(name);
        Require(tree.Count == rows.Count, reader, $"{tree.Count} rows in {name}, not {rows.Count}");
        switch (_random.Next(10))
        {
            case 0:
                Scan(reader, tree, rows, forward: true);
                break;
            case 1:
                Scan(reader, tree, rows, forward: false);
                break;
            case 2 or 3:
                Walk(reader, tree, rows);
                break;
            case 4 or 5:
                GetMany(reader, tree, rows);
                break;
            default:
                Get(reader, tree, rows);
                break;
        }
    }

    private void Get(ReadTransaction reader, ReadTree tree, ImmutableSortedDictionary<int, StressRow> rows)
    {
        for (int i = 0; i < MostKeys; i++)
        {
            int number = _random.Next(StressLife.Keys);
            byte[] key = StressRow.Key(number);
            bool exists = rows.TryGetValue(number, out StressRow row);
            if (!exists || row.IsStreamed)
            {
                bool found = tree.TryOpenValueReader(key, out PipeReader? pipe);
                Require(found == exists, reader, $"key {number}, found: {found}");
                if (found)
                {
                    Compare(reader, number, row, pipe!);
                }

                continue;
            }

            Require(tree.TryGet(key, out ReadOnlySpan<byte> value), reader, $"no key {number}");
            Compare(reader, number, row, value);
        }
    }

    private void GetMany(ReadTransaction reader, ReadTree tree, ImmutableSortedDictionary<int, StressRow> rows)
    {
        int[] numbers = [.. Enumerable.Range(0, MostKeys).Select(_ => _random.Next(StressLife.Keys))];
        foreach (TreeLookup found in tree.GetMany([.. numbers.Select(static number => (ReadOnlyMemory<byte>)StressRow.Key(number))]))
        {
            int number = numbers[found.Index];
            bool exists = rows.TryGetValue(number, out StressRow row);
            Require(found.Exists == exists, reader, $"of many keys {number}, found: {found.Exists}");
            if (exists && row.IsStreamed)
            {
                Compare(reader, number, row, found.OpenValueReader());
            }
            else if (exists)
            {
                Compare(reader, number, row, found.Value);
            }
        }
    }

    private void Scan(ReadTransaction reader, ReadTree tree, ImmutableSortedDictionary<int, StressRow> rows, bool forward)
    {
        using Cursor cursor = tree.OpenCursor();
        bool more = forward ? cursor.MoveFirst() : cursor.MoveLast();
        foreach ((int number, StressRow row) in forward ? rows : rows.Reverse())
        {
            Require(more, reader, $"a scan ends before key {number}");
            At(reader, cursor, number, row);
            more = forward ? cursor.MoveNext() : cursor.MovePrevious();
        }

        Require(!more, reader, "a scan goes on");
    }

    /// <summary>A cursor that is held while others change what it stands on.</summary>
    private void Walk(ReadTransaction reader, ReadTree tree, ImmutableSortedDictionary<int, StressRow> rows)
    {
        int[] numbers = [.. rows.Keys];
        int from = _random.Next(StressLife.Keys);
        int at = Array.BinarySearch(numbers, from) is >= 0 and int exact ? exact : ~Array.BinarySearch(numbers, from);
        using Cursor cursor = tree.OpenCursor();
        bool stands = cursor.Seek(StressRow.Key(from));
        for (int i = 0; i < MostKeys && stands == at < numbers.Length && stands; i++)
        {
            At(reader, cursor, numbers[at], rows[numbers[at]]);
            if (_random.Next(4) == 0)
            {
                Thread.Sleep(_random.Next(2));
                At(reader, cursor, numbers[at], rows[numbers[at]]);
            }

            at++;
            stands = cursor.MoveNext();
        }

        Require(stands == at < numbers.Length, reader, $"a walk from {from}: {stands} at {at} of {numbers.Length}");
    }

    private void At(ReadTransaction reader, Cursor cursor, int number, StressRow row)
    {
        Require(cursor.Key.SequenceEqual(StressRow.Key(number)), reader, $"another key than {number}");
        if (row.IsStreamed)
        {
            Compare(reader, number, row, cursor.OpenValueReader());
        }
        else
        {
            Compare(reader, number, row, cursor.Value);
        }
    }

    private void Compare(ReadTransaction reader, int number, StressRow row, ReadOnlySpan<byte> value)
    {
        Reads++;
        string? difference = value.Length == row.Bytes ? row.Difference(value) : $"{value.Length} bytes and not {row.Bytes}";
        Require(difference is null, reader, $"the value of key {number}, {row}: {difference}");
    }

    private void Compare(ReadTransaction reader, int number, StressRow row, PipeReader pipe)
    {
        byte[] value = new byte[row.Bytes];
        int read = 0;
        for (bool more = true; more;)
        {
            Require(pipe.TryRead(out ReadResult result), reader, $"the value of key {number} waits");
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                Require(read + segment.Length <= row.Bytes, reader, $"the value of key {number}, {row}, is longer");
                segment.Span.CopyTo(value.AsSpan(read));
                read += segment.Length;
            }

            more = !result.IsCompleted;
            pipe.AdvanceTo(result.Buffer.End);
        }

        pipe.Complete();
        Compare(reader, number, row, value.AsSpan(0, read));
    }

    private static void Require(bool holds, ReadTransaction reader, string what)
    {
        if (!holds)
        {
            throw new InvalidDataException($"the reader of transaction {reader.TransactionId}: {what}");
        }
    }
}
