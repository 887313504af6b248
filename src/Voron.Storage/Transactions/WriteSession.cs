using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;

namespace Voron.Storage.Transactions;

/// <summary>
/// The environment's only write transaction; the object is reused for each one. Changes trees for one caller at a time and ends by commit
/// or rollback, which are here; what it changes meanwhile goes through its trees, values and savepoints.
/// </summary>
internal sealed partial class WriteSession : SnapshotScope
{
    /// <summary>Most trees that replay keeps open between transactions, since it searches the open trees linearly.</summary>
    private const int MostReplayedTrees = 32;

    private readonly PageWriter _pages;
    private readonly CommitPipeline _pipeline;
    private readonly TransactionRedo _redo;
    private readonly OpenTreeTable _open = new();
    private readonly TreeChanges _changes;
    private readonly SessionFrame _frame;

    /// <summary>The lease kept for reuse while no transaction is open; leases of leaked transactions are not reused.</summary>
    private WriteHandle? _idleLease;

    /// <summary>The thread that began the open transaction; null between transactions.</summary>
    private Thread? _beganOn;

    internal WriteSession(PageWriter pages, CommitPipeline pipeline, StorageLimits limits, int fragmentBytes, PendingLimits pending)
        : base(pages.Source)
    {
        _pages = pages;
        _pipeline = pipeline;
        _redo = new TransactionRedo(pipeline, _open, fragmentBytes);
        _changes = new TreeChanges(pages, _redo, _open, pending);
        _frame = new SessionFrame(Generation);
        Limits = limits;
        Trees = new SessionTrees(this, _frame, _open, _changes, limits);
        Values = new SessionValues(_frame, _open, _changes, limits);
        Leaks = new SessionLeaks(this);
        Savepoints = new SessionSavepoints(_frame, Trees, Values, _changes, pages, _redo, _open);
    }

    internal StorageLimits Limits { get; }

    internal SessionTrees Trees { get; }

    internal SessionValues Values { get; }

    internal SessionSavepoints Savepoints { get; }

    /// <summary>Redo of a transaction up to which its large values are written through the journal, in bytes.</summary>
    internal int JournalledBytes { init => _changes.JournalledBytes = value; }

    /// <summary>Length in bytes of the pieces of a value that is written as a stream.</summary>
    internal int ValuePieceBytes { get; init; } = 1 << 20;

    internal SessionLeaks Leaks { get; }

    internal TransactionRedo Redo => _redo;

    /// <summary>Whether the transaction runs the actions of several callers, none of which may end it.</summary>
    internal bool IsShared { get; set; }

    /// <summary>Whether the calling thread began the open transaction; it may have handed it to another thread since.</summary>
    internal bool IsBegunHere => Volatile.Read(ref _beganOn) == Thread.CurrentThread;

    /// <summary>A value that changes whenever the transaction is changed, committed or ended.</summary>
    internal uint Uses => _frame.Uses;

    /// <summary>Begins the transaction after the last sealed one. Requires the writer lock.</summary>
    internal WriteHandle Begin()
    {
        TransactionId id = _pipeline.LastSealed.Next;
        _pipeline.ReclaimVersions();
        _pages.Begin(id);
        SetSnapshot(id);
        _redo.Begin(id, isReplay: false);
        Pending.Begin(id);
        WriteHandle lease = _idleLease ?? new WriteHandle(this);
        _idleLease = null;
        lease.Generation = Generation;
        Volatile.Write(ref _beganOn, Thread.CurrentThread);
        return lease;
    }

    /// <summary>
    /// Makes the handles stale that a returned action may have kept, after waiting for any call that another thread is making with one of
    /// them. Returns the new generation.
    /// </summary>
    internal long PassOn(WriteHandle lease)
    {
        SpinWait spin = default;
        while (!_frame.TryEnter(Generation))
        {
            spin.SpinOnce();
        }

        EndGeneration();
        _frame.Leave(Generation);
        return lease.Generation = Generation;
    }

    /// <summary>Seals the transaction, leaves the writer lock and returns when the commit is as durable as the mode promises.</summary>
    internal void Commit(WriteHandle lease, long generation, CommitMode mode)
    {
        Values.CheckNoWriter();

        // A failure after the record's write has started poisons the environment, so start early only if later failures are unlikely.
        bool isWorthIt = _changes.AreWorthOverlapping && mode == CommitMode.Durable && Source.Versions.Memory.IsAmple;
        if (isWorthIt && TryStart(generation, mode))
        {
            // The record's write has started: apply the rest while the device works.
            _pipeline.FinishStarted(FinishStarted(lease));
        }
        else if (Seal(lease, generation, mode) is { IsNone: false } ticket)
        {
            _pipeline.Complete(ticket, mode);
        }
    }

    /// <summary>Seals and leaves the writer lock; the task completes when the commit is as durable as the mode promises.</summary>
    internal ValueTask CommitAsync(WriteHandle lease, long generation, CommitMode mode) =>
        Seal(lease, generation, mode) is { IsNone: false } ticket ? _pipeline.CompleteAsync(ticket, mode) : ValueTask.CompletedTask;

    /// <summary>
    /// The first half of a commit; returns no ticket if nothing was changed. If the journal has no room, throws with nothing committed and
    /// the transaction still open.
    /// </summary>
    internal CommitGroupId Seal(WriteHandle lease, long generation, CommitMode mode)
    {
        Finish(generation);
        if (!Pending.HasTrees)
        {
            return SealFinished(lease, mode);
        }

        using (Pending.HoldToSeal())
        {
            return SealFinished(lease, mode);
        }
    }

