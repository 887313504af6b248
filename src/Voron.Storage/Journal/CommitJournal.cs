using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// The append side of the commit journal. Records are sealed one at a time, in order of transactions, into the filling batch; the caller
/// that needs it on the device and finds nobody writing writes it, and whoever arrives meanwhile fills the next batch and goes out
/// together. One write in flight at a time; a write never rewrites a block that holds an acknowledged record.
/// <para>A failed write or sync leaves the outcome unknown: everybody who waits gets that, and nothing is ever written again.</para>
/// </summary>
internal sealed class CommitJournal : IDisposable
{
    /// <summary>A caller that would make the filling batch longer than this waits for the write before.</summary>
    private const int MaxBatchBytes = 4 << 20;

    /// <summary>
    /// Longest body of a record, so that a record, its padding and its chunk's header still have lengths that fit 31 bits.
    /// </summary>
    private const int MaxBodyBytes = 0x7FF0_0000;

    private readonly JournalFiles _files;
    private readonly ChunkPool _pool;
    private readonly ChunkSupply _supply;
    private readonly FailStop _failStop;
    private readonly ICommitListener _listener;
    private readonly object _gate = new();
    private readonly List<Chunk> _chunks;
    private readonly List<CommitChunk> _unsynced = [];
    private CommitChunk _chunk;
    private CommitBatch _filling = new();
    private CommitBatch _writing = new();
    private bool _isWriting;
    private long _writtenBatch;
    private long _durableBatch;
    private ulong _lastChecksum;
    private RecordMark _mark;

    /// <summary>The last record written.</summary>
    private JournalPosition _last;

    /// <summary>The last record on the device.</summary>
    private JournalPosition _durable;
    private long _writes;
    private long _bytesWritten;
    private long _syncs;

    internal CommitJournal(
        JournalFiles files,
        JournalStart start,
        FailStop failStop,
        ICommitListener listener,
        bool background,
        long maxChunkBytes = FormatConstants.MaxChunkBytes,
        TimeProvider? time = null)
    {
        Latency = new CommitLatency(time ?? TimeProvider.System);
        _files = files;
        _failStop = failStop;
        _listener = listener;
        _chunks = [.. start.Chunks];
        _lastChecksum = start.LastChecksum;
        _mark = start.LastCommit;
        _last = start.LastPosition;
        _durable = start.LastPosition;
        _pool = new ChunkPool(files, ChunkKind.Commit, maxChunkBytes);
        _supply = new ChunkSupply(_pool, start.HighestSequence, background ? Latency : null, () => UsedShare);
        try
        {
            _chunk = OpenNext(start.LastPosition.Sequence, FormatConstants.MinChunkBytes, 0);
        }
        catch
        {
            _supply.Dispose();
            throw;
        }

        _filling.Begin(1, FormatConstants.ChunkBodyOffset);
    }

    /// <summary>Write calls on commit chunks.</summary>
    internal long Writes => Volatile.Read(ref _writes);

    /// <summary>How long durable writes take beside a checkpoint and without one.</summary>
    internal CommitLatency Latency { get; }

    /// <summary>How much of the chunk in use is used; a guess for those who do not hold the gate.</summary>
    private double UsedShare => _chunk is { } chunk ? _filling.StartOffset / (double)chunk.Chunk.Bytes : 0;

    internal long SupplyWakeUps => _supply.WakeUps;

    internal long BytesWritten => Volatile.Read(ref _bytesWritten);

    internal long Syncs => Volatile.Read(ref _syncs);

    /// <summary>Length of all commit chunks, spare ones included.</summary>
    internal long JournalBytes
    {
        get
        {
            lock (_gate)
            {
                return _chunks.Sum(static chunk => chunk.Bytes) + _pool.SpareBytes;
            }
        }
    }

    /// <summary>False when the file system refused unbuffered access.</summary>
    internal bool IsUnbuffered => _chunk.IsUnbuffered;

