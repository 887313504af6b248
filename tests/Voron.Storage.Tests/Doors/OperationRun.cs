using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.IO;
using Voron.Storage.Tests.Trees;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Every operation of trees, at random, against a sorted dictionary: changes and reads inside of write transactions, snapshots held over
/// later changes and compared with frozen copies, roll-backs, checkpoints, and ends of the process after which the journal is replayed.
/// </summary>
internal sealed partial class OperationRun : IDisposable
{
    private const string TreeName = "model";
    private const int MostHeld = 3;

    private readonly Random _random;
    private readonly StorageOptions _options;
    private readonly MemoryDisk _disk = new();
    private readonly string _path;
    private readonly List<(ReadTransaction Reader, KeyValuePair<byte[], byte[]>[] Entries)> _held = [];
    private readonly List<byte[]> _known = [];
    private readonly KeyShapes _shapes;
    private readonly int _maxKeyBytes;
    private SortedDictionary<byte[], byte[]> _model = new(ByteOrder.Instance);
    private StorageEnvironment _environment;
    private string _name = TreeName;
    private int[] _shapesNow = [6];

    /// <summary>In this transaction keys and values are spans that were just read from the tree, as far as it has them.</summary>
    private bool _passesOwnSpans;

    internal OperationRun(int seed, int pageBytes, string? folder = null)
    {
        _random = new Random(seed);
        _path = folder ?? "/model";
        _options = new StorageOptions
        {
            PageSize = pageBytes,
            Engine = new()
            {
                Disk = folder is null ? _disk : null, Background = false, PlacedValueBytes = pageBytes, FreedMarkers = 3,
                PendingBytes = seed % 3 == 1 || folder is not null ? 4L * pageBytes : null, JournalledBytes = seed % 4 * 2 * pageBytes,
                PendingLayerBytes = folder is null ? 0 : 30L * pageBytes, ValuePieceBytes = pageBytes, WriteOptimizesAll = seed % 6 == 1,
            },
        };
        _environment = Open();
        _maxKeyBytes = _environment.Limits.MaxKeyBytes;
        _shapes = new KeyShapes(_random, _maxKeyBytes);
        using WriteTransaction transaction = _environment.BeginWrite();
        transaction.OpenTree(_name);
        transaction.Commit();
    }

    internal long Operations { get; private set; }

    internal long Replays { get; private set; }

    internal long MostSpilledBytes { get; private set; }

    public void Dispose()
    {
        _held.ForEach(static held => held.Reader.Dispose());
        _environment.Dispose();
        _disk.Dispose();
    }

    internal void Run(long operations)
    {
        for (int wave = 0; Operations < operations; wave++)
        {
            // A wave grows or shrinks the tree with keys of some shapes.
            _shapesNow = [.. Enumerable.Range(0, KeyShapes.Count).Where(_ => _random.Next(3) == 0).DefaultIfEmpty(6)];
            int growth = _model.Count > 1200 ? 25 : 35 + _random.Next(50);
            for (int i = 0; i < 25; i++)
            {
                WriteOnce(growth);
                MayHold();
            }

            if (wave % 8 == 3)
            {
                MostSpilledBytes = Math.Max(MostSpilledBytes, _environment.GetReport().SpillBytes);
                _environment.Checkpoint();
            }

            if (wave % 11 == 5)
            {
                EndOfProcess();
            }

            if (wave % 6 == 0)
            {
                Prove();
            }
        }

        EndOfProcess();
        Prove();
    }

    private StorageEnvironment Open() => StorageEnvironment.Open(_path, _options);

