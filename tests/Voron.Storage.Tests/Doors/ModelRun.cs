using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Tests.Guards;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Random transactions through the public doors against a sorted dictionary of the same content. Readers are held open with a frozen
/// copy of the content of their moment
/// and compared before they end; checkpoints, roll-backs, drops and reopenings come in between.
/// </summary>
internal sealed class ModelRun
{
    private const int Keys = 30_000;
    private const int MaxReaders = 4;

    private readonly Func<StorageEnvironment> _open;
    private readonly bool _canReopen;
    private readonly Random _random;
    private readonly byte[] _key = new byte[64];
    private readonly byte[] _value = new byte[40_000];
    private readonly List<Held> _held = [];
    private readonly SortedDictionary<int, int> _model = [];
    private StorageEnvironment _environment;
    private int _nextFill;

    internal ModelRun(int seed, Func<StorageEnvironment> open, bool canReopen)
    {
        _random = new Random(seed);
        _open = open;
        _canReopen = canReopen;
        _environment = open();
        new Random(9).NextBytes(_value);
    }

    internal long Operations { get; private set; }

    /// <summary>Entries seen by scans and comparisons.</summary>
    internal long Reads { get; private set; }

    internal int Commits { get; private set; }

    internal int Reopenings { get; private set; }

    internal int ReadersCompared { get; private set; }

    internal long Checkpoints { get; private set; }

    internal void Run(long operations)
    {
        while (Operations < operations)
        {
            WriteOnce();
            int dice = _random.Next(1000);
            if (dice < 20)
            {
                HoldReader();
            }
            else if (dice < 23)
            {
                _environment.Checkpoint();
            }
            else if (_canReopen && (dice < 25 || (Reopenings == 0 && Operations > operations / 2)))
            {
                Reopen();
            }
            else if (dice < 60)
            {
                ScanSome();
            }
        }

        EndReaders();
        CompareAll();
        _environment.Check().Findings.Should().BeEmpty();
        Checkpoints += _environment.GetReport().Checkpoints;
        _environment.Dispose();
        if (_canReopen)
        {
            _environment = _open();
            CompareAll();
            _environment.Check().Findings.Should().BeEmpty();
            _environment.Dispose();
        }
    }

    private void WriteOnce()
    {
        Dictionary<int, int?> changes = [];
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree("model");
        int center = _random.Next(Keys);
        bool isLocal = _random.Next(2) == 0;
        for (int i = 1 + _random.Next(200); i > 0; i--)
        {
            Operate(tree, changes, isLocal ? (center + _random.Next(300)) % Keys : _random.Next(Keys));
        }

        if (_random.Next(400) == 0)
        {
            transaction.DropTree("model").Should().BeTrue();
            tree = transaction.OpenTree("model");
            foreach (int key in changes.Keys.Union(_model.Keys).ToArray())
            {
                changes[key] = null;
            }
        }

        if (_random.Next(12) == 0)
        {
            return;
        }

        transaction.Commit(_random.Next(3) == 0 ? CommitMode.Buffered : CommitMode.Durable);
        Commits++;
        foreach ((int key, int? fill) in changes)
        {
            if (fill is { } put)
            {
                _model[key] = put;
            }
            else
            {
                _model.Remove(key);
            }
        }
    }

    private void Operate(Tree tree, Dictionary<int, int?> changes, int number)
    {
        Operations++;
        ReadOnlySpan<byte> key = KeyOf(number);
        bool exists = changes.TryGetValue(number, out int? changed) ? changed is not null : _model.ContainsKey(number);
        switch (_random.Next(20))
        {
            case < 9:
                int fill = ++_nextFill;
                tree.Put(key, ValueOf(fill));
                changes[number] = fill;
                break;
            case < 11:
                int added = ++_nextFill;
                if (tree.TryAdd(key, ValueOf(added)) == exists)
                {
                    throw new InvalidOperationException($"TryAdd of key {number} where exists is {exists}");
                }

                if (!exists)
                {
                    changes[number] = added;
                }

                break;
            case < 16:
                if (tree.Delete(key) != exists)
                {
                    throw new InvalidOperationException($"Delete of key {number} where exists is {exists}");
                }

                changes[number] = null;
                break;
            default:
                int? expected = changes.TryGetValue(number, out int? own) ? own : _model.TryGetValue(number, out int there) ? there : null;
                bool found = tree.TryGet(key, out ReadOnlySpan<byte> value);
                if (found != expected is not null || (expected is { } one && !value.SequenceEqual(ValueOf(one))))
                {
                    throw new InvalidOperationException($"key {number} inside transaction has another value");
                }

                break;
        }
    }

