using System.Buffers.Binary;
using Voron.Simulation.Engine;
using Voron.Storage;
using Voron.Storage.Engine;

namespace Voron.Simulation.Outside;

/// <summary>
/// One writer and several readers of a database that open, refresh, hold transactions and close in random order, also in the middle of what
/// the writer does. Each state that a reader shows is compared as a whole with the model of that transaction. In some worlds the writer
/// also compacts its file.
/// </summary>
internal sealed class OutsideWorld(IDisk? disk, string folder, ulong seed, bool compacts = false) : IDisposable
{
    private const int Keys = 60;
    private const int MostReaders = 6;
    private static readonly byte[] TreeName = "data"u8.ToArray();

    private readonly SimRandom _random = new(seed);

    /// <summary>By transaction: key → length and seed of its value.</summary>
    private readonly List<Dictionary<int, (int Bytes, ulong Seed)>> _models = [[]];
    private readonly List<OutsideReader> _readers = [];
    private readonly List<string> _steps = [];
    private StorageEnvironment? _writer;
    private long _durable;

    /// <summary>The last transaction that may be durable: what readers beside a writer show is not newer.</summary>
    private long _maybeDurable;

    /// <summary>States that were compared.</summary>
    internal int Compared { get; private set; }

    /// <summary>Writers that were kept out by a reader of an older checkpoint.</summary>
    internal int Refused { get; private set; }

    /// <summary>Readers that opened or refreshed in the middle of a call of the writer.</summary>
    internal int Between { get; private set; }

    internal string Story => string.Join(' ', _steps.TakeLast(12));

    internal void Run(int steps)
    {
        OpenWriter();
        for (int step = 0; step < steps; step++)
        {
            Step(_random.Below(26));
        }

        foreach (OutsideReader reader in _readers)
        {
            reader.Environment.Refresh();
            Compare(reader);
        }
    }

    public void Dispose()
    {
        Pause();
        _readers.ForEach(static reader => reader.Dispose());
        _writer?.Dispose();
    }

    private void Step(int choice)
    {
        if (compacts && _random.OneIn(6))
        {
            Compact();
            return;
        }

        switch (choice)
        {
            case < 9:
                Write();
                break;
            case < 13:
                Note("checkpoint");
                _maybeDurable = _models.Count - 1;
                LetOthersRun();
                _writer!.Checkpoint();
                _durable = _maybeDurable;
                Pause();
                break;
            case < 15:
                Join();
                break;
            case < 19 when _readers.Count > 0:
                Refresh(_readers[_random.Below(_readers.Count)]);
                break;
            case < 22 when _readers.Count > 0:
                OutsideReader held = _readers[_random.Below(_readers.Count)];
                Compare(held);
                held.HoldOrEnd();
                break;
            case 22 when _readers.Count > 2:
                int gone = _random.Below(_readers.Count);
                _readers[gone].Dispose();
                _readers.RemoveAt(gone);
                break;
            case 23:
                Reopen();
                break;
            default:
                _readers.ForEach(Compare);
                break;
        }
    }

    /// <summary>Transactions that change nothing: all of them have the model of the one before.</summary>
    private void Compact()
    {
        const int MostTransactions = 1000;
        Note("compact");
        _models.AddRange(Enumerable.Repeat(_models[^1], MostTransactions));
        _maybeDurable = _models.Count - 1;
        LetOthersRun();
        CompactOptions options = new() { BytesPerSecond = 0, BytesPerTransaction = _random.Between(1, 20) << 12, LeaveFreeShare = 0 };
        Compaction.Run(_writer!.Database, options, progress: null, CancellationToken.None);
        Pause();
        int last = (int)_writer.GetReport().LastTransactionId;
        _models.RemoveRange(last + 1, _models.Count - last - 1);
        _maybeDurable = last;
        _durable = last;
    }

    private void Join()
    {
        if (_readers.Count < MostReaders)
        {
            Note("join");
            _readers.Add(new OutsideReader(StorageEnvironment.Open(folder, Options(isReader: true))));
            Compare(_readers[^1]);
        }
    }

    private void Refresh(OutsideReader reader)
    {
        Note("refresh");
        reader.Environment.Refresh();
        Compare(reader);
    }

    /// <summary>
    /// The writer ends, as if killed or not, and another one comes while readers are there. Only those that read an older checkpoint keep
    /// it out, so each goes on; if one does not, the other writer must not come.
    /// </summary>
    private void Reopen()
    {
        bool isKilled = _random.OneIn(2);
        _maybeDurable = _models.Count - 1;
        Note(isKilled ? "kill" : "close");
        if (isKilled)
        {
            _writer!.Database.Abandon();
        }
        else
        {
            _writer!.Dispose();
        }

        _writer = null;
        if (_random.OneIn(2))
        {
            TryOpenOverReaders();
        }

        foreach (OutsideReader reader in _readers)
        {
            reader.End();
            Refresh(reader);
        }

        if (_writer is null)
        {
            OpenWriter();
        }

        _readers.ForEach(Compare);
    }

    /// <summary>Opens without asking the readers to go on: either that is refused, or all of them read what they read before.</summary>
    private void TryOpenOverReaders()
    {
        try
        {
            OpenWriter();
        }
        catch (StorageLockedException)
        {
            Refused++;
            Note("refused");
        }

        _readers.ForEach(Compare);
    }

