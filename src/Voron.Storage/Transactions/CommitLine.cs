using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// The way of a commit from sealed to published. States in the order of ids: durable ≤ written ≤ visible ≤ sealed. The writer lock is held
/// until a transaction is sealed; then the next one may build on it, while the journal makes it durable and publishes it.
/// <para>A lazy transaction is visible as soon as it is sealed, unless one before it still has to be written before it may be seen. Only
/// lazy ones can be visible and not yet written.</para>
/// <para>Live snapshots, which keep page versions: readers', a running checkpoint's (it registers at the last written one, then makes that
/// durable), the last written one, the one that a write in flight ends with, the last sealed one and all after it.</para>
/// </summary>
internal sealed class CommitLine : ICommitListener
{
    private readonly VersionTable _versions;
    private readonly ReclaimQueue _reclaim;
    private readonly ReaderTable _readers;
    private readonly List<long> _live = [];
    private readonly Gate _markGate;

    /// <summary>Transactions since the readers were last looked through. Guarded by the writer lock.</summary>
    private int _sinceReclaim;

    /// <summary>So many of the live snapshots are readers'; a checkpoint's is behind them.</summary>
    private int _liveReaders;
    private RecordMark _mark;
    private CommitJournal? _journal;
    private long _durable;
    private long _sealed;
    private long _commits;
    private long _unfinished;
    private long _seals;

    /// <summary>The last transaction of a commit record that was written.</summary>
    private long _written;

    /// <summary>The last sealed transaction that is not lazy.</summary>
    private long _lastOrdinary;

    /// <summary>Flushes that somebody has asked for and not seen the end of.</summary>
    private long _flushing;

    internal CommitLine(VersionTable versions, ReclaimQueue reclaim, ReaderTable readers, FailStop failStop, WriterLock writerLock)
    {
        _versions = versions;
        _markGate = new Gate(versions.Turns);
        _reclaim = reclaim;
        _readers = readers;
        FailStop = failStop;
        Lock = writerLock;
    }

    internal FailStop FailStop { get; }

    internal WriterLock Lock { get; }

    internal TransactionId LastSealed => new(Volatile.Read(ref _sealed));

    internal TransactionId LastDurable => new(Volatile.Read(ref _durable));

    /// <summary>Transactions committed since the environment was opened.</summary>
    internal long Commits => Volatile.Read(ref _commits);

    /// <summary>Sealed transactions whose callers have not been told yet. Exact for the holder of the writer lock.</summary>
    internal long Completing => Volatile.Read(ref _seals) - Volatile.Read(ref _commits) - Volatile.Read(ref _unfinished)
        + Volatile.Read(ref _flushing);

    /// <summary>Lazy transactions are visible that no write has taken along yet.</summary>
    internal bool IsAheadOfJournal => _versions.Visible > Volatile.Read(ref _written);

    /// <summary>Called when something was committed, to see whether a checkpoint is due. Must be quick and must not throw.</summary>
    internal Action? AfterCommit { get; set; }

    /// <summary>
    /// The state that recovery has reached: what the data file holds, then each replayed transaction. All of it is durable already.
    /// </summary>
    internal void StartAt(RecordMark mark)
    {
        _mark = mark;
        _sealed = mark.TransactionId.Value;
        _durable = mark.TransactionId.Value;
        _written = mark.TransactionId.Value;
        _lastOrdinary = mark.TransactionId.Value;
        _versions.Publish(mark.TransactionId.Value);
    }

    internal void Attach(CommitJournal journal) => _journal = journal;

    internal CommitTicket Seal(TransactionId id, ReadOnlySpan<byte> body, uint fragments, CommitMode mode)
    {
        bool isLazy = mode == CommitMode.Lazy;
        CommitTicket ticket = _journal!.Seal(id, RecordFlags.Commit, body, 0, fragments, mode == CommitMode.Durable, isLazy);
        Sealed(id, isLazy);
        if (isLazy)
        {
            using (_markGate.Hold())
            {
                PublishUpTo(Volatile.Read(ref _written));
            }
        }

        return ticket;
    }

    internal void SealFragment(TransactionId id, ReadOnlySpan<byte> body, uint number) =>
        _journal!.Seal(id, RecordFlags.Fragment, body, number, 0);

    internal void Complete(CommitTicket ticket, CommitMode mode)
    {
        bool succeeded = false;
        try
        {
            if (mode != CommitMode.Lazy)
            {
                _journal!.Complete(ticket, mode == CommitMode.Durable);
            }

            AfterCommit?.Invoke();
            succeeded = true;
        }
        finally
        {
            Told(succeeded);
        }
    }

    /// <summary>
    /// Writes what was sealed. Asynchronous commits have no caller who would: before the environment closes this is their last chance.
    /// </summary>
    internal void WriteSealed()
    {
        if (!FailStop.IsPoisoned)
        {
            _journal!.Flush();
        }
    }

    /// <summary>
    /// Seals a transaction whose pages are still to be made, and starts its way to the device; false when that cannot be now. <see
    /// cref="Land"/> follows.
    /// </summary>
    internal bool TryStart(TransactionId id, ReadOnlySpan<byte> body, uint fragments, CommitMode mode)
    {
        bool started = _journal!.TryStart(id, body, fragments, mode == CommitMode.Durable);
        if (started)
        {
            Sealed(id, isLazy: false);
        }

        return started;
    }

