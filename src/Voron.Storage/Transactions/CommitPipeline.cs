using System.Runtime.InteropServices;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>
/// The commit pipeline: from sealed to published. The writer lock is held until a transaction is sealed; then the next one may build on it
/// while the journal makes it durable and publishes it. Invariants:
/// <para>1. durable ≤ written ≤ visible ≤ sealed, by transaction id, and none of them ever decreases.</para>
/// <para>2. written &lt; visible only by lazy transactions: a lazy one becomes visible when it is sealed, unless an earlier transaction
/// must be written before it may become visible.</para>
/// <para>3. A transaction is visible before its commit returns.</para>
/// <para>4. These snapshots are live and keep page versions: those of readers and of a running checkpoint (registered at the last written
/// snapshot, which it then makes durable), the last written one, the last one of the write in flight, the last sealed one and all later
/// ones. A version that none of them sees may be freed.</para>
/// <para>5. A checkpoint registers under _markGate, and _mark changes under it: while it registers, its snapshot stays the last written
/// one.</para>
/// </summary>
internal sealed class CommitPipeline : ICommitListener
{
    private readonly VersionTable _versions;
    private readonly ReclaimQueue _reclaim;
    private readonly ReaderTable _readers;
    private readonly Gate _markGate;

    /// <summary>Guarded by the writer lock.</summary>
    private readonly List<TransactionId> _live = [];

    /// <summary>Transactions since the reader slots were last scanned. Guarded by the writer lock.</summary>
    private int _sinceReclaim;

    /// <summary>
    /// Number of readers' snapshots at the start of _live; a checkpoint's snapshot follows them. Guarded by the writer lock.
    /// </summary>
    private int _liveReaders;

    /// <summary>The last commit record that was written. Guarded by _markGate.</summary>
    private RecordMark _mark;
    private CommitJournal? _journal;

    /// <summary>The last transaction on the device. Written by the thread whose journal write has ended.</summary>
    private long _durable;

    /// <summary>The last transaction whose commit record was written. Written under _markGate.</summary>
    private long _written;

    /// <summary>The last sealed transaction. Written under the writer lock.</summary>
    private long _sealed;

    /// <summary>The last sealed transaction that is not lazy. Written under the writer lock, before _sealed.</summary>
    private long _lastOrdinary;

    /// <summary>Transactions sealed. Written under the writer lock.</summary>
    private long _seals;

    /// <summary>Commits that returned, and those that threw. Changed by interlocked operations, as _flushing.</summary>
    private long _commits;
    private long _unfinished;

    /// <summary>Flushes requested and not yet finished.</summary>
    private long _flushing;

    /// <summary>Completes when more transactions are durable; null if nothing waits for that.</summary>
    private TaskCompletionSource? _nextDurable;

    internal CommitPipeline(VersionTable versions, ReclaimQueue reclaim, ReaderTable readers, FailStop failStop, WriterLock writerLock)
    {
        _versions = versions;
        _markGate = new Gate();
        _reclaim = reclaim;
        _readers = readers;
        FailStop = failStop;
        Lock = writerLock;
    }

    internal FailStop FailStop { get; }

    internal WriterLock Lock { get; }

    /// <summary>The pending trees, of which those that no snapshot sees are forgotten with the versions.</summary>
    internal PendingRoots? Pending { get; set; }

    internal TransactionId LastSealed => new(Volatile.Read(ref _sealed));

    internal TransactionId LastDurable => new(Volatile.Read(ref _durable));

    /// <summary>Transactions committed since the environment was opened.</summary>
    internal long Commits => Volatile.Read(ref _commits);

    /// <summary>Sealed transactions that are not counted as finished, plus running flushes. Exact under the writer lock.</summary>
    internal long Completing => Volatile.Read(ref _seals) - Volatile.Read(ref _commits) - Volatile.Read(ref _unfinished)
        + Volatile.Read(ref _flushing);

    /// <summary>Whether lazy transactions are visible that have not been written yet.</summary>
    internal bool IsAheadOfJournal => _versions.Visible > LastWritten;

    /// <summary>Called when more is on the device, before anything else learns of it. Must be quick and must not throw.</summary>
    internal Action<TransactionId>? DurableChanged { get; set; }

    /// <summary>Called after each commit to check whether a checkpoint is due. Must be quick and must not throw.</summary>
    internal Action? AfterCommit { get; set; }

