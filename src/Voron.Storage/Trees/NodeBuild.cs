// Unsafe fence. Bounds that callers guarantee: NodeSearch.Enter has accepted the source; the target has a heap of one page and a slots
// block for the range; target and source may share the slots (then from ≤ every target position, which ascending order keeps apart),
// never the heap. What is checked here: every entry of the source before it is read, and the target's room, because damaged entries may
// overlap and add up to more than a page.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>Builds nodes anew: only live entries, and the longest prefix that their keys share.</summary>
internal static unsafe class NodeBuild
{
    /// <summary>
    /// Whether all live entries and one more would fit in a rebuilt node, and the prefix it would have. <paramref name="entryBytes"/> is
    /// the new entry without its key.
    /// </summary>
    internal static bool Fits(
        PageView view, int pageBytes, long page, int index, ReadOnlySpan<byte> key, int entryBytes, out int prefixBytes)
    {
        int count = NodeSearch.Count(view);
        int first = FirstKey(view);
        int oldPrefix = NodeSearch.Prefix(view, pageBytes).Length;
        prefixBytes = PrefixWith(view, pageBytes, page, index, key);
        long bytes = PageHeader.SizeBytes + ((count + 1) * NodeSlot.SizeBytes) + prefixBytes + entryBytes + key.Length - prefixBytes;
        for (int i = 0; i < count; i++)
        {
            bytes += NodeSearch.EntryBytes(view, pageBytes, page, i);
        }

        bytes += (count - first) * (long)(oldPrefix - prefixBytes);
        return bytes <= pageBytes;
    }

    /// <summary>The prefix that the keys of the entries [from, to) share, were they a node of their own.</summary>
    internal static int PrefixOfRange(PageView view, int pageBytes, long page, int from, int to)
    {
        int first = from + FirstKey(view);
        if (to - first < 2)
        {
            return 0;
        }

        ReadOnlySpan<byte> low = NodeSearch.Tail(view, pageBytes, page, first);
        ReadOnlySpan<byte> high = NodeSearch.Tail(view, pageBytes, page, to - 1);
        return NodeSearch.Prefix(view, pageBytes).Length + low.CommonPrefixLength(high);
    }

    /// <summary>How many bytes a key shares with the key of an entry.</summary>
    internal static int SharedBytes(PageView view, int pageBytes, long page, int index, ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> prefix = NodeSearch.Prefix(view, pageBytes);
        int shared = prefix.CommonPrefixLength(key);
        return shared < prefix.Length ? shared : shared + NodeSearch.Tail(view, pageBytes, page, index).CommonPrefixLength(key[shared..]);
    }

    /// <summary>
    /// Writes header numbers, slots, prefix and entries of a node that holds the entries [from, to) of the source, in order.
    /// </summary>
    internal static void CopyRange(PageView source, int pageBytes, long page, int from, int to, int prefixBytes, PageView target)
    {
        ReadOnlySpan<byte> oldPrefix = NodeSearch.Prefix(source, pageBytes);
        int firstKey = from + FirstKey(source);
        int headBytes = firstKey == from ? NodeSearch.LeafHeadBytes : NodeSearch.BranchHeadBytes;
        int end = PageHeader.SizeBytes + ((to - from) * NodeSlot.SizeBytes);
        int mark = pageBytes;
        if (prefixBytes > 0)
        {
            Span<byte> prefix = new(target.Heap + pageBytes - prefixBytes, prefixBytes);
            int old = Math.Min(prefixBytes, oldPrefix.Length);
            oldPrefix[..old].CopyTo(prefix);
            Cut(NodeSearch.Tail(source, pageBytes, page, firstKey), prefixBytes - old, page, firstKey, out ReadOnlySpan<byte> more);
            more.CopyTo(prefix[old..]);
            mark -= prefixBytes;
        }

        for (int i = from; i < to; i++)
        {
            NodeSlot slot = *NodeSearch.Slot(source, i);
            int entryBytes = NodeSearch.EntryBytes(source, pageBytes, page, i);
            byte* entry = source.Heap + slot.Offset;
            ReadOnlySpan<byte> tail = new(entry + headBytes, slot.KeyLength & NodeSearch.KeyLengthMask);
            ReadOnlySpan<byte> value = new(entry + headBytes + tail.Length, entryBytes - headBytes - tail.Length);
            ReadOnlySpan<byte> grown = default;
            if (i < firstKey)
            {
                tail = default;
            }
            else if (prefixBytes <= oldPrefix.Length)
            {
                grown = oldPrefix[prefixBytes..];
            }
            else
            {
                tail = Cut(tail, prefixBytes - oldPrefix.Length, page, i, out _);
            }

            mark -= headBytes + grown.Length + tail.Length + value.Length;
            if (mark < end)
            {
                Throw.Overfull(page);
            }

            byte* copy = target.Heap + mark;
            Unsafe.CopyBlockUnaligned(copy, entry, (uint)headBytes);
            Span<byte> newTail = new(copy + headBytes, grown.Length + tail.Length);
            grown.CopyTo(newTail);
            tail.CopyTo(newTail[grown.Length..]);
            value.CopyTo(new Span<byte>(copy + headBytes + newTail.Length, value.Length));
            *NodeSearch.SlotToFill(target, i - from) = new NodeSlot
            {
                Head = NodeSearch.Head(newTail),
                Offset = (ushort)mark,
                KeyLength = (ushort)(newTail.Length | (i < firstKey ? 0 : slot.KeyLength & NodeSearch.OverflowFlag)),
            };
        }

        PageHeader* header = (PageHeader*)target.Slots;
        header->Count = (ushort)(to - from);
        header->HeapUsedBytes = (ushort)(pageBytes - mark);
        header->PrefixBytes = (ushort)prefixBytes;
    }

