using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// The environment's one write transaction, reused from one to the next: changes trees, one caller at a time, and ends by commit or
/// rollback. A failure after the first change poisons the transaction; arguments are checked before anything changes.
/// <para>Here is how it begins and ends; what it does to trees, and savepoints, are in files of their own.</para>
/// </summary>
internal sealed partial class WriteSession : SnapshotScope
{
    /// <summary>In replay, which looks for open trees one by one, no more than these stay open from one transaction to the next.</summary>
    private const int MostReplayedTrees = 32;

    private readonly PageWriter _pages;
    private readonly CommitLine _line;
    private readonly TransactionRedo _redo;
    private readonly OpenTreeTable _open = new();
    private readonly TreeChanges _changes;

    /// <summary>While no transaction is open; those of leaked transactions do not come back.</summary>
    private WriteLease? _idleLease;
    private Exception? _poison;
    private OneCaller _caller;

    /// <summary>The thread that began the open transaction; null between transactions.</summary>
    private Thread? _beganOn;

    /// <summary>Held while a leaked transaction is rolled back, so that the environment's memory stays until then.</summary>
    private readonly Lock _leak = new();
    private bool _isDisowned;

    internal WriteSession(PageWriter pages, CommitLine line, StorageLimits limits, int fragmentBytes)
        : base(pages.Source)
    {
        _pages = pages;
        _line = line;
        _redo = new TransactionRedo(line, _open, fragmentBytes);
        _changes = new TreeChanges(pages, _redo, _open);
        Limits = limits;
        _caller.Leave(Generation);
    }

    internal StorageLimits Limits { get; }

    /// <summary>Length of the pieces of a value that is written as a stream.</summary>
    internal int ValuePieceBytes { get; init; } = 1 << 20;

    /// <summary>Told the id of a transaction that nobody had ended when its last handle was collected. It is rolled back by then.</summary>
    internal Action<long>? Leaked { get; set; }

    /// <summary>The transaction serves actions of several callers: none of them may end it.</summary>
    internal bool IsShared { get; set; }

    /// <summary>The open transaction was begun on the calling thread, which may have handed it to another one since.</summary>
    internal bool IsBegunHere => Volatile.Read(ref _beganOn) == Thread.CurrentThread;

    /// <summary>Differs from the value seen before when the transaction was changed, committed or ended in between.</summary>
    internal uint Uses => _caller.Uses;

    /// <summary>Length of the redo notes that have not left.</summary>
    internal int NotedBytes => _redo.Notes.Length;

    /// <summary>Begins the transaction after the last sealed one; the caller holds the writer lock.</summary>
    internal WriteLease Begin()
    {
        long id = _line.LastSealed.Next.Value;
        _line.ReclaimVersions();
        _pages.Begin(id);
        SetSnapshot(id);
        _redo.Begin(new TransactionId(id), isReplay: false);
        WriteLease lease = _idleLease ?? new WriteLease(this);
        _idleLease = null;
        lease.Generation = Generation;
        Volatile.Write(ref _beganOn, Thread.CurrentThread);
        return lease;
    }

    /// <summary>
    /// An action has returned: handles that it has kept are stale from here on. Waits for a call that another thread makes with one of
    /// them. Gives the new generation.
    /// </summary>
    internal long PassOn(WriteLease lease)
    {
        SpinWait spin = default;
        while (!_caller.TryEnter(Generation))
        {
            spin.SpinOnce();
        }

        EndGeneration();
        _caller.Leave(Generation);
        return lease.Generation = Generation;
    }

    /// <summary>Lets the next writer in and returns when the commit is as safe as the mode promises.</summary>
    internal void Commit(WriteLease lease, long generation, CommitMode mode)
    {
        CheckNoWriter();

        // What fails behind a record that is on its way poisons the environment, so nothing that may well fail is left for then.
        bool isWorthIt = _changes.AreWorthOverlapping && mode != CommitMode.Lazy && Source.Versions.Memory.IsAmple;
        if (isWorthIt && TryStart(generation, mode))
        {
            // The device has the record: what is left to do is done while it works.
            _line.Land(FinishStarted(lease));
        }
        else if (Seal(lease, generation, mode) is { IsNone: false } ticket)
        {
            _line.Complete(ticket, mode);
        }
    }

    /// <summary>Lets the next writer in; what is returned ends when the commit is as safe as the mode promises.</summary>
    internal ValueTask CommitAsync(WriteLease lease, long generation, CommitMode mode) =>
        Seal(lease, generation, mode) is { IsNone: false } ticket ? _line.CompleteAsync(ticket, mode) : ValueTask.CompletedTask;

