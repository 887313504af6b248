using FASTER.core;
using Functions = FASTER.core.SpanByteFunctions_ByteArrayOutput<FASTER.core.Empty>;
using Session = FASTER.core.ClientSession<FASTER.core.SpanByte, FASTER.core.SpanByte, FASTER.core.SpanByte, byte[], FASTER.core.Empty,
    FASTER.core.SpanByteFunctions_ByteArrayOutput<FASTER.core.Empty>>;

namespace Voron.Bench.Peers.NuGet;

/// <summary>
/// FASTER, a hash table over a log: no order, no transactions of several keys. Where a commit has to wait, it is a checkpoint of the log;
/// its files are opened so that each write to them waits for the device.
/// </summary>
internal sealed class FasterPackage : IStore
{
    private const long PageBytes = 4 << 20;
    private const long MemoryBytes = 1 << 30;

    private readonly FasterKVSettings<SpanByte, SpanByte> _settings;
    private readonly FasterKV<SpanByte, SpanByte> _table;
    private readonly bool _takesCheckpoints;

    internal FasterPackage(string folder, bool takesCheckpoints)
    {
        Directory.CreateDirectory(folder);
        _takesCheckpoints = takesCheckpoints;
        _settings = new FasterKVSettings<SpanByte, SpanByte>
        {
            LogDevice = Devices.CreateLogDevice(Path.Combine(folder, "log")),
            CheckpointDir = Path.Combine(folder, "checkpoints"),
            PageSize = PageBytes,
            MemorySize = MemoryBytes,
            RemoveOutdatedCheckpoints = true,
            TryRecoverLatest = true,
        };
        _table = new FasterKV<SpanByte, SpanByte>(_settings);
    }

    public long? AllocatedBytes => null;

    public IStoreWriter OpenWriter() => new Writer(_table, NewSession(), _takesCheckpoints);

    public void Load(DataSet data)
    {
        using IStoreWriter writer = OpenWriter();
        writer.Begin();
        for (int item = 0; item < data.Items; item++)
        {
            writer.Put(data.Key(KeyOrder.Ascending, item), data.Value(item));
        }

        writer.Commit();
    }

    public long Get(Questions questions) => Count(questions, questions.IsAnswer);

    public long Match(Questions questions) => Count(questions, questions.IsWholeAnswer);

    /// <summary>Walks over the log, in which a later record of a key takes the place of an earlier one. No scan to be timed.</summary>
    public ScanResult Scan()
    {
        Dictionary<Guid, int> entries = [];
        using IFasterScanIterator<SpanByte, SpanByte> records = _table.Log.Scan(_table.Log.BeginAddress, _table.Log.TailAddress);
        while (records.GetNext(out RecordInfo record))
        {
            Guid key = new(records.GetKey().AsReadOnlySpan());
            if (record.Tombstone)
            {
                entries.Remove(key);
            }
            else
            {
                entries[key] = records.GetValue().Length;
            }
        }

        return new ScanResult(entries.Count, entries.Values.Sum(static bytes => DataSet.KeyBytes + (long)bytes));
    }

    public long Seek(Questions questions) => throw new PeerException("FASTER", "go to a position", "a hash table has no order");

    /// <summary>Where no commit takes a checkpoint the last one does, or nothing would be kept.</summary>
    public void Dispose()
    {
        if (!_takesCheckpoints)
        {
            _table.TakeHybridLogCheckpointAsync(CheckpointType.FoldOver).AsTask().GetAwaiter().GetResult();
        }

        _table.Dispose();
        _settings.Dispose();
    }

    private delegate bool Compare(int place, ReadOnlySpan<byte> value);

    private long Count(Questions questions, Compare isRight)
    {
        using Session session = NewSession();
        long met = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            SpanByte key = SpanByte.FromFixedSpan(questions.Key(place));
            byte[] value = null!;
            Status status = session.Read(ref key, ref value);
            if (status.IsPending)
            {
                session.CompletePendingWithOutputs(out var read, wait: true);
                using (read)
                {
                    (status, value) = read.Next() ? (read.Current.Status, read.Current.Output) : (default, []);
                }
            }

            met += status.Found && isRight(place, value) ? 1 : 0;
        }

        return met;
    }

    private Session NewSession() => _table.For(new Functions()).NewSession<Functions>();

    private sealed class Writer(FasterKV<SpanByte, SpanByte> table, Session session, bool takesCheckpoints) : IStoreWriter
    {
        public void Begin()
        {
        }

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => session.Upsert(key, value);

        public void Delete(ReadOnlySpan<byte> key) => session.Delete(key);

        public void Commit()
        {
            session.CompletePending(wait: true);
            if (takesCheckpoints
                && !table.TakeHybridLogCheckpointAsync(CheckpointType.FoldOver).AsTask().GetAwaiter().GetResult().success)
            {
                throw new PeerException("FASTER", "take a checkpoint", "another one is being taken");
            }
        }

        public void Finish()
        {
        }

        public void Dispose() => session.Dispose();
    }
}