    /// <summary>
    /// Sets the state that recovery has reached: the data file's, then that after each replay. All of it is already durable.
    /// </summary>
    internal void StartAt(RecordMark mark)
    {
        _mark = mark;
        _sealed = mark.TransactionId.Value;
        _durable = mark.TransactionId.Value;
        _written = mark.TransactionId.Value;
        _lastOrdinary = mark.TransactionId.Value;
        _versions.Publish(mark.TransactionId);
    }

    internal void Attach(CommitJournal journal) => _journal = journal;

    /// <summary>The mode of all commits while an outer log has them first, never lazy; null if each has its own.</summary>
    internal CommitMode? OuterMode { private get; set; }

    /// <summary>Whether an outer log has all commits first.</summary>
    internal bool HasOuterLog => OuterMode is not null;

    internal CommitGroupId Seal(TransactionId id, ReadOnlySpan<byte> body, uint fragments, CommitMode mode)
    {
        bool isLazy = mode == CommitMode.Lazy;
        mode = OuterMode ?? mode;
        CommitGroupId ticket = _journal!.Seal(id, RecordFlags.Commit, body, 0, fragments, mode == CommitMode.Durable, isLazy);
        isLazy &= OuterMode is null;
        Sealed(id, isLazy);
        if (isLazy)
        {
            using (_markGate.Hold())
            {
                PublishUpTo(LastWritten);
            }
        }

        return ticket;
    }

    /// <summary>Seals and publishes a transaction without a record. The next record continues the chain as if there were none.</summary>
    internal void CommitUnlogged(TransactionId id)
    {
        Sealed(id, isLazy: false);
        using (_markGate.Hold())
        {
            _mark = _mark with { TransactionId = id };
            Volatile.Write(ref _written, id.Value);
            PublishUpTo(id);
        }

        Volatile.Write(ref _durable, id.Value);
        AfterCommit?.Invoke();
        CountFinished(succeeded: true);
    }

    internal void SealFragment(TransactionId id, ReadOnlySpan<byte> body, uint number) =>
        _journal!.Seal(id, RecordFlags.Fragment, body, number, 0);

