using FluentAssertions;
using Voron.Storage.IO;
using Voron.Storage.Tests.Trees;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Every operation of a multi-value tree, at random, against a sorted dictionary of sorted sets: changes and reads inside of write
/// transactions, savepoints, roll-backs, snapshots held over later changes, checkpoints, and ends of the process with replay.
/// </summary>
internal sealed class MultiRun : IDisposable
{
    private const long Many = 50_000;

    private readonly Random _random;
    private readonly MemoryDisk _disk = new();
    private readonly StorageOptions _options;
    private readonly int? _valueBytes;
    private readonly byte[][] _keys;
    private readonly PairShapes _shapes;
    private StorageEnvironment _environment;
    private int _transactionsPerComparison;
    private SortedDictionary<byte[], SortedSet<byte[]>> _model = new(ByteOrder.Instance);

    internal MultiRun(int seed, int pageBytes, int? valueBytes)
    {
        _random = new Random(seed);
        _valueBytes = valueBytes;
        _options = new StorageOptions { Engine = new() { Disk = _disk, Background = false }, PageSize = pageBytes };
        _environment = Open();
        _shapes = new PairShapes(_random, _environment.Limits.MaxKeyBytes, valueBytes);
        _keys = _shapes.Keys();
        using WriteTransaction transaction = _environment.BeginWrite();
        transaction.OpenMultiTree("multi", _valueBytes);
        transaction.Commit();
    }

    internal long Operations { get; private set; }

    public void Dispose()
    {
        _environment.Dispose();
        _disk.Dispose();
    }

    internal void Run(long operations)
    {
        (int wavesPerProof, _transactionsPerComparison) = operations < Many ? (1, 6) : (10, 200);
        for (int wave = 0; Operations < operations; wave++)
        {
            bool grows = _model.Sum(static pair => pair.Value.Count) < 4000 && wave % 5 < 3;
            for (int i = 0; i < 20; i++)
            {
                WriteOnce(grows);
            }

            if (wave % 7 == 3)
            {
                _environment.Checkpoint();
            }

            if (wave % 9 == 5)
            {
                _environment.Flush();
                _environment.Database.Abandon();
                _environment = Open();
            }

            if (wave % wavesPerProof == 0)
            {
                Prove();
            }
        }

        Prove();
    }

    private StorageEnvironment Open() => StorageEnvironment.Open("/multi", _options);

    private void WriteOnce(bool grows)
    {
        bool isRolledBack = _random.Next(8) == 0;
        bool isHeld = _random.Next(4 * _transactionsPerComparison) == 0;
        bool isUndone = _random.Next(8) == 0;
        SortedDictionary<byte[], SortedSet<byte[]>> before = isRolledBack || isHeld ? Copy(_model) : _model;
        using ReadTransaction held = _environment.BeginRead();
        using WriteTransaction transaction = _environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("multi", _valueBytes);
        Savepoint savepoint = transaction.CreateSavepoint();
        SortedDictionary<byte[], SortedSet<byte[]>> atSavepoint = isUndone ? Copy(_model) : _model;
        byte[] key = _keys[_random.Next(_keys.Length)];
        for (int i = _random.Next(1, 60); i > 0; i--)
        {
            Operations++;
            key = _random.Next(4) == 0 ? _keys[_random.Next(_keys.Length)] : key;
            Change(tree, key, grows);
        }

        if (isUndone)
        {
            transaction.RollbackTo(savepoint);
            _model = atSavepoint;
        }

        tree.Count.Should().Be(_model.Sum(static pair => pair.Value.Count));
        if (_random.Next(_transactionsPerComparison) == 0)
        {
            Compare(tree);
        }

        if (isRolledBack)
        {
            _model = before;
            return;
        }

        transaction.Commit();
        if (isHeld)
        {
            (SortedDictionary<byte[], SortedSet<byte[]>> now, _model) = (_model, before);
            Compare(held.OpenMultiTree("multi"));
            _model = now;
        }
    }

    private void Change(MultiTree tree, byte[] key, bool grows)
    {
        int choice = _random.Next(100);
        SortedSet<byte[]>? set = _model.GetValueOrDefault(key);
        if (choice < (grows ? 70 : 35))
        {
            byte[] value = _shapes.Value(key);
            bool isNew = set?.Contains(value) != true;
            tree.Add(key, value).Should().Be(isNew);
            Put(key, value);
        }
        else if (choice < 90)
        {
            byte[] value = set is null || _random.Next(5) == 0 ? _shapes.Value(key) : Any(set);
            tree.Delete(key, value).Should().Be(set?.Remove(value) == true);
            Trim(key);
        }
        else if (choice < 93)
        {
            tree.Count(key).Should().Be(set?.Count ?? 0);
            byte[] value = _shapes.Value(key);
            tree.Contains(key, value).Should().Be(set?.Contains(value) == true);
        }
        else if (choice < 97)
        {
            Walk(tree, key);
        }
        else if (choice < 98 && !grows)
        {
            tree.DeleteAll(key).Should().Be(set?.Count ?? 0);
            _model.Remove(key);
        }
        else if (choice < 99 && !grows)
        {
            byte[] to = _keys[_random.Next(_keys.Length)];
            byte[][] inside = [.. _model.Keys.Where(k => ByteOrder.Instance.Compare(k, key) >= 0 && ByteOrder.Instance.Compare(k, to) < 0)];
            tree.DeleteRange(key, to).Should().Be(inside.Sum(k => _model[k].Count));
            Array.ForEach(inside, k => _model.Remove(k));
        }
        else
        {
            Append(tree, key);
        }
    }