    /// <summary>
    /// Puts a record at the end of the journal. One caller at a time (it holds the writer lock). Throws StorageFullException, with
    /// nothing changed, when a new chunk is needed and cannot be made.
    /// </summary>
    internal CommitTicket Seal(TransactionId id, RecordFlags flags, ReadOnlySpan<byte> body, uint fragmentNumber, uint fragmentCount)
    {
        if (body.Length > MaxBodyBytes)
        {
            Throw.RecordTooLong(body.Length, MaxBodyBytes);
        }

        int bytes = CommitBatch.RecordBytes(body.Length);
        while (true)
        {
            lock (_gate)
            {
                // Room and place are decided in one hold of the gate: a caller that takes the batch away in between moves the place of
                // the next record to the next block, and the record that had room would reach beyond the end of its chunk.
                _failStop.ThrowIfPoisoned();
                if (HasRoom(bytes))
                {
                    _filling.Add(
                        new RecordHeader
                        {
                            Flags = flags, TransactionId = id.Value, FragmentNumber = fragmentNumber, FragmentCount = fragmentCount,
                        },
                        body);
                    return new CommitTicket(_filling.Number);
                }

                if (!_filling.IsEmpty)
                {
                    PushOut();
                    continue;
                }
            }

            GoOverToNextChunk(bytes);
        }
    }

    /// <summary>Returns when the record has left the process, or, with <paramref name="onDevice"/>, when it is on the device.</summary>
    internal void Complete(CommitTicket ticket, bool onDevice)
    {
        if (Sabotage.Is(SabotageRule.AcknowledgeEarly))
        {
            return;
        }

        lock (_gate)
        {
            if (onDevice && _filling.Number == ticket.Batch)
            {
                _filling.NeedsDevice = true;
            }

            while (ticket.Batch > (onDevice ? _durableBatch : _writtenBatch))
            {
                if (_failStop.FirstError is { } first)
                {
                    Throw.OutcomeUnknown(first);
                }

                if (_isWriting)
                {
                    Monitor.Wait(_gate);
                }
                else
                {
                    Lead(onDevice);
                }
            }
        }
    }

    /// <summary>Makes everything sealed so far durable.</summary>
    internal void Flush()
    {
        long batch;
        lock (_gate)
        {
            batch = _filling.IsEmpty ? _filling.Number - 1 : _filling.Number;
        }

        Complete(new CommitTicket(batch), onDevice: true);
    }

    /// <summary>Gives back the chunks before the one that holds the record of the newest durable checkpoint.</summary>
    internal void Recycle(JournalPosition needed)
    {
        List<Chunk> free;
        long wanted;
        lock (_gate)
        {
            free = _chunks.FindAll(chunk => IsFree(chunk, needed));
            _chunks.RemoveAll(chunk => free.Contains(chunk));
            wanted = _pool.NextSize(_chunk.Chunk.Bytes, 0);
        }

        foreach (Chunk chunk in free)
        {
            _pool.Recycle(chunk, wanted);
        }
    }

    /// <summary>Closes the files. Chunks that no record ever stood in go, so that opening and closing leaves no trail of them.</summary>
    public void Dispose()
    {
        _supply.Dispose();
        _chunk.Dispose();

        // The one that was ready names the present one as its predecessor: its end must be durable before the present one goes.
        bool unused = _filling.IsEmpty && _filling.StartOffset == FormatConstants.ChunkBodyOffset && !_failStop.IsPoisoned;
        if (unused && !_files.Disk.SyncDirectory(_files.Directory).Failed)
        {
            _pool.Discard(_chunk.Chunk);
        }

        _unsynced.ForEach(static chunk => chunk.Dispose());
        _filling.Dispose();
        _writing.Dispose();
    }

    /// <summary>Nothing in the chunk is needed, and nothing is written to it any more. The caller holds the gate.</summary>
    private bool IsFree(in Chunk chunk, JournalPosition needed) => chunk.Sequence < needed.Sequence
        ? chunk.Sequence < _chunk.Chunk.Sequence
        : chunk.Sequence == needed.Sequence && Sabotage.Is(SabotageRule.RecycleChunkInUse);

    /// <summary>False when the chunk is full or too much is unwritten. The caller holds the gate.</summary>
    private bool HasRoom(int bytes) => _filling.StartOffset + _filling.UsedBytes + bytes <= _chunk.Chunk.Bytes
        && (_filling.IsEmpty || _filling.UsedBytes + bytes <= MaxBatchBytes);

