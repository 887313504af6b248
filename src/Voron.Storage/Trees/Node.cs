// Unsafe fence. Bounds that callers guarantee: the view comes from PageSource or PageWriter, so Slots and Heap are readable for a whole
// page, or, for a version in memory, Slots for the header and every slot that the header counts; CheckHeader was called for the node
// before any other member that reads slots or entries; an index is below Count. Checked here, because it comes from disk: the header's
// numbers (CheckHeader) and the bounds of every entry before it is touched. Prefetching uses addresses only as hints.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// A branch or leaf of a tree as one snapshot sees it: its bytes, the page size, and the page number, by which errors name it.
/// </summary>
internal readonly unsafe struct Node(PageView view, int pageBytes, PageNumber page)
{
    /// <summary>A leaf entry begins with the length of its value.</summary>
    internal const int LeafHeadBytes = sizeof(ushort);

    /// <summary>A branch entry begins with the number of the child page.</summary>
    internal const int BranchHeadBytes = sizeof(long);

    internal const int OverflowFlag = 0x8000;
    internal const int KeyLengthMask = 0x7FFF;

    /// <summary>Pages 0 and 1 are the database's headers; no node refers to them.</summary>
    private static PageNumber FirstTreePage => FormatConstants.CatalogRootPage;

    internal readonly PageView View = view;
    internal readonly PageNumber Page = page;
    internal readonly int PageBytes = pageBytes;

    internal byte* Slots => View.Slots;

    internal byte* Heap => View.Heap;

    internal PageHeader* Header => (PageHeader*)Slots;

    internal PageKind Kind => Header->Kind;

    internal bool IsLeaf => Kind == PageKind.Leaf;

    internal int Count => Header->Count;

    /// <summary>The bytes that all keys of the node begin with; its entries store the rest.</summary>
    internal ReadOnlySpan<byte> Prefix => new(Heap + PageBytes - Header->PrefixBytes, Header->PrefixBytes);

    /// <summary>The bytes that the node's header, slots and heap use, including dead entries.</summary>
    internal int UsedBytes => PageHeader.SizeBytes + (Count * NodeSlot.SizeBytes) + Header->HeapUsedBytes;

    /// <summary>Bytes before the key of an entry.</summary>
    private int HeadBytes => IsLeaf ? LeafHeadBytes : BranchHeadBytes;

    /// <summary>
    /// Whether a leaf holds a value itself; otherwise it holds a reference to the value's overflow run. A value up to a quarter of the page
    /// is always in the leaf; a longer one is if two entries like it fit in a leaf. So no entry is longer than with a key and a value of a
    /// quarter of the page each, and dividing and merging nodes need not know of this.
    /// </summary>
    internal static bool HoldsValue(int pageBytes, int keyBytes, int valueBytes) =>
        valueBytes <= pageBytes / 4
        || keyBytes + valueBytes <= ((pageBytes - PageHeader.SizeBytes) / 2) - NodeSlot.SizeBytes - LeafHeadBytes;

    /// <summary>Reads a node as a snapshot sees it, and checks its header.</summary>
    internal static Node Read(PageSource source, TransactionId snapshot, PageNumber page)
    {
        Node node = new(source.Read(page, snapshot), source.PageBytes, page);
        node.CheckHeader();
        return node;
    }

    /// <summary>Reads a node as the write transaction sees it, and checks its header.</summary>
    internal static Node Read(PageWriter pages, PageNumber page) => Read(pages.Source, pages.TransactionId, page);

    /// <summary>Reads the overflow reference that <see cref="IsOverflow"/> returned.</summary>
    internal static OverflowReference Reference(ReadOnlySpan<byte> value) => MemoryMarshal.Read<OverflowReference>(value);

    /// <summary>Checks the header, which most other members rely on, and returns the node's kind.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageKind CheckHeader()
    {
        PageHeader* header = Header;
        PageKind kind = header->Kind;
        int used = PageHeader.SizeBytes + (header->Count * NodeSlot.SizeBytes) + header->HeapUsedBytes;
        if ((kind != PageKind.Leaf && (kind != PageKind.Branch || header->Count == 0)) || used > PageBytes
            || header->PrefixBytes > header->HeapUsedBytes)
        {
            Throw.NotANode(Page, (int)kind, header->Count, header->HeapUsedBytes, header->PrefixBytes);
        }

        return kind;
    }

    /// <summary>Returns the page number of the child of a branch entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageNumber Child(int index)
    {
        int offset = Slot(index)->Offset;
        if (offset + BranchHeadBytes > PageBytes)
        {
            Throw.BadEntry(Page, index);
        }

        PageNumber child = new(Unsafe.ReadUnaligned<long>(Heap + offset));
        if (child < FirstTreePage)
        {
            Throw.BadChild(Page, index, child);
        }

        return child;
    }

    /// <summary>Returns the bytes of a branch entry that hold the child's page number.</summary>
    internal ReadOnlySpan<byte> ChildBytes(int index)
    {
        Child(index);
        return new ReadOnlySpan<byte>(Heap + Slot(index)->Offset, BranchHeadBytes);
    }

    /// <summary>Gets the bytes after a leaf entry's key: the value, or (returns true) the 16 bytes of an overflow reference.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOverflow(int index, out ReadOnlySpan<byte> value)
    {
        NodeSlot* slot = Slot(index);
        int offset = slot->Offset;
        int head = LeafHeadBytes + (slot->KeyLength & KeyLengthMask);
        if (offset + head > PageBytes)
        {
            Throw.BadEntry(Page, index);
        }

        int length = Unsafe.ReadUnaligned<ushort>(Heap + offset);
        if (offset + head + length > PageBytes)
        {
            Throw.BadEntry(Page, index);
        }

        value = new ReadOnlySpan<byte>(Heap + offset + head, length);
        if (slot->KeyLength < OverflowFlag)
        {
            return false;
        }

        if (length != OverflowReference.SizeBytes)
        {
            Throw.BadOverflow(Page, index);
        }

        return true;
    }

    /// <summary>Returns the key of an entry without the node's prefix; empty for the first entry of a branch.</summary>
    internal ReadOnlySpan<byte> Tail(int index)
    {
        NodeSlot* slot = Slot(index);
        int head = HeadBytes;
        int length = slot->KeyLength & KeyLengthMask;
        if (slot->Offset + head + length > PageBytes)
        {
            Throw.BadEntry(Page, index);
        }

        return new ReadOnlySpan<byte>(Heap + slot->Offset + head, length);
    }

    /// <summary>Writes a whole key (prefix and tail) and returns its length. The first entry of a branch has no key.</summary>
    internal int CopyKey(int index, Span<byte> target)
    {
        ReadOnlySpan<byte> prefix = Prefix;
        ReadOnlySpan<byte> tail = Tail(index);
        if (prefix.Length + tail.Length > target.Length)
        {
            Throw.BadEntry(Page, index);
        }

        prefix.CopyTo(target);
        tail.CopyTo(target[prefix.Length..]);
        return prefix.Length + tail.Length;
    }

    /// <summary>
    /// Returns the first bytes of a key as far as the slot and the prefix have them, as a number of the same order, and how many these are:
    /// four to eight. They are enough to order most keys of two nodes.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong KeyStart(int index, out int bytes)
    {
        int prefixBytes = Header->PrefixBytes;
        ulong head = (ulong)Slot(index)->Head << 32;
        if (prefixBytes == 0)
        {
            bytes = sizeof(uint);
            return head;
        }

        ulong prefix = (ulong)NodeSearch.Head(Prefix) << 32;
        bytes = prefixBytes <= sizeof(uint) ? sizeof(uint) + prefixBytes : sizeof(uint);
        return prefixBytes <= sizeof(uint) ? prefix | (head >> (8 * prefixBytes)) : prefix;
    }

    /// <summary>Returns the size of an entry in the heap: its head, its key without the prefix, its value.</summary>
    internal int EntryBytes(int index)
    {
        NodeSlot* slot = Slot(index);
        bool isLeaf = IsLeaf;
        int bytes = (isLeaf ? LeafHeadBytes : BranchHeadBytes) + (slot->KeyLength & KeyLengthMask);
        if (isLeaf && slot->Offset + LeafHeadBytes <= PageBytes)
        {
            bytes += Unsafe.ReadUnaligned<ushort>(Heap + slot->Offset);
        }

        if (slot->Offset + bytes > PageBytes)
        {
            Throw.BadEntry(Page, index);
        }

        return bytes;
    }

    /// <summary>Returns the offset at which the next live entry behind one begins, or the prefix.</summary>
    internal int NextInHeap(int index)
    {
        int offset = Slot(index)->Offset;
        int next = PageBytes - Header->PrefixBytes;
        for (int i = 0; i < Count; i++)
        {
            int other = Slot(i)->Offset;
            next = other >= offset && other < next && i != index ? other : next;
        }

        return next;
    }

    /// <summary>Returns whether the node's live entries fill less than this many bytes of its page.</summary>
    internal bool IsBelow(int limitBytes)
    {
        int count = Count;
        int bytes = PageHeader.SizeBytes + (count * NodeSlot.SizeBytes) + Header->PrefixBytes;
        for (int i = 0; i < count && bytes < limitBytes; i++)
        {
            bytes += EntryBytes(i);
        }

        return bytes < limitBytes;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal NodeSlot* Slot(int index)
    {
        RequireSlot(index);
        return SlotToFill(index);
    }

    /// <summary>Returns a slot of a node that is being built; the header does not count it yet.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal NodeSlot* SlotToFill(int index) => (NodeSlot*)(Slots + PageHeader.SizeBytes) + index;

    /// <summary>
    /// Prefetches the slots and the prefix at the other end of the page together. Without this, a search would wait for the cache lines one
    /// after the other. A hint: it may reach past the block.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchSlots()
    {
        CacheLine.Fetch(Heap + PageBytes - 1);
        CacheLine.Fetch(Slots);
        CacheLine.Fetch(Slots + CacheLine.Bytes);
        CacheLine.Fetch(Slots + (2 * CacheLine.Bytes));
        CacheLine.Fetch(Slots + (3 * CacheLine.Bytes));
        CacheLine.Fetch(Slots + (4 * CacheLine.Bytes));
        CacheLine.Fetch(Slots + (5 * CacheLine.Bytes));
        CacheLine.Fetch(Slots + (6 * CacheLine.Bytes));
    }

    /// <summary>Prefetches the number of a branch's child.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchChild(int index)
    {
        if (CacheLine.CanFetch && index < Count)
        {
            CacheLine.Fetch(Heap + Slot(index)->Offset);
        }
    }

    /// <summary>Prefetches the header, with the first slots, and the prefix of the keys.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchEnds()
    {
        CacheLine.Fetch(Slots);
        CacheLine.Fetch(Heap + PageBytes - 1);
    }

    /// <summary>Prefetches the slots that the first three steps of a search by halves can look at.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchMiddles()
    {
        const int Parts = 8;
        byte* slots = (byte*)SlotToFill(0);
        int bytes = Count * NodeSlot.SizeBytes;
        for (int part = 1; part < Parts; part++)
        {
            CacheLine.Fetch(slots + (bytes * part / Parts));
        }
    }

    /// <summary>
    /// Prefetches what an insertion will touch besides the slots: the place of the next entry, and the heap's first line, which
    /// VersionMemory uses for itself.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchRoom()
    {
        byte* mark = Heap + PageBytes - Header->HeapUsedBytes;
        CacheLine.Fetch(Heap);
        CacheLine.Fetch(mark - 1);
        CacheLine.Fetch(mark - CacheLine.Bytes);
        CacheLine.Fetch(mark - (2 * CacheLine.Bytes));
    }

    /// <summary>Prefetches the first lines of an entry, enough for its key and a short value; nothing if there is no such entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchEntry(int index)
    {
        if (CacheLine.CanFetch && index < Count)
        {
            byte* entry = Heap + Slot(index)->Offset;
            CacheLine.Fetch(entry);
            CacheLine.Fetch(entry + CacheLine.Bytes);
            CacheLine.Fetch(entry + (2 * CacheLine.Bytes));
        }
    }

    /// <summary>Prefetches the beginnings of up to <paramref name="entries"/> entries, starting with this one.</summary>
    internal void PrefetchHeads(int index, int entries)
    {
        if (CacheLine.CanFetch)
        {
            int end = Math.Min(index + entries, Count);
            for (int i = index; i < end; i++)
            {
                CacheLine.Fetch(Heap + Slot(i)->Offset);
            }
        }
    }

    /// <summary>
    /// Prefetches all entries for callers that read each of them: entries are in no order, so each read would otherwise wait for memory.
    /// </summary>
    internal void PrefetchHeap()
    {
        if (CacheLine.CanFetch)
        {
            for (int offset = PageBytes - Header->HeapUsedBytes; offset < PageBytes; offset += CacheLine.Bytes)
            {
                CacheLine.Fetch(Heap + offset);
            }
        }
    }

    /// <summary>In the CHECKED build: requires that the header counts the slot, or that it is the next one, being added.</summary>
    [Conditional("CHECKED")]
    private void RequireSlot(int index) => ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)index, (uint)Count);
}