    /// <summary>
    /// The first half of a commit; no ticket when nothing was changed. When the journal has no room, nothing has happened and the
    /// transaction is still open.
    /// </summary>
    internal CommitTicket Seal(WriteLease lease, long generation, CommitMode mode)
    {
        CheckUsable();
        CheckNoWriter();
        CommitTicket ticket = default;
        _caller.Enter(generation);
        try
        {
            if (_redo.HasChanges || _changes.NotedPuts > 0)
            {
                FinishTrees();
                ticket = _redo.Seal(mode);
            }
        }
        catch
        {
            _caller.Leave();
            throw;
        }

        End(lease, committed: !ticket.IsNone);
        return ticket;
    }

    /// <summary>Undoes everything; does nothing when the transaction has ended already.</summary>
    internal void Rollback(WriteLease lease, long generation)
    {
        if (Generation != generation)
        {
            return;
        }

        if (_caller.TryEnter(generation))
        {
            End(lease, committed: false);
        }
        else if (Generation == generation)
        {
            Throw.ConcurrentUse();
        }
    }

    /// <summary>Rolls back a shared transaction that failed; does nothing when it was sealed, and perhaps another one has begun.</summary>
    internal void Abort(WriteLease lease)
    {
        if (IsShared)
        {
            Rollback(lease, Generation);
        }
    }

    /// <summary>Rolls back what nobody can end any more; false when it is in use at this moment.</summary>
    internal bool TryRollbackLeaked(long generation)
    {
        long id;
        lock (_leak)
        {
            if (_isDisowned || Generation != generation)
            {
                return true;
            }

            if (!_caller.TryEnter(generation))
            {
                return false;
            }

            id = Snapshot;
            End(lease: null, committed: false);
        }

        Leaked?.Invoke(id);
        return true;
    }

    /// <summary>The environment goes without waiting: its memory is not there any more when the open transaction is found leaked.</summary>
    internal void Disown()
    {
        lock (_leak)
        {
            _isDisowned = true;
        }
    }

    /// <summary>Leaves the writer lock when a transaction could not begin.</summary>
    internal void Abandon(WriteLease? lease)
    {
        if (Snapshot != Unused)
        {
            EndGeneration();
            _caller.Leave(Generation);
            _pages.Rollback();
            Forget(lease);
        }

        _line.LeaveWriterLock();
    }

    /// <summary>
    /// Begins the replay of all transactions up to this one: the same tree code, but nothing is noted for the journal. To the pages they
    /// are one: nobody sees a state between two of them, so a page that all of them change is made anew once.
    /// </summary>
    internal void BeginReplay(TransactionId last)
    {
        _redo.Begin(last, isReplay: true);
        _pages.Begin(last.Value);
        SetSnapshot(last.Value);
    }

    /// <summary>A recovered transaction is through; the next one begins without savepoints.</summary>
    internal void EndReplayed()
    {
        if (Savepoints > 0)
        {
            ReleaseDepth(Generation, 0);
        }

        if (_open.Count >= MostReplayedTrees)
        {
            _changes.Finish();
            _changes.Forget();
            _open.Clear();
            _redo.Begin(new TransactionId(Snapshot), isReplay: true);
        }
    }

    /// <summary>The replay has failed: what it has changed goes with all the rest.</summary>
    internal void GiveUpReplay() => SetSnapshot(Unused);

    internal void CommitReplay(RecordMark last)
    {
        _changes.Finish();
        _pages.Commit();
        _line.StartAt(last);
        Forget(lease: null);
    }

    internal void CheckUsable()
    {
        if (_poison is not null)
        {
            Throw.Poisoned(_poison);
        }
    }

    private void FinishTrees()
    {
        try
        {
            _changes.Finish();
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
    }

    /// <summary>Seals the transaction before its last puts are made, if its record can be written at once.</summary>
    private bool TryStart(long generation, CommitMode mode)
    {
        CheckUsable();
        bool started = false;
        _caller.Enter(generation);
        try
        {
            _changes.VerifyNotedPuts();
            return started = _redo.TryStart(mode);
        }
        finally
        {
            if (!started)
            {
                _caller.Leave();
            }
        }
    }

    /// <summary>
    /// Makes the started transaction's pages and ends it. A failure here is not the transaction's any more, whose record may be durable.
    /// </summary>
    private Exception? FinishStarted(WriteLease lease)
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

    /// <summary>Ends the transaction. The caller has entered; whoever gets the writer lock next finds the session left.</summary>
    private void End(WriteLease? lease, bool committed)
    {
        EndGeneration();
        if (committed)
        {
            _pages.Commit();
        }
        else
        {
            _pages.Rollback();
        }

        Forget(lease);
        _caller.Leave(Generation);
        _line.LeaveWriterLock();
    }

    private void Forget(WriteLease? lease)
    {
        _open.Clear();
        _changes.Forget();
        _openWriters = 0;
        _savepoints.Clear();
        _poison = null;
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
