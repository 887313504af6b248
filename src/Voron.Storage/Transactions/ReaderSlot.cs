using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// One reader's place. Begin writes only here, in one step with other threads: it takes the place by announcing the visible snapshot in it,
/// and checks that it is still the visible one (else announces again). Together with the fence on the reclaiming side this means: either
/// the reader sees the newer snapshot, or the one who reclaims sees the reader.
/// <para>The transaction's number is a generation of the scope, the one that it began with. Renewing makes handles of trees stale and
/// leaves the transaction's own.</para>
/// </summary>
internal sealed class ReaderSlot(ReaderTable table, PageSource source, CoarseClock clock, int further = ReaderSlot.NotFurther)
    : SnapshotScope(source)
{
    /// <summary>The slot has its place for good: it is some threads' first choice, or the checkpoint's.</summary>
    internal const int NotFurther = -1;

    private const long NoTransaction = 0;

    private long _transaction;
    private long _begunAt;
    private long _warnedGeneration;

#pragma warning disable CS0169, IDE0051 // Padding: two slots must not share a cache line.
    private readonly Padding _padding;
#pragma warning restore CS0169, IDE0051

    /// <summary>The slot's number among those that are lent when the first choices are in use, or <see cref="NotFurther"/>.</summary>
    internal int Further => further;

    /// <summary>While the slot is free: one more than the number of the free slot behind it; 0 for none.</summary>
    internal int NextFree { get; set; }

    /// <summary>The table that the slot belongs to.</summary>
    internal ReaderTable Table => table;

    /// <summary>The transaction that has the slot; negative while it is being renewed, 0 when it has ended.</summary>
    internal long Transaction => Volatile.Read(ref _transaction);

    /// <summary>How long the present snapshot has been held.</summary>
    internal TimeSpan Age => clock.Since(Volatile.Read(ref _begunAt));

    /// <summary>True once for each snapshot that is held. One caller at a time.</summary>
    internal bool TryWarn()
    {
        long generation = Generation;
        bool isFirst = _warnedGeneration != generation;
        _warnedGeneration = generation;
        return isFirst;
    }

    /// <summary>Begins a transaction at the newest visible snapshot, if nobody has the slot.</summary>
    internal bool TryRegister()
    {
        if (Snapshot != Unused)
        {
            return false;
        }

        VersionTable versions = Source.Versions;
        long snapshot = versions.Visible;
        versions.Turns?.Pass(TurnPoint.Register);
        if (!TryAnnounce(snapshot))
        {
            return false;
        }

        versions.Turns?.Pass(TurnPoint.Register);
        AnnounceNewerThan(snapshot);
        BeginTransaction();
        return true;
    }

    /// <summary>
    /// Begins a transaction at a snapshot that somebody else holds, if nobody has the slot. The caller makes sure that no one collects
    /// snapshots meanwhile.
    /// </summary>
    internal bool TryRegisterAt(long snapshot)
    {
        if (Snapshot != Unused || !TryAnnounce(snapshot))
        {
            return false;
        }

        BeginTransaction();
        return true;
    }

    /// <summary>
    /// Goes to the newest visible snapshot; what was read before is void, and so are handles of trees. Another thread may end the
    /// transaction meanwhile: then it has ended, and the slot is given back here.
    /// </summary>
    internal void Renew(long transaction)
    {
        if (Interlocked.CompareExchange(ref _transaction, -transaction, transaction) != transaction)
        {
            CheckTransaction(transaction);
            Throw.ConcurrentRenewal();
        }

        EndGeneration();
        long snapshot = Source.Versions.Visible;
        Source.Versions.Turns?.Pass(TurnPoint.Register);
        AnnounceSnapshot(snapshot);
        Source.Versions.Turns?.Pass(TurnPoint.Register);
        AnnounceNewerThan(snapshot);
        Volatile.Write(ref _begunAt, clock.Now);
        if (Interlocked.CompareExchange(ref _transaction, transaction, -transaction) != -transaction)
        {
            Leave();
            Throw.TransactionEnded();
        }
    }

    internal void CheckTransaction(long transaction)
    {
        long present = Transaction;
        if (present != transaction)
        {
            if (present == -transaction)
            {
                Throw.ConcurrentRenewal();
            }

            Throw.TransactionEnded();
        }
    }

    /// <summary>
    /// Ends the transaction; does nothing when it is not the one that has the slot. One that is being renewed ends at once, and the thread
    /// that renews it gives the slot back.
    /// </summary>
    internal void Release(long transaction)
    {
        if (Interlocked.CompareExchange(ref _transaction, NoTransaction, transaction) == transaction)
        {
            Leave();
        }
        else if (transaction != NoTransaction)
        {
            Interlocked.CompareExchange(ref _transaction, NoTransaction, -transaction);
        }
    }

    private void Leave()
    {
        EndGeneration();
        Source.Versions.Turns?.Pass(TurnPoint.Register);
        SetSnapshot(Unused);
        if (further != NotFurther)
        {
            table.TakeBack(this);
        }
    }

    private void AnnounceNewerThan(long snapshot)
    {
        VersionTable versions = Source.Versions;
        while (versions.Visible is var newest && newest != snapshot)
        {
            snapshot = newest;
            AnnounceSnapshot(snapshot);
            versions.Turns?.Pass(TurnPoint.Register);
        }
    }

    private void BeginTransaction()
    {
        Volatile.Write(ref _begunAt, clock.Now);
        Volatile.Write(ref _transaction, Generation);
    }

    [System.Runtime.CompilerServices.InlineArray(16)]
    private struct Padding
    {
        private long _element;
    }
}
