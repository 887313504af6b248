// Unsafe fence. Bounds: as in NodeSearch.cs. Prefetching touches addresses only as hints.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Trees;

/// <content>
/// The same search in two halves, for those who look for several keys at once: heads first, without a look at any entry and without a
/// branch that depends on the key, so that the processor works on several searches at the same time; entries afterwards, when they have
/// come from memory.
/// </content>
internal static unsafe partial class NodeSearch
{
    /// <summary>
    /// The position of the first key ≥ <paramref name="key"/> as far as heads tell; <paramref name="isTied"/> when the head there is the
    /// key's own, so that <see cref="SettleInLeaf"/> or <see cref="SettleInBranch"/> has to look at the entry.
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
            // Minus one when the middle is below: a mask instead of a jump that is foreseen every second time only.
            int half = (length + 1) >> 1;
            low += half & (int)((slots[low + half - 1].Head - head) >> 63);
            length -= half;
        }

        isTied = low < count && slots[low].Head == head;
        return low;
    }

    /// <summary>Fetches the entry that a search by heads has led to, where there is one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void PrefetchEntry(PageView view, int index)
    {
        if (CacheLine.CanFetch && index < Count(view))
        {
            FetchEntry(view.Heap + Slot(view, index)->Offset);
        }
    }

    /// <summary>
    /// Fetches the lines of an entry that are worth it: its key and a value that is not long. A hint: it may reach beyond the page.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void FetchEntry(byte* entry)
    {
        CacheLine.Fetch(entry);
        CacheLine.Fetch(entry + CacheLine.Bytes);
        CacheLine.Fetch(entry + (2 * CacheLine.Bytes));
    }

    /// <summary>Fetches the beginnings of so many entries from this one on, as far as there are any.</summary>
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

    /// <summary>Fetches all entries, for those who look at each of them: they lie in no order, and each would be waited for.</summary>
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

    /// <summary>As <see cref="FindInLeaf"/>, where heads have led to a position and are tied there.</summary>
    internal static int SettleInLeaf(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int low, out bool exact) =>
        Settle(view, pageBytes, page, key, low, LeafHeadBytes, out exact);

    /// <summary>As <see cref="FindInBranch"/>, where heads have led to a position and are tied there.</summary>
    internal static int SettleInBranch(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int low)
    {
        int index = Settle(view, pageBytes, page, key, low, BranchHeadBytes, out bool exact);
        return exact ? index : index - 1;
    }

    private static int Settle(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int low, int headBytes, out bool exact) =>
        SettleTail(view, pageBytes, page, low, headBytes, key[((PageHeader*)view.Slots)->PrefixBytes..], out exact);

    /// <summary>
    /// The entry at this position has the head of the key's tail: looks at it, and at those behind when the key is above it.
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
