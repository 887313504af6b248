using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// The way of a commit from sealed to published. States in the order of ids: durable ≤ visible ≤ sealed. The writer lock is held until a
/// transaction is sealed; then the next one may build on it, while the journal makes it durable and publishes it.
/// <para>Live snapshots, which keep page versions: readers', a running checkpoint's (it registers like a reader, then makes its snapshot
/// durable), the visible one and all after it.</para>
/// </summary>
internal sealed class CommitLine : ICommitListener
{
    private readonly VersionTable _versions;
    private readonly ReclaimQueue _reclaim;
    private readonly ReaderTable _readers;
    private readonly List<long> _live = [];
    private readonly Lock _markGate = new();
    private RecordMark _mark;
    private CommitJournal? _journal;
    private long _durable;
    private long _sealed;
    private long _commits;

    internal CommitLine(VersionTable versions, ReclaimQueue reclaim, ReaderTable readers, FailStop failStop, WriterLock writerLock)
    {
        _versions = versions;
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
        _versions.Publish(mark.TransactionId.Value);
    }

    internal void Attach(CommitJournal journal) => _journal = journal;

    internal CommitTicket Seal(TransactionId id, ReadOnlySpan<byte> body, uint fragments)
    {
        CommitTicket ticket = _journal!.Seal(id, RecordFlags.Commit, body, 0, fragments);
        Volatile.Write(ref _sealed, id.Value);
        return ticket;
    }

    internal void SealFragment(TransactionId id, ReadOnlySpan<byte> body, uint number) =>
        _journal!.Seal(id, RecordFlags.Fragment, body, number, 0);

    internal void Complete(CommitTicket ticket, CommitMode mode)
    {
        _journal!.Complete(ticket, mode == CommitMode.Durable);
        Committed();
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
            Volatile.Write(ref _sealed, id.Value);
        }

        return started;
    }

    /// <summary>
    /// Returns when the started transaction is as safe as its mode promises and published. One whose pages could not be made poisons the
    /// environment: its record may be on the device.
    /// </summary>
    internal void Land(Exception? failure)
    {
        if (failure is not null)
        {
            FailStop.Poison(failure);
        }

        _journal!.Land(isMade: failure is null);
        Committed();
    }

    /// <summary>
    /// Registers a checkpoint's slot at the visible snapshot and gives that snapshot's commit record. The snapshot need not be durable yet.
    /// </summary>
    internal RecordMark RegisterCheckpoint(ReaderSlot slot)
    {
        lock (_markGate)
        {
            slot.Register(isCheckpoint: true);
            return _mark;
        }
    }

    void ICommitListener.Committed(in RecordMark written, bool isDurable)
    {
        lock (_markGate)
        {
            _mark = written;
            _versions.Publish(written.TransactionId.Value);
        }

        if (isDurable)
        {
            Volatile.Write(ref _durable, written.TransactionId.Value);
        }
    }

    private void Committed()
    {
        Interlocked.Increment(ref _commits);
        AfterCommit?.Invoke();
    }

    internal void LeaveWriterLock() => Lock.Exit();

    /// <summary>Frees page versions that no live snapshot sees. The caller holds the writer lock.</summary>
    internal void ReclaimVersions(bool everything = false)
    {
        lock (_versions.Gate)
        {
            // Visible is read before the readers are: one that registers later is at least at this snapshot, or finds that it is no
            // longer visible and tries again. The readers are read under the gate: what a checkpoint unlinked before may be in the hands
            // of any reader registered by then.
            long visible = _versions.Visible;
            _live.Clear();
            _readers.CollectSnapshots(_live);
            _reclaim.Reclaim(visible, CollectionsMarshal.AsSpan(_live), everything);
        }
    }
}
