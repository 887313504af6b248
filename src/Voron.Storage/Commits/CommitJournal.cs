using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// The append side of the commit journal. Records are sealed one at a time, in transaction order, into the filling commit group. A caller
/// that needs its record written and finds the journal idle becomes the leader and writes the group. Callers that arrive during the write
/// join the next group. One write is in flight at a time, and a write never rewrites a block that holds an acknowledged record.
/// <para>A failed write or sync leaves the outcome unknown: all waiting callers get that error, and nothing is written afterwards.</para>
/// </summary>
internal sealed partial class CommitJournal : IDisposable
{
    private readonly FailStop _failStop;
    private readonly ICommitListener _listener;
    private readonly WaitGate _gate;
    private readonly CommitChunks _chunks;
    private readonly CommitWriter _writer;
    private readonly CommitGroups _groups;
    private readonly GroupWaiters _waiters;
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
        _gate = new WaitGate();
        _delay = new GroupDelay(Latency);
        _failStop = failStop;
        _listener = listener;
        _groups = new CommitGroups();
        try
        {
            _chunks = new CommitChunks(files, start, maxChunkBytes, background ? Latency : null, () => UsedShare);
        }
        catch
        {
            _groups.Dispose();
            throw;
        }

        _writer = new CommitWriter(files, start, listener, Latency, failStop);
        _waiters = new GroupWaiters(new BackgroundCommitter(WriteWhatIsWanted, window.Time), window.Bytes);
        _groups.Filling.Begin(1, FormatConstants.ChunkBodyOffset);
    }

    internal CommitWriter Writer => _writer;

    /// <summary>Write calls on commit chunks.</summary>
    internal long Writes => _writer.Writes;

    /// <summary>How long durable writes take with and without concurrent background work.</summary>
    internal CommitLatency Latency { get; }

    internal long SupplyWakeUps => _chunks.SupplyWakeUps;

    internal long BytesWritten => _writer.BytesWritten;

    /// <summary>The largest number of transactions in one write.</summary>
    internal int LargestGroup => _writer.LargestGroup;

    internal long Syncs => _writer.Syncs;

    /// <summary>Length of all commit chunks, spare ones included.</summary>
    internal long JournalBytes => _chunks.Bytes;

    internal CommitChunks Chunks => _chunks;

    /// <summary>
    /// The last transaction whose write has begun. Only this one, or one that is the last sealed at some moment from now on, can become the
    /// last one written.
    /// </summary>
    internal TransactionId LastTaken => _groups.LastTaken;

    /// <summary>The used share of the current chunk; only an estimate unless the caller holds the gate.</summary>
    private double UsedShare => _groups.Filling.StartOffset / (double)Math.Max(1, _chunks.CurrentBytes);

    /// <summary>
    /// Appends a record to the journal. One caller at a time (it holds the writer lock). With <paramref name="onDevice"/> the group is
    /// written through even if a buffered commit triggers the write; otherwise the commit could become visible before it is durable. Throws
    /// StorageFullException, with nothing changed, when a new chunk is needed and cannot be created.
    /// </summary>
    internal CommitGroupId Seal(
        TransactionId id, RecordFlags flags, ReadOnlySpan<byte> body, uint fragmentNumber, uint fragmentCount, bool onDevice = false,
        bool isLazy = false)
    {
        int bytes = RecordLayout.RecordBytes(body.Length);
        while (true)
        {
            using (_gate.Hold())
            {
                // Check for room and append under one hold of the gate. If another caller took the group for writing in between, the
                // next record would start at the next block, and a record that had room would reach beyond the end of its chunk.
                _failStop.ThrowIfPoisoned();
                CommitGroup filling = _groups.Filling;
                if (_groups.HasRoom(bytes, _chunks.CurrentBytes))
                {
                    filling.Add(
                        new RecordHeader
                        {
                            Flags = flags, TransactionId = id, FragmentNumber = fragmentNumber, FragmentCount = fragmentCount,
                        },
                        body,
                        onDevice,
                        isAwaited: _writer.Outer is not null);
                    if (isLazy && _hasBackground)
                    {
                        _waiters.LeaveForLater(filling, bytes);
                    }
                    else if (filling.HasFragment && _hasBackground && !_groups.IsWriting)
                    {
                        _waiters.LeaveToPump();
                    }

                    return new CommitGroupId(filling.Number);
                }

                if (!filling.IsEmpty)
                {
                    FlushFilling();
                    continue;
                }
            }

            GoOverToNextChunk(bytes);
        }
    }

    /// <summary>
    /// Appends a commit record and starts writing it if the journal is idle and the chunk has room; otherwise does nothing and returns
    /// false. The caller holds the writer lock. It builds the transaction's pages while the device works, leaves the lock and calls
    /// <see cref="FinishStarted"/>.
    /// </summary>
    internal bool TryStart(TransactionId id, ReadOnlySpan<byte> body, uint fragmentCount, bool onDevice)
    {
        JournalWrite write;
        using (_gate.Hold())
        {
            _failStop.ThrowIfPoisoned();
            bool isBusy = _groups.IsWriting || _writer.Outer is not null;
            if (isBusy || !_groups.HasRoom(RecordLayout.RecordBytes(body.Length), _chunks.CurrentBytes))
            {
                return false;
            }

            _groups.Filling.Add(
                new RecordHeader { Flags = RecordFlags.Commit, TransactionId = id, FragmentCount = fragmentCount }, body, onDevice);
            write = _groups.Take(onDevice);
        }

        _writer.Start(_chunks.Current!, write);
        return true;
    }

    /// <summary>Waits for the write that the caller started; publishes the transaction if it succeeded and the pages are built.</summary>
    internal void FinishStarted(bool isMade)
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

    /// <summary>Recycles the chunks before the one that holds the record of the newest durable checkpoint.</summary>
    internal StorageException? Recycle(JournalPosition needed, BackgroundPace? pace) => _chunks.Recycle(needed, pace);

    /// <summary>Closes the files. Commits that are still unwritten are never written; their callers get an unknown outcome.</summary>
    public void Dispose()
    {
        _waiters.Dispose();
        using (_gate.Hold())
        {
            while (_groups.IsWriting)
            {
                WaitForTheWrite();
            }

            if (!_groups.Filling.IsEmpty)
            {
                _failStop.Poison(new ObjectDisposedException(nameof(CommitJournal)));
                Tell(_groups.Filling)?.WakeAll();
            }

            _waiters.TellSynced(_groups, new ObjectDisposedException(nameof(CommitJournal)));
        }

        _chunks.Dispose();
        _writer.Dispose();
        _groups.Dispose();
    }

    /// <summary>Writes the filling group, or waits for the write in flight. The caller holds the gate.</summary>
    private void FlushFilling()
    {
        _gate.AssertHeld();
        if (_groups.IsWriting)
        {
            WaitForTheWrite();
        }
        else
        {
            WriteAsLeader(_groups.Filling.NeedsDevice);
        }
    }

    private void GoOverToNextChunk(int bytes)
    {
        CommitChunk next = _chunks.OpenNext(bytes);
        using (_gate.Hold())
        {
            while (_groups.IsWriting)
            {
                WaitForTheWrite();
            }

            if (_chunks.Current is { } full)
            {
                _writer.Leave(full);
            }

            _chunks.GoOverTo(next);
            _groups.Filling.MoveTo(FormatConstants.ChunkBodyOffset);
        }
    }

    /// <summary>
    /// Writes the filling group or, if it is empty, syncs earlier buffered writes. The caller holds the gate and no write is in flight.
    /// </summary>
    private void WriteAsLeader(bool onDevice)
    {
        _gate.AssertHeld();
        JournalWrite write = _groups.Take(onDevice);
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
    /// Records the end of the write in flight and returns the waiters to wake. The caller holds the gate, and wakes them after leaving it.
    /// </summary>
    private WakeUps End(bool succeeded)
    {
        _gate.AssertHeld();
        JournalWrite write = _groups.InFlight;
        if (succeeded && write.OnDevice)
        {
            _writer.IsOnDevice();
        }

        if (succeeded)
        {
            // Publish before marking the group done: a caller that sees its commit complete must also see its data.
            _listener.Committed(_writer.Mark, write.OnDevice);
        }

        _groups.Ended(succeeded);
        _delay.Ended(write.Group, _groups.Filling);
        _waiters.TellSynced(_groups, OutcomeUnknownIfPoisoned());
        if (_gateWaiters > 0)
        {
            _gate.PulseAll();
        }

        WaitWord? ended = write.Group is { } group ? Tell(group) : null;
        return _failStop.IsPoisoned
            ? new WakeUps(All: ended, AllOfNext: Tell(_groups.Filling))
            : new WakeUps(OneOfNext: _waiters.LetWrite(_groups.Filling), All: ended);
    }
}
