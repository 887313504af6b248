using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>
/// One reader's slot. Beginning a read writes only here: one compare-exchange takes the slot and announces the visible snapshot in it; the
/// reader then checks that this snapshot is still the visible one and otherwise announces again. With the fence on the reclaiming side,
/// either the reader sees the newer snapshot or the reclaiming thread sees the reader.
/// <para>The occupant is the transaction in the slot, named by the generation of the scope at its begin. Renewing makes handles of trees
/// stale, but not the transaction's own handle.</para>
/// </summary>
internal sealed class ReaderSlot(ReaderTable table, PageSource source, CoarseClock clock, int further = ReaderSlot.NotFurther)
    : SnapshotScope(source)
{
    /// <summary>Number of a slot that is never lent: a first-choice slot or the checkpoint's.</summary>
    internal const int NotFurther = -1;

    private const long NoOccupant = 0;

    private long _occupant;
    private long _begunAt;
    private long _warnedGeneration;

#pragma warning disable CS0169, IDE0051 // Padding: two slots must not share a cache line.
    private readonly Padding _padding;
#pragma warning restore CS0169, IDE0051

    /// <summary>The slot's number among the further slots, lent when the first choices are in use, or <see cref="NotFurther"/>.</summary>
    internal int Further => further;

    /// <summary>While the slot is free: the number of the next free slot plus 1; 0 for none.</summary>
    internal int NextFree { get; set; }

    /// <summary>The table that the slot belongs to.</summary>
    internal ReaderTable Table => table;

    /// <summary>The transaction in the slot: negated while it is being renewed, 0 when it has ended.</summary>
    internal long Occupant => Volatile.Read(ref _occupant);

    /// <summary>How long the current snapshot has been held.</summary>
    internal TimeSpan Age => clock.Since(Volatile.Read(ref _begunAt));

    /// <summary>Returns true once for each snapshot held. Not safe for concurrent callers.</summary>
    internal bool TryWarn()
    {
        long generation = Generation;
        bool isFirst = _warnedGeneration != generation;
        _warnedGeneration = generation;
        return isFirst;
    }

    /// <summary>Begins a transaction at the newest visible snapshot; false if the slot is in use.</summary>
    internal bool TryRegister()
    {
        if (Snapshot != Unused)
        {
            return false;
        }

        VersionTable versions = Source.Versions;
        TransactionId snapshot = versions.Visible;
        Scheduling.Pass(SchedulingPoint.Register);
        if (!TryAnnounce(snapshot))
        {
            return false;
        }

        Scheduling.Pass(SchedulingPoint.Register);
        AnnounceNewerThan(snapshot);
        BeginTransaction();
        return true;
    }

    /// <summary>
    /// Begins a transaction at a snapshot that is already held elsewhere; false if the slot is in use. The caller ensures that no thread
    /// collects snapshots meanwhile.
    /// </summary>
    internal bool TryRegisterAt(TransactionId snapshot)
    {
        if (Snapshot != Unused || !TryAnnounce(snapshot))
        {
            return false;
        }

        BeginTransaction();
        return true;
    }

    /// <summary>
    /// Moves to the newest visible snapshot; values read before and handles of trees become invalid. If another thread ends the transaction
    /// meanwhile, it stays ended and this thread gives the slot back.
    /// </summary>
    internal void Renew(long occupant)
    {
        if (Interlocked.CompareExchange(ref _occupant, -occupant, occupant) != occupant)
        {
            CheckOccupant(occupant);
            Throw.ConcurrentRenewal();
        }

        EndGeneration();
        TransactionId snapshot = Source.Versions.Visible;
        Scheduling.Pass(SchedulingPoint.Register);
        AnnounceSnapshot(snapshot);
        Scheduling.Pass(SchedulingPoint.Register);
        AnnounceNewerThan(snapshot);
        Volatile.Write(ref _begunAt, clock.Now);
        if (Interlocked.CompareExchange(ref _occupant, occupant, -occupant) != -occupant)
        {
            Leave();
            Throw.TransactionEnded();
        }
    }

    internal void CheckOccupant(long occupant)
    {
        long present = Occupant;
        if (present != occupant)
        {
            if (present == -occupant)
            {
                Throw.ConcurrentRenewal();
            }

            Throw.TransactionEnded();
        }
    }

    /// <summary>
    /// Ends the transaction; does nothing if another one is in the slot. A transaction that is being renewed ends at once, and the
    /// renewing thread gives the slot back.
    /// </summary>
    internal void Release(long occupant)
    {
        if (Interlocked.CompareExchange(ref _occupant, NoOccupant, occupant) == occupant)
        {
            Leave();
        }
        else if (occupant != NoOccupant)
        {
            Interlocked.CompareExchange(ref _occupant, NoOccupant, -occupant);
        }
    }

    private void Leave()
    {
        EndGeneration();
        Scheduling.Pass(SchedulingPoint.Register);
        SetSnapshot(Unused);
        if (further != NotFurther)
        {
            table.TakeBack(this);
        }
    }

    private void AnnounceNewerThan(TransactionId snapshot)
    {
        VersionTable versions = Source.Versions;
        while (versions.Visible is var newest && newest != snapshot)
        {
            snapshot = newest;
            AnnounceSnapshot(snapshot);
            Scheduling.Pass(SchedulingPoint.Register);
        }
    }

    private void BeginTransaction()
    {
        Volatile.Write(ref _begunAt, clock.Now);
        Volatile.Write(ref _occupant, Generation);
    }

    [System.Runtime.CompilerServices.InlineArray(16)]
    private struct Padding
    {
        private long _element;
    }
}