    private void HoldReader()
    {
        if (_held.Count == MaxReaders)
        {
            int index = _random.Next(MaxReaders);
            _held[index].Compare(this);
            _held.RemoveAt(index);
        }

        _held.Add(new Held(_environment.BeginRead(), new SortedDictionary<int, int>(_model)));
    }

    private void EndReaders()
    {
        _held.ForEach(held => held.Compare(this));
        _held.Clear();
    }

    private void Reopen()
    {
        EndReaders();
        Checkpoints += _environment.GetReport().Checkpoints;
        _environment.Dispose();
        _environment = _open();
        Reopenings++;
        CompareAll();
    }

    private void CompareAll() => new Held(_environment.BeginRead(), _model).Compare(this);

    /// <summary>A few entries forward and backward from a random key, against the model.</summary>
    private void ScanSome()
    {
        using ReadTransaction transaction = _environment.BeginRead();
        if (!transaction.TryOpenTree("model", out ReadTree tree))
        {
            return;
        }

        // Key order is not number order, so the expectation comes from the tree's own keys: strictly rising, and each of them with the
        // model's value.
        byte[] last = [];
        int seen = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree.From(KeyOf(_random.Next(Keys)).ToArray()))
        {
            (seen == 0 || key.SequenceCompareTo(last) > 0).Should().BeTrue("keys come in order");
            last = key.ToArray();
            value.SequenceEqual(ValueOf(_model[NumberOf(key)])).Should().BeTrue();
            Reads++;
            if (++seen == 50)
            {
                break;
            }
        }

        byte[] end = last;
        int back = 0;
        foreach ((ReadOnlySpan<byte> key, _) in tree.Range(default, end).Reverse())
        {
            (key.SequenceCompareTo(last) < 0).Should().BeTrue("keys come in falling order");
            last = key.ToArray();
            Reads++;
            if (++back == 50)
            {
                break;
            }
        }
    }

    /// <summary>Four-byte number in front or behind a common prefix, of one of several lengths.</summary>
    private ReadOnlySpan<byte> KeyOf(int number)
    {
        int prefix = (number % 3) * 9;
        _key.AsSpan(0, prefix).Fill((byte)('a' + (number % 3)));
        System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(_key.AsSpan(prefix), number);
        int tail = number % 7 == 0 ? 20 : 0;
        _key.AsSpan(prefix + 4, tail).Fill((byte)number);
        return _key.AsSpan(0, prefix + 4 + tail);
    }

    private static int NumberOf(ReadOnlySpan<byte> key)
    {
        int prefix = key[0] switch { (byte)'b' => 9, (byte)'c' => 18, _ => 0 };
        return System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(key[prefix..]);
    }

    private ReadOnlySpan<byte> ValueOf(int fill)
    {
        uint mixed = (uint)fill * 2654435761;
        int length = (mixed >> 20) switch { < 8 => (int)(mixed % 35_000), < 40 => 1000 + (int)(mixed % 2000), _ => (int)(mixed % 120) };
        return _value.AsSpan((int)(mixed % 4000), length);
    }

    private sealed class Held(ReadTransaction reader, SortedDictionary<int, int> frozen)
    {
        internal void Compare(ModelRun run)
        {
            run.ReadersCompared++;
            if (!reader.TryOpenTree("model", out ReadTree tree))
            {
                frozen.Should().BeEmpty();
                reader.Dispose();
                return;
            }

            tree.Count.Should().Be(frozen.Count);
            long seen = 0;
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                seen++;
                run.Reads++;
                if (!frozen.TryGetValue(NumberOf(key), out int fill) || !value.SequenceEqual(run.ValueOf(fill)))
                {
                    throw new InvalidOperationException($"key {NumberOf(key)} in snapshot {reader.TransactionId} is not what it was");
                }
            }

            seen.Should().Be(frozen.Count);
            reader.Dispose();
        }
    }
}