    /// <summary>Keeps the open transaction out of the journal: it has to end by <see cref="CommitUnlogged"/>.</summary>
    internal void SkipJournal()
    {
        _redo.BeginUnlogged(Snapshot);
        Pending.BeginWithoutChunk(Snapshot);
    }

    /// <summary>Commits a transaction that only a checkpoint makes durable; for a database that is made anew if that fails.</summary>
    internal void CommitUnlogged(WriteHandle lease, long generation)
    {
        Finish(generation);
        _pipeline.CommitUnlogged(Snapshot);
        End(lease, committed: true);
    }

    /// <summary>Enters the session and applies what is deferred.</summary>
    private void Finish(long generation)
    {
        _frame.CheckUsable();
        Values.CheckNoWriter();
        _frame.Enter(generation);
        try
        {
            if (_redo.HasChanges || _changes.NotedPuts > 0)
            {
                _changes.Finish();
            }
        }
        catch (Exception error)
        {
            _frame.Poison(error);
            _frame.Leave();
            throw;
        }
    }

    private CommitGroupId SealFinished(WriteHandle lease, CommitMode mode)
    {
        CommitGroupId ticket = default;
        try
        {
            ticket = _redo.HasChanges ? _redo.Seal(mode) : default;
        }
        catch
        {
            _frame.Leave();
            throw;
        }

        End(lease, committed: !ticket.IsNone);
        return ticket;
    }

    /// <summary>Rolls the transaction back; does nothing if it has already ended.</summary>
    internal void Rollback(WriteHandle lease, long generation)
    {
        if (Generation == generation && _frame.TryEnter(generation))
        {
            End(lease, committed: false);
        }
        else if (Generation == generation)
        {
            Throw.ConcurrentUse();
        }
    }

    /// <summary>Rolls back a failed shared transaction; does nothing if it was sealed, after which another one may have begun.</summary>
    internal void Abort(WriteHandle lease)
    {
        if (IsShared)
        {
            Rollback(lease, Generation);
        }
    }

    /// <summary>Rolls back a transaction that has no handle; false if a thread is inside it right now.</summary>
    internal bool TryEndLeaked(long generation)
    {
        bool isFree = _frame.TryEnter(generation);
        if (isFree)
        {
            End(lease: null, committed: false);
        }

        return isFree;
    }

    /// <summary>Undoes a failed <see cref="Begin"/> and leaves the writer lock.</summary>
    internal void Abandon(WriteHandle? lease)
    {
        if (Snapshot != Unused)
        {
            End(lease, committed: false);
        }
        else
        {
            _pipeline.LeaveWriterLock();
        }
    }

    /// <summary>
    /// Begins the replay of all transactions up to this one, with the same tree code but without writing to the journal. To the page layer
    /// they are one transaction: no reader sees the states between them, so a page that several of them change is copied once.
    /// </summary>
    internal void BeginReplay(TransactionId last, TransactionId onDisk)
    {
        _redo.Begin(last, isReplay: true);
        Pending.Begin(last, isReading: last == onDisk);
        _pages.Begin(last);
        SetSnapshot(last);
    }

    /// <summary>Ends one replayed transaction; the next one begins without savepoints.</summary>
    internal void EndReplayed()
    {
        if (Savepoints.Count > 0)
        {
            Savepoints.ReleaseDepth(Generation, 0);
        }

        _changes.TendPending();
        if (_open.Count >= MostReplayedTrees)
        {
            _changes.Finish();
            _changes.Forget();
            _open.Clear();
            _redo.Begin(Snapshot, isReplay: true);
        }
    }

    /// <summary>Ends a failed replay; its changes are discarded with the environment's memory.</summary>
    internal void GiveUpReplay() => SetSnapshot(Unused);

    internal void CommitReplay(RecordMark last)
    {
        _changes.Finish();
        _pages.Commit();
        Pending.Commit();
        _pipeline.StartAt(last);
        Forget(lease: null);
    }

    /// <summary>Seals the transaction before its deferred puts are applied, if its record can be written at once.</summary>
    private bool TryStart(long generation, CommitMode mode)
    {
        _frame.CheckUsable();
        bool started = false;
        _frame.Enter(generation);
        try
        {
            _changes.VerifyNotedPuts();
            return started = _redo.TryStart(mode);
        }
        finally
        {
            if (!started)
            {
                _frame.Leave();
            }
        }
    }

    /// <summary>
    /// Applies the started transaction's changes and ends it. Returns the failure, which can no longer undo it: its record may be durable.
    /// </summary>
    private Exception? FinishStarted(WriteHandle lease)
    {
        Exception? failure = null;
        try
        {
            _changes.Finish();
        }
        catch (Exception error)
        {
            failure = error;
        }

        End(lease, committed: failure is null);
        return failure;
    }

    /// <summary>Ends the transaction. The caller has entered; leaves the session before the writer lock, for the next writer.</summary>
    private void End(WriteHandle? lease, bool committed)
    {
        EndGeneration();
        if (committed)
        {
            // Before the pages: a checkpoint of this snapshot asks what it needs of the journal.
            Pending.Commit();
            _pages.Commit();
        }
        else
        {
            _pages.Rollback();
            Pending.Rollback();
        }

        Forget(lease);
        _frame.Leave(Generation);
        _pipeline.LeaveWriterLock();
    }

    private void Forget(WriteHandle? lease)
    {
        _open.Clear();
        _changes.Forget();
        Values.Clear();
        Savepoints.Clear();
        _frame.Heal();
        IsShared = false;
        Volatile.Write(ref _beganOn, null);
        SetSnapshot(Unused);
        if (lease is not null)
        {
            lease.Generation = 0;
            _idleLease = lease;
        }
    }
}
