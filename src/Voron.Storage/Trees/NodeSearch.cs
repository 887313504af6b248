// Unsafe fence. Bounds that callers guarantee: a PageView comes from PageSource or PageWriter, so Slots and Heap are readable for the page
// size, or, for a version in memory, Slots for the header and every slot that the header counts; Enter was called for the view before any
// other method here; an index is below Count. Checked here, because it comes from disk: the header's numbers (Enter) and the bounds of
// every entry before it is touched.
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Reads and searches one node. Keys are compared as unsigned bytes; a prefix of a key is smaller than the key.</summary>
internal static unsafe partial class NodeSearch
{
    /// <summary>A leaf entry begins with the length of its value.</summary>
    internal const int LeafHeadBytes = sizeof(ushort);

    /// <summary>A branch entry begins with the number of the child page.</summary>
    internal const int BranchHeadBytes = sizeof(long);

    internal const int OverflowFlag = 0x8000;
    internal const int KeyLengthMask = 0x7FFF;

    /// <summary>Pages 0 and 1 are the database's headers; no node refers to them.</summary>
    private const long FirstTreePage = 2;

    /// <summary>Checks a node's header, which all other methods here rely on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PageKind Enter(PageView view, int pageBytes, long page)
    {
        PageHeader* header = (PageHeader*)view.Slots;
        PageKind kind = header->Kind;
        int used = PageHeader.SizeBytes + (header->Count * NodeSlot.SizeBytes) + header->HeapUsedBytes;
        if ((kind != PageKind.Leaf && (kind != PageKind.Branch || header->Count == 0)) || used > pageBytes
            || header->PrefixBytes > header->HeapUsedBytes)
        {
            Throw.NotANode(page, (int)kind, header->Count, header->HeapUsedBytes, header->PrefixBytes);
        }

        return kind;
    }

    internal static PageKind Kind(PageView view) => ((PageHeader*)view.Slots)->Kind;

    internal static int Count(PageView view) => ((PageHeader*)view.Slots)->Count;

    internal static ReadOnlySpan<byte> Prefix(PageView view, int pageBytes)
    {
        int bytes = ((PageHeader*)view.Slots)->PrefixBytes;
        return new ReadOnlySpan<byte>(view.Heap + pageBytes - bytes, bytes);
    }

    /// <summary>
    /// Prefetches a node's slots and the prefix at the other end of the page together. Without this, the search would wait for the cache
    /// lines one after the other. A hint: it may reach past the block.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void PrefetchSlots(PageView view, int pageBytes)
    {
        CacheLine.Fetch(view.Heap + pageBytes - 1);
        CacheLine.Fetch(view.Slots);
        CacheLine.Fetch(view.Slots + CacheLine.Bytes);
        CacheLine.Fetch(view.Slots + (2 * CacheLine.Bytes));
        CacheLine.Fetch(view.Slots + (3 * CacheLine.Bytes));
        CacheLine.Fetch(view.Slots + (4 * CacheLine.Bytes));
        CacheLine.Fetch(view.Slots + (5 * CacheLine.Bytes));
        CacheLine.Fetch(view.Slots + (6 * CacheLine.Bytes));
    }

    /// <summary>
    /// Prefetches what an insertion will touch besides the slots: the place of the next entry, and the heap's first line, which
    /// VersionMemory uses for itself.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void PrefetchRoom(PageView view, int pageBytes)
    {
        byte* mark = view.Heap + pageBytes - ((PageHeader*)view.Slots)->HeapUsedBytes;
        CacheLine.Fetch(view.Heap);
        CacheLine.Fetch(mark - 1);
        CacheLine.Fetch(mark - CacheLine.Bytes);
        CacheLine.Fetch(mark - (2 * CacheLine.Bytes));
    }

    /// <summary>
    /// Returns the first four bytes of a key tail, big-endian and zero-padded. Slots hold this head so that most comparisons need not touch
    /// the entry.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Head(ReadOnlySpan<byte> tail)
    {
        if (tail.Length >= sizeof(uint))
        {
            return BinaryPrimitives.ReverseEndianness(Unsafe.ReadUnaligned<uint>(ref MemoryMarshal.GetReference(tail)));
        }

        uint head = 0;
        for (int i = 0; i < tail.Length; i++)
        {
            head |= (uint)tail[i] << (24 - (8 * i));
        }

        return head;
    }

    /// <summary>
    /// Returns the position of the first key ≥ <paramref name="key"/> in a leaf; <paramref name="exact"/> if it equals that key.
    /// </summary>
    internal static int FindInLeaf(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, out bool exact) =>
        Find(view, pageBytes, page, key, 0, LeafHeadBytes, out exact);