    private void Append(MultiTree tree, byte[] key)
    {
        byte[] value = _shapes.Value(key);
        bool isAbove = _model.Count == 0 || ByteOrder.Instance.Compare(key, _model.Keys.Last()) > 0
            || (ByteOrder.Instance.Compare(key, _model.Keys.Last()) == 0 && ByteOrder.Instance.Compare(value, _model[key].Max) > 0);
        bool isAppended = true;
        try
        {
            tree.Append(key, value);
        }
        catch (ArgumentException)
        {
            isAppended = false;
        }

        isAppended.Should().Be(isAbove);
        if (isAbove)
        {
            Put(key, value);
        }
    }

    /// <summary>A cursor in the middle of changes against the list of all pairs.</summary>
    private void Walk(MultiTree tree, byte[] key)
    {
        (byte[] Key, byte[] Value)[] pairs = [.. Pairs()];
        byte[] value = _shapes.Value(key);
        int at = Array.FindIndex(pairs, pair => Order(pair, (key, value)) >= 0);
        at = at < 0 ? pairs.Length : at;
        using MultiCursor cursor = tree.OpenCursor();
        bool isOfKey = at < pairs.Length && pairs[at].Key.AsSpan().SequenceEqual(key);
        cursor.Seek(key, value).Should().Be(isOfKey);
        if (!isOfKey)
        {
            cursor.MoveNext().Should().Be(at < pairs.Length);
        }

        for (int i = 0; i < 12 && at < pairs.Length; i++)
        {
            cursor.Key.SequenceEqual(pairs[at].Key).Should().BeTrue();
            cursor.Value.SequenceEqual(pairs[at].Value).Should().BeTrue();
            int next = Step(ref System.Runtime.CompilerServices.Unsafe.AsRef(in cursor), pairs, at);
            if (next < 0 || next >= pairs.Length)
            {
                return;
            }

            at = next;
        }
    }

    private int Step(ref MultiCursor cursor, (byte[] Key, byte[] Value)[] pairs, int at)
    {
        bool IsSame(int index) => index >= 0 && index < pairs.Length && pairs[index].Key.AsSpan().SequenceEqual(pairs[at].Key);
        int nextKey = Array.FindIndex(pairs, at, pair => !pair.Key.AsSpan().SequenceEqual(pairs[at].Key));
        int firstOfKey = Array.FindIndex(pairs, pair => pair.Key.AsSpan().SequenceEqual(pairs[at].Key));
        nextKey = nextKey < 0 ? pairs.Length : nextKey;
        switch (_random.Next(8))
        {
            case 0:
                cursor.MoveNext().Should().Be(at + 1 < pairs.Length);
                return at + 1;
            case 1:
                cursor.MovePrevious().Should().Be(at > 0);
                return at - 1;
            case 2:
                cursor.MoveNextKey().Should().Be(nextKey < pairs.Length);
                return nextKey;
            case 3:
                cursor.MovePreviousKey().Should().Be(firstOfKey > 0);
                return firstOfKey - 1;
            case 4:
                cursor.MoveNextValue().Should().Be(IsSame(at + 1));
                return IsSame(at + 1) ? at + 1 : at;
            case 5:
                cursor.MovePreviousValue().Should().Be(IsSame(at - 1));
                return IsSame(at - 1) ? at - 1 : at;
            case 6:
                cursor.MoveFirstValue().Should().BeTrue();
                return firstOfKey;
            default:
                cursor.MoveLastValue().Should().BeTrue();
                return nextKey - 1;
        }
    }

    private void Prove()
    {
        using (ReadTransaction reader = _environment.BeginRead())
        {
            Compare(reader.OpenMultiTree("multi"));
        }

        _environment.Check().Findings.Should().BeEmpty();
    }

    private void Compare(ReadMultiTree tree)
    {
        (byte[] Key, byte[] Value)[] pairs = [.. Pairs()];
        tree.Count.Should().Be(pairs.Length);
        int at = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            (key.SequenceEqual(pairs[at].Key) && value.SequenceEqual(pairs[at].Value)).Should().BeTrue();
            at++;
        }