    private void WriteOnce(int growth)
    {
        SortedDictionary<byte[], byte[]> before = new(_model, ByteOrder.Instance);
        string nameBefore = _name;
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree(_name);
        bool hasSavepoints = _random.Next(3) == 0;
        _passesOwnSpans = _random.Next(2) == 0;
        _savepoints.Clear();
        for (int i = _random.Next(1, 30); i > 0; i--)
        {
            Operations++;
            if (hasSavepoints && _random.Next(4) == 0)
            {
                UseSavepoints(transaction, ref tree);
            }
            else if (_random.Next(3) == 0)
            {
                Read(tree);
            }
            else if (_random.Next(100) < growth)
            {
                Grow(tree);
            }
            else
            {
                Shrink(tree);
            }
        }

        if (_random.Next(10) == 0 && _known.Count > 0)
        {
            OperationBurst.Put(_random, tree, _known, _options.PageSize!.Value, _model);
        }

        if (_random.Next(40) == 0)
        {
            ChangeTree(transaction, ref tree);
        }

        TreeCounts.Compare(tree, _model.Count);
        if (_random.Next(10) == 0)
        {
            _model = before;
            _name = nameBefore;
            return;
        }

        transaction.Commit((CommitMode)_random.Next(3));
    }

    private void ChangeTree(WriteTransaction transaction, ref Tree tree)
    {
        if (_random.Next(4) == 0)
        {
            transaction.DropTree(_name).Should().BeTrue();
            tree = transaction.OpenTree(_name);
            _model.Clear();
            Grow(tree);
            return;
        }

        string name = _name == TreeName ? "other" : TreeName;
        transaction.RenameTree(_name, name).Should().BeTrue();
        transaction.TreeNames.Should().Equal(name);
        _name = name;
    }

    private void MayHold()
    {
        if (_random.Next(40) == 0)
        {
            if (_held.Count == MostHeld)
            {
                CompareHeld(_random.Next(MostHeld));
            }

            _held.Add((_environment.BeginRead(), [.. _model]));
        }
    }

    private void CompareHeld(int index)
    {
        (ReadTransaction reader, KeyValuePair<byte[], byte[]>[] entries) = _held[index];
        _held.RemoveAt(index);
        using (reader)
        {
            string name = reader.TreeNames.Should().ContainSingle().Which;
            reader.TryOpenTree(name, out ReadTree tree).Should().BeTrue();
            Compare(tree, entries);
        }
    }

    /// <summary>The process ends without a word; the journal is replayed, twice.</summary>
    private void EndOfProcess()
    {
        while (_held.Count > 0)
        {
            CompareHeld(0);
        }

        _environment.Flush();
        for (int i = 0; i < 2; i++)
        {
            _environment.Database.Abandon();
            _environment = Open();
            Replays++;
            using ReadTransaction reader = _environment.BeginRead();
            reader.TryOpenTree(_name, out ReadTree tree).Should().BeTrue();
            Compare(tree, [.. _model]);
        }
    }

    private void Prove()
    {
        using (ReadTransaction reader = _environment.BeginRead())
        {
            reader.TryOpenTree(_name, out ReadTree tree).Should().BeTrue();
            Compare(tree, [.. _model]);
        }

        _environment.Check().Findings.Should().BeEmpty();
    }

    private static void Compare(ReadTree tree, KeyValuePair<byte[], byte[]>[] entries)
    {
        TreeCounts.Compare(tree, entries.Length);
        int at = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            IsTrue(at < entries.Length && key.SequenceEqual(entries[at].Key) && value.SequenceEqual(entries[at].Value), "an enumeration");
            at++;
        }

        at.Should().Be(entries.Length);
        foreach ((ReadOnlySpan<byte> key, _) in tree.Reverse())
        {
            IsTrue(key.SequenceEqual(entries[--at].Key), "an enumeration backwards");
        }

        at.Should().Be(0);
    }

    private static void IsTrue(bool condition, string what)
    {
        if (!condition)
        {
            throw new InvalidOperationException($"{what} does not give what the model has");
        }
    }

    private byte[] NewKey() => _shapes.Next(_shapesNow[_random.Next(_shapesNow.Length)]);

    private byte[] AnyKey() => _known.Count == 0 || _random.Next(3) == 0 ? NewKey() : _known[_random.Next(_known.Count)];

    private byte[] NewValue() => OperationBurst.NewValue(_random, _options.PageSize!.Value);
}