    /// <summary>
    /// Writes a node that holds the entries [from, to) of a pair of neighbours into blocks that neither of them uses. The key buffer has
    /// room for the longest key.
    /// </summary>
    internal static void CopyPair(
        in NodePair pair, int pageBytes, long page, int from, int to, int prefixBytes, Span<byte> keyBuffer, PageView target)
    {
        int headBytes = pair.HeadBytes;
        int end = PageHeader.SizeBytes + ((to - from) * NodeSlot.SizeBytes);
        int mark = pageBytes - prefixBytes;
        for (int i = from; i < to; i++)
        {
            bool hasKey = pair.IsLeaf || i > from;
            ReadOnlySpan<byte> key = hasKey ? keyBuffer[..pair.CopyKey(i, keyBuffer)] : default;
            if (hasKey && key.Length < prefixBytes)
            {
                Throw.OutOfOrder(page, i - from);
            }

            if (prefixBytes > 0 && i == to - 1)
            {
                key[..prefixBytes].CopyTo(new Span<byte>(target.Heap + pageBytes - prefixBytes, prefixBytes));
            }

            ReadOnlySpan<byte> tail = hasKey ? key[prefixBytes..] : default;
            ReadOnlySpan<byte> payload = pair.Payload(i, out int flag);
            mark -= pair.IsLeaf ? headBytes + tail.Length + payload.Length : headBytes + tail.Length;
            if (mark < end)
            {
                Throw.Overfull(page);
            }

            byte* entry = target.Heap + mark;
            tail.CopyTo(new Span<byte>(entry + headBytes, tail.Length));
            if (pair.IsLeaf)
            {
                Unsafe.WriteUnaligned(entry, (ushort)payload.Length);
                payload.CopyTo(new Span<byte>(entry + headBytes + tail.Length, payload.Length));
            }
            else
            {
                payload.CopyTo(new Span<byte>(entry, headBytes));
            }

            *NodeSearch.SlotToFill(target, i - from) = new NodeSlot
            {
                Head = NodeSearch.Head(tail), Offset = (ushort)mark, KeyLength = (ushort)(tail.Length | flag),
            };
        }

        PageHeader* header = (PageHeader*)target.Slots;
        header->Count = (ushort)(to - from);
        header->HeapUsedBytes = (ushort)(pageBytes - mark);
        header->PrefixBytes = (ushort)prefixBytes;
    }

    /// <summary>Cuts off what a longer prefix takes over. A key in order has as much.</summary>
    private static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> tail, int bytes, long page, int index, out ReadOnlySpan<byte> taken)
    {
        if (tail.Length < bytes)
        {
            Throw.OutOfOrder(page, index);
        }

        taken = tail[..bytes];
        return tail[bytes..];
    }

    /// <summary>The first entry of a branch has no key.</summary>
    private static int FirstKey(PageView view) => NodeSearch.Kind(view) == PageKind.Branch ? 1 : 0;

    /// <summary>The prefix that all keys would share if <paramref name="key"/> stood at <paramref name="index"/>.</summary>
    private static int PrefixWith(PageView view, int pageBytes, long page, int index, ReadOnlySpan<byte> key)
    {
        int first = FirstKey(view);
        int count = NodeSearch.Count(view);
        if (count - first < 1)
        {
            return 0;
        }

        if (index <= first)
        {
            return SharedBytes(view, pageBytes, page, count - 1, key);
        }

        return index == count
            ? SharedBytes(view, pageBytes, page, first, key)
            : PrefixOfRange(view, pageBytes, page, 0, count);
    }
}
