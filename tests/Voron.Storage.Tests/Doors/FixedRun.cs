using FluentAssertions;
using Voron.Storage.IO;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Every operation of a fixed-size tree, at random, against a sorted dictionary: changes and reads inside of write transactions,
/// savepoints, roll-backs, snapshots held over later changes, checkpoints, and ends of the process with replay.
/// </summary>
internal sealed class FixedRun<TKey> : IDisposable
    where TKey : unmanaged, IComparable<TKey>
{
    private const string Name = "fixed";
    private const long Many = 20_000;
    private const int MostEntries = 6_000;

    /// <summary>Of long runs, in which the dictionary would take most of the time.</summary>
    private const int MostEntriesOfMany = 1_500;

    private readonly Random _random;
    private readonly MemoryDisk _disk = new();
    private readonly StorageOptions _options;
    private readonly int _valueSize;
    private readonly FixedKeys<TKey> _keys;
    private StorageEnvironment _environment;
    private int _transactionsPerComparison;
    private int _mostEntries;
    private SortedList<TKey, byte[]> _model = [];

    internal FixedRun(int seed, int pageBytes, int valueSize, FixedKeys<TKey> keys)
    {
        _random = new Random(seed);
        _valueSize = valueSize;
        _keys = keys;
        _options = new StorageOptions { Engine = new() { Disk = _disk, Background = false }, PageSize = pageBytes };
        _environment = Open();
        using WriteTransaction transaction = _environment.BeginWrite();
        transaction.OpenFixedTree<TKey>(Name, _valueSize);
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
        (int wavesPerProof, _transactionsPerComparison, _mostEntries) =
            operations < Many ? (1, 6, MostEntries) : (30, 600, MostEntriesOfMany);
        for (int wave = 0; Operations < operations; wave++)
        {
            bool grows = _model.Count < _mostEntries && wave % 6 < 4;
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

    private StorageEnvironment Open() => StorageEnvironment.Open("/fixed", _options);

    private void WriteOnce(bool grows)
    {
        bool isRolledBack = _random.Next(8) == 0;
        bool isHeld = _random.Next(4 * _transactionsPerComparison) == 0;
        bool isUndone = _random.Next(8) == 0;
        SortedList<TKey, byte[]> before = isRolledBack || isHeld ? new(_model) : _model;
        using ReadTransaction held = _environment.BeginRead();
        using WriteTransaction transaction = _environment.BeginWrite();
        FixedTree<TKey> tree = transaction.OpenFixedTree<TKey>(Name, _valueSize);
        for (int i = _random.Next(0, 3); i > 0; i--)
        {
            Change(tree, grows);
        }

        Savepoint savepoint = transaction.CreateSavepoint();
        SortedList<TKey, byte[]> atSavepoint = isUndone ? new(_model) : _model;
        for (int i = _random.Next(1, 60); i > 0; i--)
        {
            Change(tree, grows);
        }

        if (isUndone)
        {
            transaction.RollbackTo(savepoint);
            _model = atSavepoint;
            Change(tree, grows);
        }

        tree.Count.Should().Be(_model.Count);
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
            (SortedList<TKey, byte[]> now, _model) = (_model, before);
            Compare(held.OpenFixedTree<TKey>(Name));
            _model = now;
        }
    }

    private void Change(FixedTree<TKey> tree, bool grows)
    {
        Operations++;
        int choice = _random.Next(100);
        TKey key = _keys.Next(_random);
        byte[] value = Value();
        if (choice < (grows ? 45 : 12))
        {
            tree.Put(key, value);
            Set(key, value);
        }
        else if (choice < (grows ? 55 : 20))
        {
            tree.Add(key, value).Should().Be(_model.TryAdd(key, value));
        }
        else if (choice < 65)
        {
            if (_random.Next(3) == 0)
            {
                AppendColumns(tree, key);
            }
            else
            {
                Append(tree, key, value);
            }
        }
        else if (choice < 68)
        {
            value.CopyTo(tree.Reserve(key));
            Set(key, value);
        }
        else if (choice < (grows ? 78 : 92))
        {
            TKey gone = _random.Next(4) == 0 || _model.Count == 0 ? key : Near(key);
            tree.Delete(gone).Should().Be(_model.Remove(gone));
        }
        else if (choice < 94)
        {
            Lookup(tree, key);
        }
        else if (choice < 97)
        {
            PutOwn(tree, key);
        }
        else if (!grows)
        {
            TKey to = _keys.Behind(key, _random);
            TKey[] inside = [.. _model.Keys.Where(k => k.CompareTo(key) >= 0 && k.CompareTo(to) < 0)];
            tree.CountBetween(key, to).Should().Be(inside.Length);
            tree.DeleteRange(key, to).Should().Be(inside.Length);
            Array.ForEach(inside, k => _model.Remove(k));
        }
    }

    private byte[] Value()
    {
        byte[] value = new byte[_valueSize];
        _random.NextBytes(value);
        return value;
    }

    private TKey Last => _model.Keys[_model.Count - 1];

    private void Set(TKey key, byte[] value) => _model[key] = value;

    /// <summary>A value that is a span of the tree itself.</summary>
    private void PutOwn(FixedTree<TKey> tree, TKey key)
    {
        if (_model.Count > 0 && tree.TryGetFirst(out _, out ReadOnlySpan<byte> own))
        {
            byte[] copy = own.ToArray();
            tree.Put(key, own);
            Set(key, copy);
        }
    }

    /// <summary>Returns a key of the tree, now and then the first one.</summary>
    private TKey Near(TKey key)
    {
        int index = _random.Next(_model.Count);
        return _random.Next(3) == 0 && key.CompareTo(_model.Keys[index]) <= 0 ? _model.Keys[0] : _model.Keys[index];
    }

    private void AppendColumns(FixedTree<TKey> tree, TKey key)
    {
        List<TKey> keys = [];
        List<byte> values = [];
        bool hasKey = _model.Count == 0 || key.CompareTo(Last) > 0 || _keys.TryAbove(Last, _random, out key);
        for (int left = _random.Next(600); left > 0 && hasKey && _model.Count <= _mostEntries; left--)
        {
            byte[] value = Value();
            keys.Add(key);
            values.AddRange(value);
            Set(key, value);
            Operations++;
            hasKey = _keys.TryAbove(key, _random, out key);
        }

        tree.Append(keys.ToArray(), values.ToArray());
    }

    private void Append(FixedTree<TKey> tree, TKey key, byte[] value)
    {
        for (int i = _random.Next(1, 40); i > 0; i--)
        {
            bool isAbove = _model.Count == 0 || key.CompareTo(Last) > 0;
            if (!isAbove)
            {
                if (_random.Next(16) == 0)
                {
                    // Not each time: an exception takes longer than hundreds of operations.
                    Action append = () => tree.Append(key, value);
                    append.Should().Throw<ArgumentException>();
                }

                if (!_keys.TryAbove(Last, _random, out key))
                {
                    return;
                }
            }

            tree.Append(key, value);
            Operations++;
            Set(key, value);
            value = Value();
            if (_model.Count > _mostEntries || !_keys.TryAbove(key, _random, out key))
            {
                return;
            }
        }
    }

    private void Lookup(ReadFixedTree<TKey> tree, TKey key)
    {
        bool isThere = _model.TryGetValue(key, out byte[]? expected);
        tree.TryGet(key, out ReadOnlySpan<byte> value).Should().Be(isThere);
        value.SequenceEqual(expected).Should().BeTrue();
        tree.Contains(key).Should().Be(isThere);
        KeyValuePair<TKey, byte[]>[] floor = [.. _model.Where(one => one.Key.CompareTo(key) <= 0).TakeLast(1)];
        KeyValuePair<TKey, byte[]>[] ceiling = [.. _model.Where(one => one.Key.CompareTo(key) >= 0).Take(1)];
        tree.TryGetFloor(key, out TKey low, out value).Should().Be(floor.Length > 0);
        (floor.Length == 0 || (low.CompareTo(floor[0].Key) == 0 && value.SequenceEqual(floor[0].Value))).Should().BeTrue();
        tree.TryGetCeiling(key, out TKey high, out value).Should().Be(ceiling.Length > 0);
        (ceiling.Length == 0 || (high.CompareTo(ceiling[0].Key) == 0 && value.SequenceEqual(ceiling[0].Value))).Should().BeTrue();
    }

    private void Prove()
    {
        using (ReadTransaction reader = _environment.BeginRead())
        {
            Compare(reader.OpenFixedTree<TKey>(Name));
        }

        _environment.Check().Findings.Should().BeEmpty();
    }

    private void Compare(ReadFixedTree<TKey> tree)
    {
        KeyValuePair<TKey, byte[]>[] all = [.. _model];
        tree.Count.Should().Be(all.Length);
        tree.GetReport().Entries.Should().Be(all.Length);
        Same(tree.From(_keys.Least), all);
        Same(tree.Reverse(), [.. all.Reverse()]);
        tree.TryGetFirst(out TKey first, out _).Should().Be(all.Length > 0);
        tree.TryGetLast(out TKey last, out _).Should().Be(all.Length > 0);
        (all.Length == 0 || (first.CompareTo(all[0].Key) == 0 && last.CompareTo(all[^1].Key) == 0)).Should().BeTrue();
        SameBlocks(tree.Blocks(), all);
        for (int i = 0; i < 8; i++)
        {
            TKey low = i == 0 && all.Length > 0 ? all[0].Key : _keys.Next(_random);
            TKey high = _keys.Behind(low, _random);
            KeyValuePair<TKey, byte[]>[] inside = [.. all.Where(one => one.Key.CompareTo(low) >= 0 && one.Key.CompareTo(high) < 0)];
            tree.CountBetween(low, high).Should().Be(inside.Length);
            Same(tree.Range(low, high), inside);
            Same(tree.Range(low, high).Reverse(), [.. inside.Reverse()]);
            SameBlocks(tree.Blocks(low, high), inside);
            Same(tree.After(low), [.. all.Where(one => one.Key.CompareTo(low) > 0)]);
            Same(tree.After(low).Reverse(), [.. all.Where(one => one.Key.CompareTo(low) > 0).Reverse()]);
            Same(tree.To(low), [.. all.Where(one => one.Key.CompareTo(low) < 0)]);
            Same(tree.UpTo(low), [.. all.Where(one => one.Key.CompareTo(low) <= 0)]);
            Same(tree.UpTo(low).Reverse(), [.. all.Where(one => one.Key.CompareTo(low) <= 0).Reverse()]);
            Lookup(tree, low);
        }
    }

    private static void Same(FixedRange<TKey> range, KeyValuePair<TKey, byte[]>[] expected)
    {
        int at = 0;
        foreach ((TKey key, ReadOnlySpan<byte> value) in range)
        {
            (key.CompareTo(expected[at].Key) == 0 && value.SequenceEqual(expected[at].Value)).Should().BeTrue();
            at++;
        }

        at.Should().Be(expected.Length);
    }

    private static void SameBlocks(FixedBlocks<TKey> blocks, KeyValuePair<TKey, byte[]>[] expected)
    {
        int at = 0;
        foreach (FixedBlock<TKey> block in blocks)
        {
            block.Count.Should().BeGreaterThan(0);
            int size = expected[at].Value.Length;
            for (int i = 0; i < block.Count; i++, at++)
            {
                (block.Keys[i].CompareTo(expected[at].Key) == 0).Should().BeTrue();
                block.ValueBytes.Slice(i * size, size).SequenceEqual(expected[at].Value).Should().BeTrue();
            }
        }

        at.Should().Be(expected.Length);
    }
}
