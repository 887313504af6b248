using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// All reader slots of an environment. A thread finds its own slot again by a hint, so beginning a read touches no shared line while
/// slots do not collide.
/// </summary>
internal sealed class ReaderTable
{
    [ThreadStatic]
    private static int _threadHint;

    private static int _nextHint;

    private readonly PageSource _source;
    private readonly TimeProvider _time;
    private readonly Lock _grow = new();
    private ReaderSlot[] _slots;

    internal ReaderTable(PageSource source, TimeProvider time)
    {
        _source = source;
        _time = time;
        _slots = MakeSlots([], 64);
    }

    internal int OpenReaders
    {
        get
        {
            int open = 0;
            foreach (ReaderSlot slot in Volatile.Read(ref _slots))
            {
                open += slot.Snapshot == SnapshotScope.Unused || slot.IsCheckpoint ? 0 : 1;
            }

            return open;
        }
    }

    /// <summary>The slots of readers that are open now; each may end at any moment.</summary>
    internal List<ReaderSlot> OpenSlots() =>
        [.. Volatile.Read(ref _slots).Where(static slot => slot.Snapshot != SnapshotScope.Unused && !slot.IsCheckpoint)];

    internal TimeSpan OldestAge
    {
        get
        {
            TimeSpan oldest = TimeSpan.Zero;
            foreach (ReaderSlot slot in Volatile.Read(ref _slots))
            {
                if (slot.Snapshot != SnapshotScope.Unused && !slot.IsCheckpoint && slot.Age is var age && age > oldest)
                {
                    oldest = age;
                }
            }

            return oldest;
        }
    }

    /// <summary>A free slot, occupied for the caller, who registers it next.</summary>
    internal ReaderSlot Occupy()
    {
        if (_threadHint == 0)
        {
            _threadHint = Interlocked.Increment(ref _nextHint);
        }

        while (true)
        {
            ReaderSlot[] slots = Volatile.Read(ref _slots);
            for (int i = 0; i < slots.Length; i++)
            {
                ReaderSlot slot = slots[(int)((uint)(_threadHint + i) % (uint)slots.Length)];
                if (slot.TryOccupy())
                {
                    return slot;
                }
            }

            Grow(slots);
        }
    }

    /// <summary>Adds the snapshots of all registered readers. The caller fences before it decides by them.</summary>
    internal void CollectSnapshots(List<long> into)
    {
        Interlocked.MemoryBarrier();
        foreach (ReaderSlot slot in Volatile.Read(ref _slots))
        {
            long snapshot = slot.Snapshot;
            if (snapshot != SnapshotScope.Unused && !(slot.IsCheckpoint && Sabotage.Is(SabotageRule.PinnedNotCounted)))
            {
                into.Add(snapshot);
            }
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
        ReaderSlot[] slots = new ReaderSlot[count];
        keep.CopyTo(slots, 0);
        for (int i = keep.Length; i < count; i++)
        {
            slots[i] = new ReaderSlot(_source, _time);
        }

        return slots;
    }
}
