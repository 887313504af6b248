using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// The append side of the commit journal. Records are sealed one at a time, in order of transactions, into the filling batch; the caller
/// that needs it on the device and finds nobody writing writes it, and whoever arrives meanwhile fills the next batch and goes out
/// together. One write in flight at a time; a write never rewrites a block that holds an acknowledged record.
/// <para>A failed write or sync leaves the outcome unknown: everybody who waits gets that, and nothing is ever written again.</para>
/// </summary>
internal sealed partial class CommitJournal : IDisposable
{
    private readonly FailStop _failStop;
    private readonly ICommitListener _listener;
    private readonly WaitGate _gate;
    private readonly CommitChunks _chunks;
    private readonly CommitWriter _writer;
    private readonly BatchPair _batches;
    private readonly BatchWaiters _waiters;
    private readonly GroupDelay _delay;
    private readonly bool _hasBackground;
    private int _gateWaiters;

    internal CommitJournal(
        JournalFiles files, JournalStart start, FailStop failStop, ICommitListener listener, bool background,
        long maxChunkBytes = FormatConstants.MaxChunkBytes, TimeProvider? time = null, LazyWindow? lazy = null,
        StorageObserver? observer = null)
    {
        LazyWindow window = lazy ?? LazyWindow.Default;
        _hasBackground = background;
        Latency = new CommitLatency(time ?? TimeProvider.System, observer);
        _gate = new WaitGate(files.Turns);
        _delay = new GroupDelay(Latency, files.Turns);
        _failStop = failStop;
        _listener = listener;
        _batches = new BatchPair();
        try
        {
            _chunks = new CommitChunks(files, start, maxChunkBytes, background ? Latency : null, () => UsedShare);
        }
        catch
        {
            _batches.Dispose();
            throw;
        }

        _writer = new CommitWriter(files.Disk, start, listener, Latency, failStop);
        _waiters = new BatchWaiters(new CommitPump(WriteWhatIsWanted, window.Time, files.Turns), window.Bytes, files.Turns);
        _batches.Filling.Begin(1, FormatConstants.ChunkBodyOffset);
    }

    /// <summary>Write calls on commit chunks.</summary>
    internal long Writes => _writer.Writes;

    /// <summary>How long durable writes take beside work in the background and without it.</summary>
    internal CommitLatency Latency { get; }

    internal long SupplyWakeUps => _chunks.SupplyWakeUps;

    internal long BytesWritten => _writer.BytesWritten;

    /// <summary>Most transactions that went out with one write.</summary>
    internal int LargestGroup => _writer.LargestGroup;

    internal long Syncs => _writer.Syncs;

    /// <summary>Length of all commit chunks, spare ones included.</summary>
    internal long JournalBytes => _chunks.Bytes;

    internal CommitChunks Chunks => _chunks;

    /// <summary>
    /// The last transaction whose write has begun; only this one, or the last one sealed at some time from now on, will be the last one
    /// written.
    /// </summary>
    internal long LastTaken => _batches.LastTaken;

    /// <summary>How much of the chunk in use is used; a guess for those who do not hold the gate.</summary>
    private double UsedShare => _batches.Filling.StartOffset / (double)Math.Max(1, _chunks.CurrentBytes);

