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
    private readonly CommitWriter _writer;
    private CommitChunk _chunk;
    private CommitBatch _filling = new();
    private CommitBatch _writing = new();
    private bool _isWriting;
    private long _writtenBatch;
    private long _durableBatch;

    /// <summary>The write that <see cref="TryStart"/> started.</summary>
    private JournalWrite _started;

    internal CommitJournal(
        JournalFiles files, JournalStart start, FailStop failStop, ICommitListener listener, bool background,
        long maxChunkBytes = FormatConstants.MaxChunkBytes, TimeProvider? time = null)
    {
        Latency = new CommitLatency(time ?? TimeProvider.System);
        _files = files;
        _failStop = failStop;
        _listener = listener;
        _chunks = [.. start.Chunks];
        _writer = new CommitWriter(files.Disk, start, Latency);
        _pool = new ChunkPool(files, ChunkKind.Commit, maxChunkBytes);
        _supply = new ChunkSupply(_pool, start.HighestSequence, background ? Latency : null, () => UsedShare);
        try
        {
            _chunk = OpenNext(start.LastPosition.Sequence, FormatConstants.MinChunkBytes, 0);
        }
        catch
        {
            _supply.Dispose();
            _writer.Dispose();
            throw;
        }

        _filling.Begin(1, FormatConstants.ChunkBodyOffset);
    }

    /// <summary>Write calls on commit chunks.</summary>
    internal long Writes => _writer.Writes;

    /// <summary>How long durable writes take beside work in the background and without it.</summary>
    internal CommitLatency Latency { get; }

    /// <summary>How much of the chunk in use is used; a guess for those who do not hold the gate.</summary>
    private double UsedShare => _chunk is { } chunk ? _filling.StartOffset / (double)chunk.Chunk.Bytes : 0;

    internal long SupplyWakeUps => _supply.WakeUps;

    internal long BytesWritten => _writer.BytesWritten;

    internal long Syncs => _writer.Syncs;

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

    /// <summary>
    /// Puts a commit record at the end of the journal and starts writing it, when nobody is writing: false, with nothing done, otherwise.
    /// The caller, who holds the writer lock, makes the transaction's pages while the device works, leaves the lock, and lands.
    /// </summary>
    internal bool TryStart(TransactionId id, ReadOnlySpan<byte> body, uint fragmentCount, bool onDevice)
    {
        if (body.Length > MaxBodyBytes || Sabotage.Is(SabotageRule.AcknowledgeEarly))
        {
            return false;
        }

        lock (_gate)
        {
            _failStop.ThrowIfPoisoned();
            if (_isWriting || !HasRoom(CommitBatch.RecordBytes(body.Length)))
            {
                return false;
            }

            _filling.Add(
                new RecordHeader { Flags = RecordFlags.Commit, TransactionId = id.Value, FragmentCount = fragmentCount }, body);
            _started = TakeBatch(onDevice);
        }

        try
        {
            _writer.Start(_chunk, _started.Batch!, _started.OnDevice);
        }
        catch (Exception error)
        {
            _failStop.Poison(error);
        }

        return true;
    }

    /// <summary>
    /// Waits for the write that the caller has started. Unless its transaction's pages could not be made, it is published.
    /// </summary>
    internal void Land(bool isMade)
    {
        bool succeeded = isMade && !_failStop.IsPoisoned;
        try
        {
            _writer.Wait();
        }
        catch (Exception error)
        {
            _failStop.Poison(error);
            succeeded = false;
        }

        lock (_gate)
        {
            End(_started, succeeded);
        }

        if (!succeeded)
        {
            Throw.OutcomeUnknown(_failStop.FirstError!);
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
        lock (_gate)
        {
            while (_isWriting)
            {
                Monitor.Wait(_gate);
            }
        }

        _supply.Dispose();
        _chunk.Dispose();

        // The one that was ready names the present one as its predecessor: its end must be durable before the present one goes.
        bool unused = _filling.IsEmpty && _filling.StartOffset == FormatConstants.ChunkBodyOffset && !_failStop.IsPoisoned;
        if (unused && !_files.Disk.SyncDirectory(_files.Directory).Failed)
        {
            _pool.Discard(_chunk.Chunk);
        }

        _writer.Dispose();
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

            _writer.Leave(_chunk);
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
        JournalWrite write = TakeBatch(onDevice);
        CommitChunk chunk = _chunk;
        Monitor.Exit(_gate);
        bool succeeded = false;
        try
        {
            _writer.Write(chunk, write.Batch, write.OnDevice);
            succeeded = true;
        }
        catch (Exception error)
        {
            // Whatever it was, nobody knows what is on the device now; those who wait are told by the latch.
            _failStop.Poison(error);
        }

        Monitor.Enter(_gate);
        End(write, succeeded);
    }

    /// <summary>Takes the filling batch away to write it; the next records go to another one. The caller holds the gate.</summary>
    private JournalWrite TakeBatch(bool onDevice)
    {
        _isWriting = true;
        CommitBatch batch = _filling;
        if (batch.IsEmpty)
        {
            return new JournalWrite(null, batch.Number - 1, onDevice);
        }

        _filling = _writing;
        _writing = batch;
        _filling.Begin(batch.Number + 1, batch.StartOffset + batch.WriteBytes);
        return new JournalWrite(batch, batch.Number, onDevice || batch.NeedsDevice);
    }

    /// <summary>The write has ended; whoever waits looks again. The caller holds the gate.</summary>
    private void End(JournalWrite write, bool succeeded)
    {
        _isWriting = false;
        if (succeeded)
        {
            _writtenBatch = Math.Max(_writtenBatch, write.Number);
            if (write.OnDevice)
            {
                _durableBatch = _writtenBatch;
                _writer.IsOnDevice();
            }

            _listener.Committed(_writer.Mark, write.OnDevice);
        }

        Monitor.PulseAll(_gate);
    }
}