    private void OpenWriter()
    {
        _writer = StorageEnvironment.Open(folder, Options(isReader: false));
        long found = _writer.GetReport().LastTransactionId;
        Require(found >= _durable && found < _models.Count, $"the writer recovered transaction {found} of {_models.Count - 1}");
        _models.RemoveRange((int)found + 1, _models.Count - (int)found - 1);
        _durable = found;
        _maybeDurable = found;
    }

    private void Write()
    {
        Dictionary<int, (int Bytes, ulong Seed)> model = new(_models[^1]);
        using WriteTransaction transaction = _writer!.BeginWrite();
        Tree tree = transaction.OpenTree(TreeName);
        int changes = _random.Between(1, 12);
        if (_random.OneIn(10))
        {
            // Frees most of the file, so that holes and a free end come into being.
            foreach (int key in model.Keys.Where(static key => key % 8 != 0).ToArray())
            {
                tree.Delete(KeyOf(key));
                model.Remove(key);
            }
        }

        for (int i = 0; i < changes; i++)
        {
            int key = _random.Below(Keys);
            if (i > 0 && _random.OneIn(4))
            {
                tree.Delete(KeyOf(key));
                model.Remove(key);
                continue;
            }

            (int Bytes, ulong Seed) value = (_random.OneIn(3) ? _random.Between(4 << 10, 48 << 10) : _random.Below(200), _random.Next());
            tree.Put(KeyOf(key), ValueOf(value));
            model[key] = value;
        }

        CommitMode mode = _random.OneIn(4) ? CommitMode.Buffered : CommitMode.Durable;
        Note($"{mode} {_models.Count}");
        _models.Add(model);
        _maybeDurable = mode == CommitMode.Durable ? _models.Count - 1 : _maybeDurable;
        LetOthersRun();
        transaction.Commit(mode);
        Pause();
        _durable = _maybeDurable;
    }

    /// <summary>
    /// While the writer is in a call, readers open and refresh at some of its disk calls, unless they would have to wait.
    /// </summary>
    private void LetOthersRun()
    {
        if (disk is SharedDisk shared)
        {
            shared.Between = _ =>
            {
                bool isOpen = BinaryPrimitives.ReadInt64LittleEndian(shared.Words.AsSpan(3 * sizeof(long))) == 1;
                if (isOpen && _random.OneIn(6))
                {
                    shared.Between = null;
                    RunBetween();
                    LetOthersRun();
                }
            };
        }
    }

    private void RunBetween()
    {
        Between++;
        if (_readers.Count == 0 || _random.OneIn(3))
        {
            Join();
        }
        else
        {
            Refresh(_readers[_random.Below(_readers.Count)]);
        }
    }

    private void Pause()
    {
        if (disk is SharedDisk shared)
        {
            shared.Between = null;
        }
    }

    private void Compare(OutsideReader reader)
    {
        reader.Show(Compare);
        if (_random.OneIn(6))
        {
            IReadOnlyList<CheckFinding> findings = reader.Environment.Check().Findings;
            Require(findings.Count == 0, $"a reader's check found {(findings.Count == 0 ? null : findings[0])}");
        }
    }

    private void Compare(ReadTransaction transaction)
    {
        long id = transaction.TransactionId;
        Require(id <= _maybeDurable, $"transaction {id} is shown, of which a power cut could leave {_maybeDurable}");
        Dictionary<int, (int Bytes, ulong Seed)> model = _models[(int)id];
        int found = 0;
        if (transaction.TryOpenTree(TreeName, out ReadTree tree))
        {
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                bool isRight = model.TryGetValue(BinaryPrimitives.ReadInt32BigEndian(key), out (int Bytes, ulong Seed) expected)
                    && value.SequenceEqual(ValueOf(expected));
                Require(isRight, $"a value of transaction {id} is another one");
                found++;
            }
        }

        Require(found == model.Count, $"transaction {id} has {found} entries, not {model.Count}");
        Compared++;
    }

    private StorageOptions Options(bool isReader) => new()
    {
        ReadOnly = isReader, PageSize = isReader ? null : 4096, MaxDirtyBytes = 8 << 20, DisposeTimeout = TimeSpan.Zero,
        Engine = new EngineSettings
        {
            Disk = disk, Background = false, ReaderPatience = TimeSpan.Zero, PendingBytes = EngineSubject.PendingBytes,
            PendingLayerBytes = EngineSubject.PendingLayerBytes,
            PlacedValueBytes = 4 << 10, JournalledBytes = 0, FreedMarkers = 2, ValuePieceBytes = 8 << 10,
        },
    };

    private void Note(string step) => _steps.Add(step);

    private static byte[] KeyOf(int number)
    {
        byte[] key = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        return key;
    }

    private static byte[] ValueOf((int Bytes, ulong Seed) value)
    {
        byte[] bytes = new byte[value.Bytes];
        new SimRandom(value.Seed).Fill(bytes);
        return bytes;
    }

    private static void Require(bool isRight, string what)
    {
        if (!isRight)
        {
            throw new InvalidDataException(what);
        }
    }
}
