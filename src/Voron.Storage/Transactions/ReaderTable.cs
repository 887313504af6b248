using System.Numerics;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>
/// All reader slots of an environment. Each thread has a few first-choice slots, found through a thread-local hint, so beginning a read
/// touches no shared cache line while one of them is free. Otherwise the thread borrows a further slot; there are as many as were ever in
/// use at once, and the free ones form a stack. So a read begins in a few steps, however many others are open. Checkpoints have one slot
/// of their own, since only one checkpoint runs at a time.
/// <para>Bitmaps mark the slots in use, so a scan takes a step for each marked slot and each word, however many slots there once were. A
/// slot is marked before a reader registers in it: a scan that misses the mark is ordered before that reader, as if it had found the slot
/// empty.</para>
/// </summary>
internal sealed class ReaderTable
{
    /// <summary>Bits of a bitmap word.</summary>
    private const int FirstChoices = 64;

    private const int Tries = 4;

    /// <summary>Each block of further slots is twice as long as the previous one.</summary>
    private const int MostBlocks = 25;

    [ThreadStatic]
    private static int _threadHint;

    private static int _nextHint;

    private readonly PageSource _source;
    private readonly CoarseClock _clock;
    private readonly Lock _grow = new();

    /// <summary>
    /// Held while slots are scanned and while a snapshot is cloned into a second slot. Otherwise a scan could read the second slot before
    /// the clone is registered and the first one after the original has ended.
    /// </summary>
    private readonly Gate _look;

    private readonly ReaderSlot[] _first = new ReaderSlot[FirstChoices];
    private readonly Block?[] _blocks = new Block?[MostBlocks];

    /// <summary>First-choice slots that were ever used. Marks here are never cleared, so that readers write no shared line.</summary>
    private ulong _usedFirst;

    /// <summary>Number of further slots created. Guarded by <see cref="_grow"/>.</summary>
    private int _further;

    /// <summary>Head of the stack of free further slots: low half its number plus 1 (0: empty), high half a count of changes.</summary>
    private long _free;

    internal ReaderTable(PageSource source, TimeProvider time)
    {
        _source = source;
        _clock = new CoarseClock(time);
        _look = new Gate();
        for (int i = 0; i < FirstChoices; i++)
        {
            _first[i] = new ReaderSlot(this, source, _clock);
        }

        Pin = new ReaderSlot(this, source, _clock);
    }

    /// <summary>The running checkpoint's slot.</summary>
    internal ReaderSlot Pin { get; }

    /// <summary>Slots read to collect the registered readers since the table was created.</summary>
    internal long SlotsLookedAt { get; private set; }

    /// <summary>Readers in further slots: all open ones except at most 64. Takes a step for each block, not for each reader.</summary>
    internal long FurtherInUse
    {
        get
        {
            long inUse = 0;
            for (int i = 0; i < MostBlocks && Volatile.Read(ref _blocks[i]) is { } block; i++)
            {
                inUse += Volatile.Read(ref block.InUse);
            }

            return inUse;
        }
    }

    internal int OpenReaders
    {
        get
        {
            using Gate.Scope scope = _look.Hold();
            int open = 0;
            foreach (ReaderSlot slot in new MarkedSlots(this))
            {
                open += slot.Snapshot == SnapshotScope.Unused ? 0 : 1;
            }

            return open;
        }
    }

    internal TimeSpan OldestAge
    {
        get
        {
            TimeSpan oldest = TimeSpan.Zero;
            foreach (ReaderSlot slot in new MarkedSlots(this))
            {
                if (slot.Occupant != 0 && slot.Age is var age && age > oldest)
                {
                    oldest = age;
                }
            }

            return oldest;
        }
    }

    /// <summary>The slots of readers that are open now; each may end at any moment.</summary>
    internal List<ReaderSlot> OpenSlots()
    {
        List<ReaderSlot> open = [];
        foreach (ReaderSlot slot in new MarkedSlots(this))
        {
            if (slot.Snapshot != SnapshotScope.Unused)
            {
                open.Add(slot);
            }
        }

        return open;
    }

    /// <summary>Begins a read at the newest visible snapshot.</summary>
    internal ReaderSlot Begin()
    {
        int hint = _threadHint;
        if (hint == 0)
        {
            _threadHint = hint = Interlocked.Increment(ref _nextHint);
        }

        for (int i = 0; i < Tries; i++)
        {
            int index = (hint + i) & (FirstChoices - 1);
            ReaderSlot slot = _first[index];
            if (slot.Snapshot == SnapshotScope.Unused)
            {
                MarkFirst(index);
                if (slot.TryRegister())
                {
                    return slot;
                }
            }
        }

        ReaderSlot further = Borrow();
        if (!further.TryRegister())
        {
            Throw.SlotTaken();
        }

        return further;
    }

    /// <summary>Begins another read at the snapshot of an open transaction, which stays open.</summary>
    internal ReaderSlot Clone(ReaderSlot original, long occupant)
    {
        using Gate.Scope scope = _look.Hold();
        long generation = original.Generation;
        original.CheckOccupant(occupant);
        TransactionId snapshot = original.Snapshot;
        if (snapshot == SnapshotScope.Unused)
        {
            Throw.TransactionEnded();
        }

        ReaderSlot clone = Borrow();
        if (!clone.TryRegisterAt(snapshot))
        {
            Throw.SlotTaken();
        }

        if (original.Occupant != occupant || original.Generation != generation)
        {
            // The original ended or was renewed meanwhile, so the snapshot may have been reclaimed before the clone registered.
            clone.Release(clone.Occupant);
            original.CheckOccupant(occupant);
            Throw.ConcurrentRenewal();
        }

        return clone;
    }