    /// <summary>Returns the index of the branch entry that leads to <paramref name="key"/>.</summary>
    internal static int FindInBranch(PageView view, int pageBytes, long page, ReadOnlySpan<byte> key)
    {
        int index = Find(view, pageBytes, page, key, 1, BranchHeadBytes, out bool exact);
        return exact ? index : index - 1;
    }

    /// <summary>Returns the page number of the child of a branch entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long Child(PageView view, int pageBytes, long page, int index)
    {
        int offset = Slot(view, index)->Offset;
        if (offset + BranchHeadBytes > pageBytes)
        {
            Throw.BadEntry(page, index);
        }

        long child = Unsafe.ReadUnaligned<long>(view.Heap + offset);
        if (child < FirstTreePage)
        {
            Throw.BadChild(page, index, child);
        }

        return child;
    }

    /// <summary>Returns the bytes of a branch entry that hold the child's page number.</summary>
    internal static ReadOnlySpan<byte> ChildBytes(PageView view, int pageBytes, long page, int index)
    {
        Child(view, pageBytes, page, index);
        return new ReadOnlySpan<byte>(view.Heap + Slot(view, index)->Offset, BranchHeadBytes);
    }

    /// <summary>Gets the bytes after a leaf entry's key: the value, or (returns true) the 16 bytes of an overflow reference.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsOverflow(PageView view, int pageBytes, long page, int index, out ReadOnlySpan<byte> value)
    {
        NodeSlot* slot = Slot(view, index);
        int offset = slot->Offset;
        int head = LeafHeadBytes + (slot->KeyLength & KeyLengthMask);
        if (offset + head > pageBytes)
        {
            Throw.BadEntry(page, index);
        }

        int length = Unsafe.ReadUnaligned<ushort>(view.Heap + offset);
        if (offset + head + length > pageBytes)
        {
            Throw.BadEntry(page, index);
        }

        value = new ReadOnlySpan<byte>(view.Heap + offset + head, length);
        if (slot->KeyLength < OverflowFlag)
        {
            return false;
        }

        if (length != OverflowReference.SizeBytes)
        {
            Throw.BadOverflow(page, index);
        }

        return true;
    }

    /// <summary>Reads the overflow reference that <see cref="IsOverflow"/> returned.</summary>
    internal static OverflowReference Reference(ReadOnlySpan<byte> value) => MemoryMarshal.Read<OverflowReference>(value);

    /// <summary>Returns the key of an entry without the node's prefix; empty for the first entry of a branch.</summary>
    internal static ReadOnlySpan<byte> Tail(PageView view, int pageBytes, long page, int index)
    {
        NodeSlot* slot = Slot(view, index);
        int head = Kind(view) == PageKind.Leaf ? LeafHeadBytes : BranchHeadBytes;
        int length = slot->KeyLength & KeyLengthMask;
        if (slot->Offset + head + length > pageBytes)
        {
            Throw.BadEntry(page, index);
        }

        return new ReadOnlySpan<byte>(view.Heap + slot->Offset + head, length);
    }

    /// <summary>Writes a whole key (prefix and tail) and returns its length. The first entry of a branch has no key.</summary>
    internal static int CopyKey(PageView view, int pageBytes, long page, int index, Span<byte> target)
    {
        ReadOnlySpan<byte> prefix = Prefix(view, pageBytes);
        ReadOnlySpan<byte> tail = Tail(view, pageBytes, page, index);
        if (prefix.Length + tail.Length > target.Length)
        {
            Throw.BadEntry(page, index);
        }

        prefix.CopyTo(target);
        tail.CopyTo(target[prefix.Length..]);
        return prefix.Length + tail.Length;
    }

    /// <summary>Returns the size of an entry in the heap: its head, its key without the prefix, its value.</summary>
    internal static int EntryBytes(PageView view, int pageBytes, long page, int index)
    {
        NodeSlot* slot = Slot(view, index);
        bool isLeaf = Kind(view) == PageKind.Leaf;
        int bytes = (isLeaf ? LeafHeadBytes : BranchHeadBytes) + (slot->KeyLength & KeyLengthMask);
        if (isLeaf && slot->Offset + LeafHeadBytes <= pageBytes)
        {
            bytes += Unsafe.ReadUnaligned<ushort>(view.Heap + slot->Offset);
        }

        if (slot->Offset + bytes > pageBytes)
        {
            Throw.BadEntry(page, index);
        }

        return bytes;
    }

    /// <summary>Returns whether the node's live entries fill less than this many bytes of its page.</summary>
    internal static bool IsBelow(PageView view, int pageBytes, long page, int limitBytes)
    {
        int count = Count(view);
        int bytes = PageHeader.SizeBytes + (count * NodeSlot.SizeBytes) + ((PageHeader*)view.Slots)->PrefixBytes;
        for (int i = 0; i < count && bytes < limitBytes; i++)
        {
            bytes += EntryBytes(view, pageBytes, page, i);
        }

        return bytes < limitBytes;
    }

