using System.Numerics;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// All reader slots of an environment. A thread finds its own slot again by a hint, so beginning a read touches no shared line while
/// slots do not collide. A checkpoint has a slot of its own, of which there is one, for one checkpoint runs at a time.
/// </summary>
internal sealed class ReaderTable
{
    private const int FirstSlots = 64;

    [ThreadStatic]
    private static int _threadHint;

    private static int _nextHint;

    private readonly PageSource _source;
    private readonly CoarseClock _clock;
    private readonly Lock _grow = new();

    /// <summary>
    /// Held while slots are looked through, and while one snapshot passes to a second slot: a look would otherwise find the second one too
    /// early and the first one too late.
    /// </summary>
    private readonly Gate _look;

    /// <summary>A power of two.</summary>
    private ReaderSlot[] _slots;

    /// <summary>
    /// No slot from here on was ever taken. Raised before one is: who looks through the slots and finds the old value comes before that
    /// reader, as if he had found its slot empty.
    /// </summary>
    private int _endOfTaken;

    internal ReaderTable(PageSource source, TimeProvider time)
    {
        _source = source;
        _clock = new CoarseClock(time);
        _look = new Gate(source.Versions.Turns);
        _slots = MakeSlots([], FirstSlots);
        Pin = new ReaderSlot(this, source, _clock);
    }

    /// <summary>The running checkpoint's slot.</summary>
    internal ReaderSlot Pin { get; }

    /// <summary>
    /// All slots that were ever taken: a look at one costs a miss of the cache, and every write transaction begins with it.
    /// </summary>
    private ReadOnlySpan<ReaderSlot> TakenSlots
    {
        get
        {
            // The end first: the slots it counts are there by then.
            int end = Volatile.Read(ref _endOfTaken);
            return Volatile.Read(ref _slots).AsSpan(0, end);
        }
    }

    internal int OpenReaders
    {
        get
        {
            using Gate.Scope scope = _look.Hold();
            int open = 0;
            foreach (ReaderSlot slot in TakenSlots)
            {
                open += slot.Snapshot == SnapshotScope.Unused ? 0 : 1;
            }

            return open;
        }
    }

    /// <summary>The slots of readers that are open now; each may end at any moment.</summary>
    internal List<ReaderSlot> OpenSlots() =>
        [.. TakenSlots.ToArray().Where(static slot => slot.Snapshot != SnapshotScope.Unused)];

    internal TimeSpan OldestAge
    {
        get
        {
            TimeSpan oldest = TimeSpan.Zero;
            foreach (ReaderSlot slot in TakenSlots)
            {
                if (slot.Transaction != 0 && slot.Age is var age && age > oldest)
                {
                    oldest = age;
                }
            }

            return oldest;
        }
    }

    /// <summary>Begins a read at the newest visible snapshot.</summary>
    internal ReaderSlot Begin()
    {
        int hint = _threadHint;
        if (hint == 0)
        {
            _threadHint = hint = Interlocked.Increment(ref _nextHint);
        }

        while (true)
        {
            ReaderSlot[] slots = Volatile.Read(ref _slots);
            for (int i = 0; i < slots.Length; i++)
            {
                int index = (hint + i) & (slots.Length - 1);
                RaiseEndOfTaken(index);
                if (slots[index].TryRegister())
                {
                    return slots[index];
                }
            }

            Grow(slots);
        }
    }

    /// <summary>Begins another read at the snapshot of a transaction that goes on.</summary>
    internal ReaderSlot Clone(ReaderSlot original, long transaction)
    {
        using Gate.Scope scope = _look.Hold();
        long generation = original.Generation;
        original.CheckTransaction(transaction);
        ReaderSlot clone = BeginAt(original.Snapshot, original);
        if (original.Transaction != transaction || original.Generation != generation)
        {
            // Ended, or renewed, meanwhile: nothing may have kept the snapshot.
            clone.Release(clone.Transaction);
            original.CheckTransaction(transaction);
            Throw.ConcurrentRenewal();
        }

        return clone;
    }

    /// <summary>
    /// Adds the snapshots of all registered readers and, behind them, of the running checkpoint. The caller fences before it decides by
    /// them.
    /// </summary>
    /// <returns>How many are there now without the checkpoint's.</returns>
    internal int CollectSnapshots(List<long> into)
    {
        using Gate.Scope scope = _look.Hold();
        Interlocked.MemoryBarrier();
        foreach (ReaderSlot slot in TakenSlots)
        {
            if (slot.Snapshot is var snapshot and not SnapshotScope.Unused)
            {
                into.Add(snapshot);
            }
        }

        int readers = into.Count;
        if (Pin.Snapshot is var pinned and not SnapshotScope.Unused && !Sabotage.Is(SabotageRule.PinnedNotCounted))
        {
            into.Add(pinned);
        }

        return readers;
    }

    private ReaderSlot BeginAt(long snapshot, ReaderSlot original)
    {
        if (snapshot == SnapshotScope.Unused)
        {
            Throw.TransactionEnded();
        }

        while (true)
        {
            ReaderSlot[] slots = Volatile.Read(ref _slots);
            for (int index = 0; index < slots.Length; index++)
            {
                RaiseEndOfTaken(index);
                if (slots[index] != original && slots[index].TryRegisterAt(snapshot))
                {
                    return slots[index];
                }
            }

            Grow(slots);
        }
    }

    private void RaiseEndOfTaken(int index)
    {
        int end = Volatile.Read(ref _endOfTaken);
        while (end <= index)
        {
            int before = Interlocked.CompareExchange(ref _endOfTaken, index + 1, end);
            end = before == end ? index + 1 : before;
        }
    }

    private void Grow(ReaderSlot[] seen)
    {
        lock (_grow)
        {
            if (_slots == seen)
            {
                Volatile.Write(ref _slots, MakeSlots(seen, seen.Length * 2));
            }
        }
    }

    private ReaderSlot[] MakeSlots(ReaderSlot[] keep, int count)
    {
        System.Diagnostics.Debug.Assert(BitOperations.IsPow2(count), "a slot is found by a mask");
        ReaderSlot[] slots = new ReaderSlot[count];
        keep.CopyTo(slots, 0);
        for (int i = keep.Length; i < count; i++)
        {
            slots[i] = new ReaderSlot(this, _source, _clock);
        }

        return slots;
    }
}