    /// <summary>
    /// Adds the snapshots of all registered readers, followed by that of the running checkpoint. The caller must issue a fence before it
    /// acts on them.
    /// </summary>
    /// <returns>The length of the list without the checkpoint's snapshot.</returns>
    internal int CollectSnapshots(List<TransactionId> into)
    {
        using Gate.Scope scope = _look.Hold();
        Interlocked.MemoryBarrier();
        foreach (ReaderSlot slot in new MarkedSlots(this))
        {
            SlotsLookedAt++;
            if (slot.Snapshot is var snapshot && snapshot != SnapshotScope.Unused)
            {
                into.Add(snapshot);
            }
        }

        int readers = into.Count;
        if (Pin.Snapshot is var pinned && pinned != SnapshotScope.Unused)
        {
            into.Add(pinned);
        }

        return readers;
    }

    /// <summary>Returns a further slot that is no longer used to the free stack.</summary>
    internal void TakeBack(ReaderSlot slot)
    {
        Block block = BlockOf(slot.Further, out int index);
        Interlocked.And(ref block.Marks[index / FirstChoices], ~(1UL << (index % FirstChoices)));
        Interlocked.Decrement(ref block.InUse);
        long free = Volatile.Read(ref _free);
        while (true)
        {
            slot.NextFree = (int)free;
            long seen = Interlocked.CompareExchange(ref _free, NextFree(free, slot.Further + 1), free);
            if (seen == free)
            {
                return;
            }

            free = seen;
        }
    }

    private void MarkFirst(int index)
    {
        ulong mark = 1UL << index;
        if ((Volatile.Read(ref _usedFirst) & mark) == 0)
        {
            Interlocked.Or(ref _usedFirst, mark);
        }
    }

    /// <summary>Returns a marked further slot for the caller's exclusive use: a free one or a new one.</summary>
    private ReaderSlot Borrow()
    {
        ReaderSlot slot = TakeFree() ?? MakeFurther();
        Block block = BlockOf(slot.Further, out int index);
        Interlocked.Increment(ref block.InUse);
        Interlocked.Or(ref block.Marks[index / FirstChoices], 1UL << (index % FirstChoices));
        return slot;
    }

    private ReaderSlot? TakeFree()
    {
        long free = Volatile.Read(ref _free);
        while ((int)free != 0)
        {
            ReaderSlot slot = BlockOf((int)free - 1, out int index).Slots[index]!;
            long seen = Interlocked.CompareExchange(ref _free, NextFree(free, slot.NextFree), free);
            if (seen == free)
            {
                return slot;
            }

            free = seen;
        }

        return null;
    }

    /// <summary>Builds the next stack head. The count of changes prevents ABA: a slot back at the head gives another value.</summary>
    private static long NextFree(long free, int first) => (((free >> 32) + 1) << 32) | (uint)first;

    private ReaderSlot MakeFurther()
    {
        lock (_grow)
        {
            int number = _further;
            int block = BlockNumber(number);
            if (_blocks[block] is null)
            {
                Volatile.Write(ref _blocks[block], new Block(FirstChoices << block));
            }

            ReaderSlot slot = new(this, _source, _clock, number);
            BlockOf(number, out int index).Slots[index] = slot;
            _further++;
            return slot;
        }
    }

    private Block BlockOf(int further, out int index)
    {
        int block = BlockNumber(further);
        index = further - ((FirstChoices << block) - FirstChoices);
        return _blocks[block]!;
    }

    private static int BlockNumber(int further) => BitOperations.Log2((uint)(further / FirstChoices) + 1);

    /// <summary>A block of further slots. Neither it nor its arrays are ever replaced, so marks need no lock.</summary>
    private sealed class Block(int count)
    {
        internal readonly ReaderSlot?[] Slots = new ReaderSlot?[count];
        internal readonly ulong[] Marks = new ulong[count / FirstChoices];

        /// <summary>Incremented before a mark is set and decremented after it is cleared, so at 0 a scan can skip the words.</summary>
        internal int InUse;
    }

    /// <summary>Enumerates the slots that were marked when their word was read.</summary>
    private ref struct MarkedSlots(ReaderTable table)
    {
        private ReadOnlySpan<ReaderSlot?> _slots = table._first;
        private ReadOnlySpan<ulong> _marks = new(ref table._usedFirst);
        private int _block = -1;
        private int _word = -1;
        private ulong _rest;

        public ReaderSlot Current { get; private set; } = null!;

        public readonly MarkedSlots GetEnumerator() => this;

        public bool MoveNext()
        {
            while (_rest == 0)
            {
                if (++_word == _marks.Length && !MoveToBlock())
                {
                    return false;
                }

                _rest = Volatile.Read(in _marks[_word]);
            }

            Current = _slots[(_word * FirstChoices) + BitOperations.TrailingZeroCount(_rest)]!;
            _rest &= _rest - 1;
            return true;
        }

        private bool MoveToBlock()
        {
            while (++_block < MostBlocks && Volatile.Read(in table._blocks[_block]) is { } block)
            {
                if (Volatile.Read(in block.InUse) > 0)
                {
                    _slots = block.Slots;
                    _marks = block.Marks;
                    _word = 0;
                    return true;
                }
            }

            return false;
        }
    }
}