    /// <summary>
    /// Returns when the started transaction is as safe as its mode promises and published. One whose pages could not be made poisons the
    /// environment: its record may be on the device.
    /// </summary>
    internal void Land(Exception? failure)
    {
        bool succeeded = false;
        try
        {
            if (failure is not null)
            {
                FailStop.Poison(failure);
            }

            _journal!.Land(isMade: failure is null);
            AfterCommit?.Invoke();
            succeeded = true;
        }
        finally
        {
            Told(succeeded);
        }
    }

    /// <summary>
    /// Registers a checkpoint at the last written snapshot and gives that snapshot's commit record. The snapshot need not be durable yet.
    /// </summary>
    internal RecordMark RegisterCheckpoint()
    {
        using (_markGate.Hold())
        {
            // Under this gate no other snapshot becomes the last written one, so nobody frees what this one sees.
            _readers.Pin.TryRegisterAt(_mark.TransactionId.Value);
            return _mark;
        }
    }

    void ICommitListener.Committed(in RecordMark written, bool isDurable)
    {
        using (_markGate.Hold())
        {
            _mark = written;
            Volatile.Write(ref _written, written.TransactionId.Value);
            PublishUpTo(written.TransactionId.Value);
        }

        if (isDurable)
        {
            Volatile.Write(ref _durable, written.TransactionId.Value);
        }
    }

    /// <summary>As <see cref="Complete"/>, without a thread that waits.</summary>
    internal ValueTask CompleteAsync(CommitTicket ticket, CommitMode mode)
    {
        bool succeeded = false;
        try
        {
            ValueTask completion = mode == CommitMode.Lazy
                ? ValueTask.CompletedTask
                : _journal!.CompleteAsync(ticket, mode == CommitMode.Durable);
            AfterCommit?.Invoke();
            succeeded = true;
            return completion;
        }
        finally
        {
            Told(succeeded);
        }
    }

    /// <summary>
    /// The last step of a commit: the environment is not closed before it, so whatever a commit uses is still there until then.
    /// </summary>
    private void Told(bool succeeded) => Interlocked.Increment(ref succeeded ? ref _commits : ref _unfinished);

    internal void LeaveWriterLock() => Lock.Exit();

    /// <summary>A flush begins; the environment is not closed before its end.</summary>
    internal void BeginFlush() => Interlocked.Increment(ref _flushing);

    internal void EndFlush() => Interlocked.Decrement(ref _flushing);

    /// <summary>Frees page versions that no live snapshot sees. The caller holds the writer lock.</summary>
    internal void ReclaimVersions(bool everything = false)
    {
        if (!everything && IsTooSoon())
        {
            return;
        }

        _sinceReclaim = 0;
        using (_versions.Gate.Hold())
        {
            // What is visible and written is read before the readers are: a reader that registers later is at least at the visible
            // snapshot, or finds that it is no longer visible and tries again, and a checkpoint is at least at the written one. The
            // readers are read under the gate: what a checkpoint unlinked before may be in the hands
            // of any reader registered by then.
            long taken = LastTaken;
            long visible = _versions.Visible;
            long seen = Math.Min(visible, Volatile.Read(ref _written));
            _versions.Turns?.Pass(TurnPoint.Reclaim);
            _live.Clear();
            _liveReaders = _readers.CollectSnapshots(_live);
            _versions.Turns?.Pass(TurnPoint.Reclaim);
            ReadOnlySpan<long> live = CollectionsMarshal.AsSpan(_live);
            _reclaim.ReclaimFresh(taken, visible, live);
            _reclaim.Reclaim(seen, live, _liveReaders, everything);
        }
    }

    /// <summary>
    /// Looking through the readers takes a step for each, so beside many open ones it waits until transactions, and the pages they have
    /// replaced, are in proportion to them. What is not freed now is freed later: a version that waits is never in the way of a reader.
    /// </summary>
    private bool IsTooSoon()
    {
        const int ReadersPerTransaction = 64;
        _sinceReclaim++;
        return (_sinceReclaim * (long)ReadersPerTransaction) + _reclaim.FreshCount < _readers.FurtherInUse;
    }

    /// <summary>
    /// What a checkpoint may register at from now on: this snapshot, the last written one, or the last sealed one, which stays what it is
    /// while the caller holds the writer lock. Before the first write that is the recovered one. Without a journal, in replay, everything.
    /// </summary>
    private long LastTaken => _journal is { } journal ? Math.Max(journal.LastTaken, LastOnDisk) : long.MaxValue;

    private long LastOnDisk => Volatile.Read(ref _written);

    private void Sealed(TransactionId id, bool isLazy)
    {
        Volatile.Write(ref _seals, _seals + 1);
        if (!isLazy)
        {
            // Before it counts as sealed: who publishes up to the last sealed one must know of it.
            Volatile.Write(ref _lastOrdinary, id.Value);
        }

        Volatile.Write(ref _sealed, id.Value);
    }

    /// <summary>Publishes what was written, and the lazy transactions behind it. The caller holds the gate of the mark.</summary>
    private void PublishUpTo(long written)
    {
        long newest = Volatile.Read(ref _sealed);
        newest = Volatile.Read(ref _lastOrdinary) <= written ? newest : written;
        newest = Math.Max(newest, written);
        if (newest > _versions.Visible)
        {
            _versions.Publish(newest);
        }
    }
}