    internal void Complete(CommitGroupId ticket, CommitMode mode)
    {
        bool succeeded = false;
        mode = OuterMode ?? mode;
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
            CountFinished(succeeded);
        }
    }

    /// <summary>
    /// Writes all sealed transactions. No caller waits to write asynchronous commits, so closing the environment writes them here.
    /// </summary>
    internal void WriteSealed()
    {
        if (!FailStop.IsPoisoned)
        {
            _journal!.Flush();
        }
    }

    /// <summary>
    /// Seals a transaction before its page changes are applied and starts writing its record; false if no write can be started now. After
    /// true, the caller must call <see cref="FinishStarted"/>.
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
    /// Returns when the started transaction is published and as durable as its mode promises. If applying its page changes failed, poisons
    /// the environment, since its record may already be on the device.
    /// </summary>
    internal void FinishStarted(Exception? failure)
    {
        bool succeeded = false;
        try
        {
            if (failure is not null)
            {
                FailStop.Poison(failure);
            }

            _journal!.FinishStarted(isMade: failure is null);
            AfterCommit?.Invoke();
            succeeded = true;
        }
        finally
        {
            CountFinished(succeeded);
        }
    }

    /// <summary>
    /// Registers a checkpoint at the last written snapshot and returns that snapshot's commit record. The snapshot need not be durable yet.
    /// </summary>
    internal RecordMark RegisterCheckpoint()
    {
        using (_markGate.Hold())
        {
            // While this lock is held, this snapshot stays the last written one, so no version that it sees is freed.
            _readers.Pin.TryRegisterAt(_mark.TransactionId);
            return _mark;
        }
    }

    void ICommitListener.Committed(in RecordMark written, bool isDurable)
    {
        using (_markGate.Hold())
        {
            _mark = written;
            Volatile.Write(ref _written, written.TransactionId.Value);
            PublishUpTo(written.TransactionId);
        }

        if (isDurable)
        {
            DurableChanged?.Invoke(written.TransactionId);
            Volatile.Write(ref _durable, written.TransactionId.Value);
            SignalDurable();
        }
    }

    /// <summary>Completes when a transaction after this one is durable, or the environment closes.</summary>
    internal Task WaitForDurable(TransactionId seen)
    {
        TaskCompletionSource? next = Volatile.Read(ref _nextDurable);
        if (next is null)
        {
            TaskCompletionSource made = new(TaskCreationOptions.RunContinuationsAsynchronously);
            next = Interlocked.CompareExchange(ref _nextDurable, made, null) ?? made;
        }

        // Read after the exchange: a write that ends from now on finds the source.
        return LastDurable > seen ? Task.CompletedTask : next.Task;
    }

    /// <summary>Wakes what waits for durable transactions.</summary>
    internal void SignalDurable()
    {
        // Order the store of what is durable before the load of the source, as the other side does the other way round.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _nextDurable) is not null)
        {
            Interlocked.Exchange(ref _nextDurable, null)?.TrySetResult();
        }
    }

    /// <summary>Like <see cref="Complete"/>, without blocking a thread.</summary>
    internal ValueTask CompleteAsync(CommitGroupId ticket, CommitMode mode)
    {
        bool succeeded = false;
        mode = OuterMode ?? mode;
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
            CountFinished(succeeded);
        }
    }

    /// <summary>
    /// Counts the commit as finished, its last step: the environment does not close earlier, so everything a commit uses exists until then.
    /// </summary>
    private void CountFinished(bool succeeded) => Interlocked.Increment(ref succeeded ? ref _commits : ref _unfinished);

    internal void LeaveWriterLock() => Lock.Exit();

    /// <summary>Marks the start of a flush; the environment does not close before it ends.</summary>
    internal void BeginFlush() => Interlocked.Increment(ref _flushing);

    internal void EndFlush() => Interlocked.Decrement(ref _flushing);

    /// <summary>Frees page versions that no live snapshot sees. Requires the writer lock.</summary>
    internal void ReclaimVersions(bool everything = false)
    {
        if (!everything && IsTooSoon())
        {
            return;
        }

        _sinceReclaim = 0;
        using (_versions.Gate.Hold())
        {
            // Read the visible and written ids before the readers: a reader that registers later registers at the visible snapshot or a
            // newer one (it retries if its snapshot is no longer the visible one), and a checkpoint at the written one or a newer one.
            // Collect the readers under the lock: a version that a checkpoint unlinked earlier may still be in use
            // by any reader registered by then.
            TransactionId taken = LastTaken;
            TransactionId visible = _versions.Visible;
            TransactionId seen = TransactionId.Min(visible, LastWritten);
            Scheduling.Pass(SchedulingPoint.Reclaim);
            _live.Clear();
            _liveReaders = _readers.CollectSnapshots(_live);
            Scheduling.Pass(SchedulingPoint.Reclaim);
            ReadOnlySpan<TransactionId> live = CollectionsMarshal.AsSpan(_live);
            _reclaim.ReclaimFresh(taken, visible, live);
            _reclaim.Reclaim(seen, live, _liveReaders, everything);
            Pending?.Prune(seen, live);
        }
    }

    /// <summary>Whether versions that the last checkpoint kept may still be in memory, to be freed by the next transactions.</summary>
    internal bool KeepsVersions => _reclaim.HasMore;

    /// <summary>
    /// Scanning costs a step for each open reader, so with many readers it is deferred until the number of transactions, and of the pages
    /// they replaced, is in proportion. Versions not freed now are freed later; keeping one longer never affects a reader.
    /// </summary>
    private bool IsTooSoon()
    {
        const int ReadersPerTransaction = 64;
        _sinceReclaim++;
        return (_sinceReclaim * (long)ReadersPerTransaction) + _reclaim.FreshCount < _readers.FurtherInUse;
    }

    /// <summary>
    /// From now on a checkpoint may register only at this snapshot, the last written one, or the last sealed one, which cannot change while
    /// the caller holds the writer lock. Before the first write it is the recovered snapshot. In replay, without a journal: no limit.
    /// </summary>
    private TransactionId LastTaken => _journal is { } journal
        ? TransactionId.Max(journal.LastTaken, LastWritten)
        : TransactionId.AfterAll;

    internal TransactionId LastWritten => new(Volatile.Read(ref _written));

    private void Sealed(TransactionId id, bool isLazy)
    {
        Volatile.Write(ref _seals, _seals + 1);
        if (!isLazy)
        {
            // Set before _sealed: a thread that publishes up to the last sealed transaction must see it.
            Volatile.Write(ref _lastOrdinary, id.Value);
        }

        Volatile.Write(ref _sealed, id.Value);
    }

    /// <summary>Publishes the written transactions and the lazy ones that follow them. Requires <see cref="_markGate"/>.</summary>
    private void PublishUpTo(TransactionId written)
    {
        _markGate.AssertHeld();
        TransactionId newest = LastSealed;
        newest = Volatile.Read(ref _lastOrdinary) <= written.Value ? newest : written;
        newest = TransactionId.Max(newest, written);
        if (newest > _versions.Visible)
        {
            _versions.Publish(newest);
        }
    }
}