    /// <summary>Returns the bytes that the node's header, slots and heap use, including dead entries.</summary>
    internal static int UsedBytes(PageView view)
    {
        PageHeader* header = (PageHeader*)view.Slots;
        return PageHeader.SizeBytes + (header->Count * NodeSlot.SizeBytes) + header->HeapUsedBytes;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static NodeSlot* Slot(PageView view, int index)
    {
        RequireSlot(view, index);
        return (NodeSlot*)(view.Slots + PageHeader.SizeBytes) + index;
    }

    /// <summary>Returns a slot of a node that is being built; the header does not count it yet.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static NodeSlot* SlotToFill(PageView view, int index) => (NodeSlot*)(view.Slots + PageHeader.SizeBytes) + index;

    /// <summary>In the CHECKED build: requires that the header counts the slot, or that it is the next one, being added.</summary>
    [Conditional("CHECKED")]
    private static void RequireSlot(PageView view, int index) =>
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)index, (uint)Count(view));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Find(
        PageView view, int pageBytes, long page, ReadOnlySpan<byte> key, int first, int headBytes, out bool exact)
    {
        int count = Count(view);
        int side = CutPrefix(view, pageBytes, ref key);
        if (side != 0)
        {
            exact = false;
            return side < 0 ? first : count;
        }

        uint head = Head(key);
        NodeSlot* slots = (NodeSlot*)(view.Slots + PageHeader.SizeBytes);
        int low = first;
        int high = count;
        while (low < high)
        {
            int middle = (int)((uint)(low + high) >> 1);
            if (slots[middle].Head < head)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        if (low >= count || slots[low].Head != head)
        {
            exact = false;
            return low;
        }

        if (headBytes == LeafHeadBytes)
        {
            // The value is read next: prefetch it together with the key, instead of waiting until the key's length tells where the value
            // begins.
            FetchEntry(view.Heap + slots[low].Offset);
        }

        return SettleTail(view, pageBytes, page, low, headBytes, key, out exact);
    }

    /// <summary>Continues the search if the key is above the first of the entries that share its head.</summary>
    private static int FindBehind(PageView view, int pageBytes, long page, int low, int headBytes, ReadOnlySpan<byte> key, out bool exact)
    {
        exact = false;
        NodeSlot* slots = Slot(view, 0);
        uint head = slots[low].Head;
        int high = Count(view);
        low++;
        if (low == high || slots[low].Head != head)
        {
            return low;
        }

        while (low < high)
        {
            int middle = (int)((uint)(low + high) >> 1);
            int order = slots[middle].Head > head ? -1 : CompareTail(view, pageBytes, page, middle, headBytes, key);
            if (order == 0)
            {
                exact = true;
                return middle;
            }

            if (order > 0)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }

    /// <summary>
    /// Returns 0 and cuts the node's prefix off the key if the key begins with it; otherwise returns the key's order (negative or positive)
    /// relative to all keys of the node.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CutPrefix(PageView view, int pageBytes, ref ReadOnlySpan<byte> key)
    {
        int bytes = ((PageHeader*)view.Slots)->PrefixBytes;
        if (bytes == 0)
        {
            return 0;
        }

        ReadOnlySpan<byte> prefix = new(view.Heap + pageBytes - bytes, bytes);
        if (!key.StartsWith(prefix))
        {
            return OrderBesidePrefix(key, prefix);
        }

        key = key[bytes..];
        return 0;
    }

    private static int OrderBesidePrefix(ReadOnlySpan<byte> key, ReadOnlySpan<byte> prefix)
    {
        int common = Math.Min(key.Length, prefix.Length);
        int order = key[..common].SequenceCompareTo(prefix[..common]);
        return order == 0 && key.Length < prefix.Length ? -1 : order;
    }

    /// <summary>
    /// Compares a key with an entry that has the same head: first the bytes after the head, then the lengths ("a" and "a\0" share a head).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int CompareTail(PageView view, int pageBytes, long page, int index, int headBytes, ReadOnlySpan<byte> key)
    {
        NodeSlot* slot = Slot(view, index);
        int length = slot->KeyLength & KeyLengthMask;
        if (slot->Offset + headBytes + length > pageBytes)
        {
            Throw.BadEntry(page, index);
        }

        if (length <= sizeof(uint) || key.Length <= sizeof(uint))
        {
            return key.Length - length;
        }

        byte* tail = view.Heap + slot->Offset + headBytes;
        return key[sizeof(uint)..].SequenceCompareTo(new ReadOnlySpan<byte>(tail + sizeof(uint), length - sizeof(uint)));
    }
}
