using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Writes batches to the commit chunks, one at a time, each at once or beside the caller, and knows what of them is on the device. Where
/// it stands in the chain of records is here; who may write is the commit journal's business.
/// </summary>
internal sealed class CommitWriter : IDisposable
{
    private readonly IWriteInFlight _flight;
    private readonly ICommitListener _listener;
    private readonly CommitLatency _latency;
    private readonly List<CommitChunk> _unsynced = [];
    private ulong _lastChecksum;
    private RecordMark _mark;

    /// <summary>The last record written.</summary>
    private JournalPosition _last;

    /// <summary>The last record on the device.</summary>
    private JournalPosition _durable;
    private CommitChunk? _flyingTo;
    private long _flyingOffset;
    private long _flyingBegan;
    private bool _flyingOnDevice;
    private long _writes;
    private long _bytesWritten;
    private long _syncs;

    internal CommitWriter(IDisk disk, JournalStart start, ICommitListener listener, CommitLatency latency)
    {
        _listener = listener;
        _latency = latency;
        _flight = disk.CreateWriteInFlight();
        _lastChecksum = start.LastChecksum;
        _mark = start.LastCommit;
        _last = start.LastPosition;
        _durable = start.LastPosition;
    }

    /// <summary>The last commit record written.</summary>
    internal RecordMark Mark => _mark;

    internal long Writes => Volatile.Read(ref _writes);

    internal long BytesWritten => Volatile.Read(ref _bytesWritten);

    internal long Syncs => Volatile.Read(ref _syncs);

    /// <summary>Writes a batch, or, when it is null, syncs what was written without the device.</summary>
    internal void Write(CommitChunk chunk, CommitBatch? batch, bool onDevice)
    {
        SyncIfUnsynced(chunk, onDevice);
        if (batch is not null)
        {
            ReadOnlySpan<byte> bytes = Seal(chunk, batch);
            long began = _latency.Begin();
            Platform.Throw.IfFailed(
                chunk.FileFor(onDevice).Write(batch.StartOffset, bytes), "write", chunk.Chunk.Path, batch.StartOffset);
            _latency.End(began, onDevice);
        }
    }

    /// <summary>Starts writing a batch; <see cref="Wait"/> must follow.</summary>
    internal void Start(CommitChunk chunk, CommitBatch batch, bool onDevice)
    {
        SyncIfUnsynced(chunk, onDevice);
        IDiskFile file = chunk.FileFor(onDevice);
        _flyingBegan = _latency.Begin();
        _flyingOnDevice = onDevice;
        _flight.Start(file, batch.StartOffset, Seal(chunk, batch));
        _flyingTo = chunk;
        _flyingOffset = batch.StartOffset;
    }

    /// <summary>Waits for the write that was started, if one was.</summary>
    internal void Wait()
    {
        if (_flyingTo is { } chunk)
        {
            _flyingTo = null;
            Platform.Throw.IfFailed(_flight.Wait(), "write", chunk.Chunk.Path, _flyingOffset);
            _latency.End(_flyingBegan, _flyingOnDevice);
        }
    }

    /// <summary>What was written is now on the device.</summary>
    internal void IsOnDevice() => _durable = _last;

    /// <summary>The journal goes over to another chunk; this one is closed now, or when what went to it unsynced was synced.</summary>
    internal void Leave(CommitChunk chunk)
    {
        if (chunk.IsUnsynced)
        {
            _unsynced.Add(chunk);
        }
        else
        {
            chunk.Dispose();
        }
    }

    public void Dispose()
    {
        _unsynced.ForEach(static chunk => chunk.Dispose());
        _flight.Dispose();
    }

    private ReadOnlySpan<byte> Seal(CommitChunk chunk, CommitBatch batch)
    {
        ReadOnlySpan<byte> bytes = batch.Seal(chunk.Chunk, _durable, ref _lastChecksum, ref _mark, out _last);
        if (Sabotage.Is(SabotageRule.PublishBeforeWrite))
        {
            _listener.Committed(_mark, isDurable: false);
        }

        Volatile.Write(ref _writes, _writes + 1);
        Volatile.Write(ref _bytesWritten, _bytesWritten + bytes.Length);
        return bytes;
    }

    /// <summary>
    /// A write-through write need not flush what earlier writes left in the device's cache, so those are flushed by name. First, so that
    /// the write can say of them that they are on the device, and a later loss of one is noticed.
    /// </summary>
    private void SyncIfUnsynced(CommitChunk chunk, bool onDevice)
    {
        if (!onDevice || (!chunk.IsUnsynced && _unsynced.Count == 0))
        {
            return;
        }

        foreach (CommitChunk old in _unsynced)
        {
            Sync(old);
            old.Dispose();
        }

        _unsynced.Clear();
        if (chunk.IsUnsynced)
        {
            Sync(chunk);
        }

        _durable = _last;
    }

    private void Sync(CommitChunk chunk)
    {
        chunk.Sync();
        Volatile.Write(ref _syncs, _syncs + 1);
    }
}
