// Unsafe fence. Bounds: as in NodeSearch.cs. Prefetching uses addresses only as hints.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <content>
/// The same search in two halves, for callers that look up several keys at once. The first half compares heads: it reads only the slot
/// array, never an entry, and is branch-free in the key, so the processor can overlap several searches. The second half reads the entries,
/// which have been prefetched meanwhile.
/// </content>
internal static unsafe partial class NodeSearch
{
    /// <summary>
    /// Returns the position of the first key ≥ <paramref name="key"/> as far as heads decide it. <paramref name="isTied"/> means that the
    /// head there equals the key's head, so that <see cref="SettleInLeaf"/> or <see cref="SettleInBranch"/> must read the entry.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int FindHead(PageView view, int pageBytes, PageKind kind, ReadOnlySpan<byte> key, out bool isTied)
    {
        int count = Count(view);
        int first = kind == PageKind.Leaf ? 0 : 1;
        int side = CutPrefix(view, pageBytes, ref key);
        if (side != 0)
        {
            isTied = false;
            return side < 0 ? first : count;
        }

        long head = Head(key);
        NodeSlot* slots = Slot(view, 0);
        int low = first;
        for (int length = count - first; length > 0;)
        {
            // The shift gives -1 if the middle is below the key. A mask is branchless: a data-dependent branch mispredicts half of the
            // time.
            int half = (length + 1) >> 1;
            low += half & (int)((slots[low + half - 1].Head - head) >> 63);
            length -= half;
        }

        isTied = low < count && slots[low].Head == head;
        return low;
    }

    /// <summary>Prefetches the entry that a search by heads found, if there is one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void PrefetchEntry(PageView view, int index)
    {
        if (CacheLine.CanFetch && index < Count(view))
        {
            FetchEntry(view.Heap + Slot(view, index)->Offset);
        }
    }

    /// <summary>Prefetches the first lines of an entry: enough for its key and a short value. A hint: it may reach past the page.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void FetchEntry(byte* entry)
    {
        CacheLine.Fetch(entry);
        CacheLine.Fetch(entry + CacheLine.Bytes);
        CacheLine.Fetch(entry + (2 * CacheLine.Bytes));
    }

    /// <summary>Prefetches the beginnings of up to <paramref name="entries"/> entries, starting with this one.</summary>
    internal static void PrefetchHeads(PageView view, int index, int entries)
    {
        if (CacheLine.CanFetch)
        {
            int end = Math.Min(index + entries, Count(view));
            for (int i = index; i < end; i++)
            {
                CacheLine.Fetch(view.Heap + Slot(view, i)->Offset);
            }
        }
    }

    /// <summary>
    /// Prefetches all entries for callers that read each of them: entries are in no order, so each read would otherwise wait for memory.
    /// </summary>
    internal static void PrefetchHeap(PageView view, int pageBytes)
    {
        if (CacheLine.CanFetch)
        {
            for (int offset = pageBytes - ((PageHeader*)view.Slots)->HeapUsedBytes; offset < pageBytes; offset += CacheLine.Bytes)
            {
                CacheLine.Fetch(view.Heap + offset);
            }
        }
    }

    /// <summary>Like <see cref="FindInLeaf"/>, from a position that was found by heads and is tied.</summary>
    internal static int SettleInLeaf(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int low, out bool exact) =>
        Settle(view, pageBytes, page, key, low, LeafHeadBytes, out exact);

    /// <summary>Like <see cref="FindInBranch"/>, from a position that was found by heads and is tied.</summary>
    internal static int SettleInBranch(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int low)
    {
        int index = Settle(view, pageBytes, page, key, low, BranchHeadBytes, out bool exact);
        return exact ? index : index - 1;
    }

    private static int Settle(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int low, int headBytes, out bool exact) =>
        SettleTail(view, pageBytes, page, low, headBytes, key[((PageHeader*)view.Slots)->PrefixBytes..], out exact);

    /// <summary>
    /// Compares the key with the entry at this position, which has the same head, and, if the key is above it, with the entries after it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int SettleTail(
        PageView view, int pageBytes, long page, int low, int headBytes, ReadOnlySpan<byte> tail, out bool exact)
    {
        int tie = CompareTail(view, pageBytes, page, low, headBytes, tail);
        exact = tie == 0;
        return tie <= 0 ? low : FindBehind(view, pageBytes, page, low, headBytes, tail, out exact);
    }
}