        at.Should().Be(pairs.Length);
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree.Reverse())
        {
            at--;
            (key.SequenceEqual(pairs[at].Key) && value.SequenceEqual(pairs[at].Value)).Should().BeTrue();
        }

        at.Should().Be(0);
        foreach (ReadOnlySpan<byte> key in tree.Keys)
        {
            key.SequenceEqual(_model.Keys.ElementAt(at++)).Should().BeTrue();
        }

        at.Should().Be(_model.Count);
        foreach (byte[] key in _keys)
        {
            CompareKey(tree, key);
            CompareRanges(tree, key);
        }
    }

    private void CompareKey(ReadMultiTree tree, byte[] key)
    {
        byte[][] values = [.. _model.GetValueOrDefault(key) ?? []];
        tree.Count(key).Should().Be(values.Length);
        byte[] low = values.Length == 0 ? _shapes.Value(key) : values[values.Length / 2];
        Same(tree.Values(key), values);
        Same(tree.Values(key).Reverse(), [.. values.Reverse()]);
        Same(tree.Values(key).From(low), [.. values.Where(value => ByteOrder.Instance.Compare(value, low) >= 0)]);
        Same(tree.Values(key).After(low), [.. values.Where(value => ByteOrder.Instance.Compare(value, low) > 0)]);
        Same(tree.Values(key).After(low).Reverse(), [.. values.Where(value => ByteOrder.Instance.Compare(value, low) > 0).Reverse()]);
        if (_valueBytes is not null)
        {
            List<byte> all = [];
            long count = 0;
            foreach (ValueBlock block in tree.Blocks(key))
            {
                all.AddRange(block.First);
                all.AddRange(block.Rest);
                count += block.Count;
            }

            count.Should().Be(values.Length);
            all.SequenceEqual(values.SelectMany(static value => value)).Should().BeTrue();
        }
    }

    private void CompareRanges(ReadMultiTree tree, byte[] key)
    {
        byte[] to = _keys[_random.Next(_keys.Length)];
        long Of(Func<byte[], bool> isInside) => _model.Where(pair => isInside(pair.Key)).Sum(static pair => pair.Value.Count);
        int Against(byte[] other, byte[] bound) => ByteOrder.Instance.Compare(other, bound);
        CountOf(tree.Range(key, to)).Should().Be(Of(k => Against(k, key) >= 0 && Against(k, to) < 0));
        CountOf(tree.Range(key, to).Reverse()).Should().Be(Of(k => Against(k, key) >= 0 && Against(k, to) < 0));
        CountOf(tree.From(key)).Should().Be(Of(k => Against(k, key) >= 0));
        CountOf(tree.After(key).Reverse()).Should().Be(Of(k => Against(k, key) > 0));
        CountOf(tree.To(key)).Should().Be(Of(k => Against(k, key) < 0));
        CountOf(tree.UpTo(key)).Should().Be(Of(k => Against(k, key) <= 0));
        CountOf(tree.Prefix(key)).Should().Be(Of(k => k.AsSpan().StartsWith(key)));
        CountOf(tree.Prefix(key).Reverse()).Should().Be(Of(k => k.AsSpan().StartsWith(key)));
    }

    private static long CountOf(MultiRange range)
    {
        long count = 0;
        foreach (MultiEntry entry in range)
        {
            count++;
        }

        return count;
    }

    private static void Same(MultiValues values, byte[][] expected)
    {
        int at = 0;
        foreach (ReadOnlySpan<byte> value in values)
        {
            value.SequenceEqual(expected[at++]).Should().BeTrue();
        }

        at.Should().Be(expected.Length);
    }

    private IEnumerable<(byte[] Key, byte[] Value)> Pairs() => _model.SelectMany(pair => pair.Value.Select(value => (pair.Key, value)));

    private static int Order((byte[] Key, byte[] Value) one, (byte[] Key, byte[] Value) other)
    {
        int order = ByteOrder.Instance.Compare(one.Key, other.Key);
        return order != 0 ? order : ByteOrder.Instance.Compare(one.Value, other.Value);
    }

    private void Put(byte[] key, byte[] value)
    {
        if (!_model.TryGetValue(key, out SortedSet<byte[]>? set))
        {
            _model[key] = set = new SortedSet<byte[]>(ByteOrder.Instance);
        }

        set.Add(value);
    }

    private void Trim(byte[] key)
    {
        if (_model.TryGetValue(key, out SortedSet<byte[]>? set) && set.Count == 0)
        {
            _model.Remove(key);
        }
    }

    private byte[] Any(SortedSet<byte[]> set) => set.ElementAt(_random.Next(set.Count));

    private static SortedDictionary<byte[], SortedSet<byte[]>> Copy(SortedDictionary<byte[], SortedSet<byte[]>> model)
    {
        SortedDictionary<byte[], SortedSet<byte[]>> copy = new(ByteOrder.Instance);
        foreach ((byte[] key, SortedSet<byte[]> set) in model)
        {
            copy[key] = new SortedSet<byte[]>(set, ByteOrder.Instance);
        }

        return copy;
    }
}
