// Unsafe fence. Bounds: as in Node.cs; CheckHeader was called for every node that is searched here.
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Searches one node. Keys are compared as unsigned bytes; a prefix of a key is smaller than the key.
/// <para>For callers that look up several keys at once there is the same search in two halves. The first half compares heads: it reads only
/// the slot array, never an entry, and is branch-free in the key, so the processor can overlap several searches. The second half reads the
/// entries, which have been prefetched meanwhile.</para>
/// </summary>
internal static unsafe class NodeSearch
{
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
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int FindInLeaf(in Node leaf, ReadOnlySpan<byte> key, out bool exact) =>
        FindInLeafCore(leaf.View, leaf.PageBytes, leaf.Page, key, out exact);

    /// <summary>Returns the index of the branch entry that leads to <paramref name="key"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int FindInBranch(in Node branch, ReadOnlySpan<byte> key) =>
        FindInBranchCore(branch.View, branch.PageBytes, branch.Page, key);

    /// <summary>
    /// Returns the position of the first key ≥ <paramref name="key"/> as far as heads decide it. <paramref name="isTied"/> means that the
    /// head there equals the key's head, so that <see cref="SettleInLeaf"/> or <see cref="SettleInBranch"/> must read the entry.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int FindHead(in Node node, PageKind kind, ReadOnlySpan<byte> key, out bool isTied)
    {
        int count = node.Count;
        int first = kind == PageKind.Leaf ? 0 : 1;
        int side = CutPrefix(node, ref key);
        if (side != 0)
        {
            isTied = false;
            return side < 0 ? first : count;
        }

        long head = Head(key);
        NodeSlot* slots = node.Slot(0);
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

    /// <summary>Like <see cref="FindInLeaf"/>, from a position that was found by heads and is tied.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int SettleInLeaf(in Node leaf, ReadOnlySpan<byte> key, int low, out bool exact) =>
        SettleCore(leaf.View, leaf.PageBytes, leaf.Page, key, low, Node.LeafHeadBytes, out exact);

    /// <summary>Like <see cref="FindInBranch"/>, from a position that was found by heads and is tied.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int SettleInBranch(in Node branch, ReadOnlySpan<byte> key, int low)
    {
        int index = SettleCore(branch.View, branch.PageBytes, branch.Page, key, low, Node.BranchHeadBytes, out bool exact);
        return exact ? index : index - 1;
    }

    // What is not inlined takes the parts of a node, not its address: they stay in registers, here and in the caller.
    private static int FindInLeafCore(PageView view, int pageBytes, PageNumber page, ReadOnlySpan<byte> key, out bool exact) =>
        Find(new Node(view, pageBytes, page), key, 0, Node.LeafHeadBytes, out exact);

    private static int FindInBranchCore(PageView view, int pageBytes, PageNumber page, ReadOnlySpan<byte> key)
    {
        int index = Find(new Node(view, pageBytes, page), key, 1, Node.BranchHeadBytes, out bool exact);
        return exact ? index : index - 1;
    }

    private static int SettleCore(
        PageView view, int pageBytes, PageNumber page, ReadOnlySpan<byte> key, int low, int headBytes, out bool exact)
    {
        Node node = new(view, pageBytes, page);
        return SettleTail(node, low, headBytes, key[node.Header->PrefixBytes..], out exact);
    }

    /// <summary>Searches for one key: with branches, where <see cref="FindHead"/> has none, and reads the entry that it finds.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Find(in Node node, ReadOnlySpan<byte> key, int first, int headBytes, out bool exact)
    {
        int count = node.Count;
        int side = CutPrefix(node, ref key);
        if (side != 0)
        {
            exact = false;
            return side < 0 ? first : count;
        }

        uint head = Head(key);
        NodeSlot* slots = node.SlotToFill(0);
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

        if (headBytes == Node.LeafHeadBytes)
        {
            // The value is read next: prefetch it together with the key, instead of waiting until the key's length tells where the value
            // begins.
            node.PrefetchEntry(low);
        }

        return SettleTail(node, low, headBytes, key, out exact);
    }

    /// <summary>
    /// Compares the key with the entry at this position, which has the same head, and, if the key is above it, with the entries after it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int SettleTail(in Node node, int low, int headBytes, ReadOnlySpan<byte> tail, out bool exact)
    {
        int tie = CompareTail(node, low, headBytes, tail);
        exact = tie == 0;
        return tie <= 0 ? low : FindBehindCore(node.View, node.PageBytes, node.Page, low, headBytes, tail, out exact);
    }

    /// <summary>Continues the search if the key is above the first of the entries that share its head.</summary>
    private static int FindBehindCore(
        PageView view, int pageBytes, PageNumber page, int low, int headBytes, ReadOnlySpan<byte> key, out bool exact)
    {
        Node node = new(view, pageBytes, page);
        exact = false;
        NodeSlot* slots = node.Slot(0);
        uint head = slots[low].Head;
        int high = node.Count;
        low++;
        if (low == high || slots[low].Head != head)
        {
            return low;
        }

        while (low < high)
        {
            int middle = (int)((uint)(low + high) >> 1);
            int order = slots[middle].Head > head ? -1 : CompareTail(node, middle, headBytes, key);
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
    private static int CutPrefix(in Node node, ref ReadOnlySpan<byte> key)
    {
        int bytes = node.Header->PrefixBytes;
        if (bytes == 0)
        {
            return 0;
        }

        ReadOnlySpan<byte> prefix = new(node.Heap + node.PageBytes - bytes, bytes);
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
    private static int CompareTail(in Node node, int index, int headBytes, ReadOnlySpan<byte> key)
    {
        NodeSlot* slot = node.Slot(index);
        int length = slot->KeyLength & Node.KeyLengthMask;
        if (slot->Offset + headBytes + length > node.PageBytes)
        {
            Throw.BadEntry(node.Page, index);
        }

        if (length <= sizeof(uint) || key.Length <= sizeof(uint))
        {
            return key.Length - length;
        }

        byte* tail = node.Heap + slot->Offset + headBytes;
        return key[sizeof(uint)..].SequenceCompareTo(new ReadOnlySpan<byte>(tail + sizeof(uint), length - sizeof(uint)));
    }
}