    /// <summary>Gets the filling batch out of the way. The caller holds the gate.</summary>
    private void PushOut()
    {
        if (_isWriting)
        {
            Monitor.Wait(_gate);
        }
        else
        {
            Lead(_filling.NeedsDevice);
        }
    }

    private void GoOverToNextChunk(int bytes)
    {
        CommitChunk next = OpenNext(_chunk.Chunk.Sequence, _pool.NextSize(_chunk.Chunk.Bytes, 0), bytes);
        lock (_gate)
        {
            while (_isWriting)
            {
                Monitor.Wait(_gate);
            }

            if (_chunk.IsUnsynced)
            {
                _unsynced.Add(_chunk);
            }
            else
            {
                _chunk.Dispose();
            }

            _chunk = next;
            _filling.MoveTo(FormatConstants.ChunkBodyOffset);
        }
    }

    private CommitChunk OpenNext(long previousSequence, long wantedBytes, int recordBytes)
    {
        Chunk chunk = _supply.Take(previousSequence, wantedBytes, _pool.NextSize(0, recordBytes));
        CommitChunk opened = new(_files.Disk, chunk);
        lock (_gate)
        {
            _chunks.Add(chunk);
        }

        _supply.Request(chunk.Sequence, _pool.NextSize(chunk.Bytes, 0));
        return opened;
    }

    /// <summary>
    /// Writes the filling batch, or, when it is empty, syncs what was written without the device. The caller holds the gate and nobody is
    /// writing.
    /// </summary>
    private void Lead(bool onDevice)
    {
        bool hasRecords = !_filling.IsEmpty;
        CommitBatch batch = _filling;
        if (hasRecords)
        {
            _filling = _writing;
            _writing = batch;
            _filling.Begin(batch.Number + 1, batch.StartOffset + batch.WriteBytes);
        }

        long number = hasRecords ? batch.Number : batch.Number - 1;
        bool device = onDevice || (hasRecords && batch.NeedsDevice);
        CommitChunk chunk = _chunk;
        _isWriting = true;
        Monitor.Exit(_gate);
        bool succeeded = false;
        try
        {
            Write(chunk, hasRecords ? batch : null, device);
            succeeded = true;
        }
        catch (Exception error)
        {
            // Whatever it was, nobody knows what is on the device now; those who wait are told by the latch.
            _failStop.Poison(error);
        }

        Monitor.Enter(_gate);
        _isWriting = false;
        if (succeeded)
        {
            Finish(number, device);
        }

        Monitor.PulseAll(_gate);
    }

    private void Write(CommitChunk chunk, CommitBatch? batch, bool device)
    {
        if (device && (chunk.IsUnsynced || _unsynced.Count > 0))
        {
            // First, so that this write can say of them that they are on the device, and a later loss of one is noticed.
            SyncAll(chunk);
            _durable = _last;
        }

        if (batch is null)
        {
            return;
        }

        ReadOnlySpan<byte> bytes = batch.Seal(chunk.Chunk, _durable, ref _lastChecksum, ref _mark, out _last);
        if (device)
        {
            long began = Latency.Begin();
            chunk.WriteThrough(batch.StartOffset, bytes);
            Latency.End(began);
        }
        else
        {
            chunk.WriteBuffered(batch.StartOffset, bytes);
        }

        Volatile.Write(ref _writes, _writes + 1);
        Volatile.Write(ref _bytesWritten, _bytesWritten + bytes.Length);
    }

    /// <summary>
    /// A write-through write need not flush what earlier writes left in the device's cache, so those are flushed by name.
    /// </summary>
    private void SyncAll(CommitChunk chunk)
    {
        foreach (CommitChunk old in _unsynced)
        {
            old.Sync();
            Volatile.Write(ref _syncs, _syncs + 1);
            old.Dispose();
        }

        _unsynced.Clear();
        if (chunk.IsUnsynced)
        {
            chunk.Sync();
            Volatile.Write(ref _syncs, _syncs + 1);
        }
    }

    private void Finish(long number, bool device)
    {
        _writtenBatch = Math.Max(_writtenBatch, number);
        if (device)
        {
            _durableBatch = _writtenBatch;
            _durable = _last;
        }

        _listener.Committed(_mark, device);
    }
}