    /// <summary>
    /// Puts a record at the end of the journal. One caller at a time (it holds the writer lock). What is to be on the device is not written
    /// without it by somebody who needs less: nobody may see it sooner. Throws StorageFullException, with nothing changed, when a new chunk
    /// is needed and cannot be made.
    /// </summary>
    internal CommitTicket Seal(
        TransactionId id, RecordFlags flags, ReadOnlySpan<byte> body, uint fragmentNumber, uint fragmentCount, bool onDevice = false,
        bool isLazy = false)
    {
        int bytes = CommitBatch.RecordBytes(body.Length);
        while (true)
        {
            using (_gate.Hold())
            {
                // Room and place are decided in one hold of the gate: a caller that takes the batch away in between moves the place of
                // the next record to the next block, and the record that had room would reach beyond the end of its chunk.
                _failStop.ThrowIfPoisoned();
                CommitBatch filling = _batches.Filling;
                if (_batches.HasRoom(bytes, _chunks.CurrentBytes))
                {
                    filling.Add(
                        new RecordHeader
                        {
                            Flags = flags, TransactionId = id.Value, FragmentNumber = fragmentNumber, FragmentCount = fragmentCount,
                        },
                        body,
                        onDevice);
                    if (isLazy && _hasBackground)
                    {
                        _waiters.LeaveForLater(filling, bytes);
                    }
                    else if (filling.HasFragment && _hasBackground && !_batches.IsWriting)
                    {
                        _waiters.LeaveToPump();
                    }

                    return new CommitTicket(filling.Number);
                }

                if (!filling.IsEmpty)
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
        JournalWrite write;
        using (_gate.Hold())
        {
            _failStop.ThrowIfPoisoned();
            if (_batches.IsWriting || !_batches.HasRoom(CommitBatch.RecordBytes(body.Length), _chunks.CurrentBytes))
            {
                return false;
            }

            _batches.Filling.Add(
                new RecordHeader { Flags = RecordFlags.Commit, TransactionId = id.Value, FragmentCount = fragmentCount }, body, onDevice);
            write = _batches.Take(onDevice);
        }

        _writer.Start(_chunks.Current!, write);
        return true;
    }

    /// <summary>
    /// Waits for the write that the caller has started. Unless its transaction's pages could not be made, it is published.
    /// </summary>
    internal void Land(bool isMade)
    {
        bool succeeded = _writer.TryWait() && isMade && !_failStop.IsPoisoned;
        WakeUps wakeUps;
        using (_gate.Hold())
        {
            wakeUps = End(succeeded);
        }

        wakeUps.Wake();
        if (!succeeded)
        {
            Throw.OutcomeUnknown(_failStop.FirstError!);
        }
    }

    /// <summary>Gives back the chunks before the one that holds the record of the newest durable checkpoint.</summary>
    internal StorageException? Recycle(JournalPosition needed) => _chunks.Recycle(needed);

    /// <summary>
    /// Closes the files. Commits that nobody has written by now never will be.
    /// </summary>
    public void Dispose()
    {
        _waiters.Dispose();
        using (_gate.Hold())
        {
            while (_batches.IsWriting)
            {
                WaitForTheWrite();
            }

            if (!_batches.Filling.IsEmpty)
            {
                _failStop.Poison(new ObjectDisposedException(nameof(CommitJournal)));
                Tell(_batches.Filling)?.WakeAll();
            }

            _waiters.TellSynced(_batches, new ObjectDisposedException(nameof(CommitJournal)));
        }

        _chunks.Dispose();
        _writer.Dispose();
        _batches.Dispose();
    }

    /// <summary>Gets the filling batch out of the way. The caller holds the gate.</summary>
    private void PushOut()
    {
        if (_batches.IsWriting)
        {
            WaitForTheWrite();
        }
        else
        {
            Lead(_batches.Filling.NeedsDevice);
        }
    }

    private void GoOverToNextChunk(int bytes)
    {
        CommitChunk next = _chunks.OpenNext(bytes);
        using (_gate.Hold())
        {
            while (_batches.IsWriting)
            {
                WaitForTheWrite();
            }

            if (_chunks.Current is { } full)
            {
                _writer.Leave(full);
            }

            _chunks.GoOverTo(next);
            _batches.Filling.MoveTo(FormatConstants.ChunkBodyOffset);
        }
    }

    /// <summary>
    /// Writes the filling batch, or, when it is empty, syncs what was written without the device. The caller holds the gate and nobody is
    /// writing.
    /// </summary>
    private void Lead(bool onDevice)
    {
        JournalWrite write = _batches.Take(onDevice);
        CommitChunk chunk = _chunks.Current!;
        _gate.Leave();
        bool succeeded = _writer.TryWrite(chunk, write);
        _gate.Enter();
        WakeUps wakeUps = End(succeeded);
        _gate.Leave();
        wakeUps.Wake();
        _gate.Enter();
    }

    /// <summary>
    /// The write in flight has ended; whoever waits looks again. The caller holds the gate, and wakes when it has left it.
    /// </summary>
    private WakeUps End(bool succeeded)
    {
        JournalWrite write = _batches.InFlight;
        if (succeeded && write.OnDevice)
        {
            _writer.IsOnDevice();
        }

        if (succeeded)
        {
            // Published before it is called done: who sees that his commit is done sees the commit.
            _listener.Committed(_writer.Mark, write.OnDevice);
        }

        _batches.Ended(succeeded);
        _delay.Ended(write.Batch, _batches.Filling);
        _waiters.TellSynced(_batches, OutcomeUnknownIfPoisoned());
        if (_gateWaiters > 0)
        {
            _gate.PulseAll();
        }

        WaitWord? ended = write.Batch is { } batch ? Tell(batch) : null;
        return _failStop.IsPoisoned
            ? new WakeUps(All: ended, AllOfNext: Tell(_batches.Filling))
            : new WakeUps(OneOfNext: _waiters.LetWrite(_batches.Filling), All: ended);
    }
}
