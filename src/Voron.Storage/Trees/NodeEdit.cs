// Unsafe fence. Bounds that callers guarantee: the version is the transaction's private one of a node that NodeSearch.Enter has accepted;
// an index for removal or replacement is below Count, one for insertion at most Count; positions come from a search of the same state.
// What is kept here: header, slots and heap never overlap (32 + 8 × Count + HeapUsedBytes ≤ PageBytes), the slots block is large enough
// before a slot is added, and bytes above the heap mark are written only where no other version shares the heap.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Trees;

/// <summary>
/// Changes one private node: entries are appended to its heap, or take their old place where it is not shared; slots are inserted, replaced
/// or dropped.
/// </summary>
internal readonly unsafe ref struct NodeEdit
{
    private readonly PageWriter _pages;
    private readonly PageVersion* _version;

    internal NodeEdit(PageWriter pages, PageVersion* version)
    {
        _pages = pages;
        _version = version;
    }

    internal static NodeEdit Open(PageWriter pages, long page) => new(pages, pages.Edit(page));

    internal static NodeEdit Create(PageWriter pages, PageKind kind) => new(pages, pages.Allocate(kind));

    internal long Page => _version->PageNumber;

    internal PageView View => _version->View;

    internal int Count => Header->Count;

    private PageHeader* Header => (PageHeader*)_version->Slots;

    private int PageBytes => _pages.PageBytes;

    /// <summary>
    /// Inserts an entry when the node takes it as it is: the key shares the node's prefix and there is room below the heap mark. The
    /// caller writes the payload (and for a branch the head). Null, and nothing changed, when it does not fit.
    /// </summary>
    internal byte* TryInsert(int index, ReadOnlySpan<byte> key, int headBytes, int payloadBytes, int flag)
    {
        PageHeader* header = Header;
        int count = header->Count;
        int prefix = header->PrefixBytes;
        int entry = headBytes + key.Length - prefix + payloadBytes;
        int slotBytes = PageHeader.SizeBytes + ((count + 1) * NodeSlot.SizeBytes);
        if (slotBytes + header->HeapUsedBytes + entry > PageBytes || !SharesPrefix(key))
        {
            return null;
        }

        _pages.EnsureSlotBytes(_version, slotBytes);
        NodeSlot* slot = NodeSearch.Slot(View, index);
        Buffer.MemoryCopy(slot, slot + 1, (count - index) * NodeSlot.SizeBytes, (count - index) * NodeSlot.SizeBytes);
        Header->Count = (ushort)(count + 1);
        return Append(slot, key[prefix..], headBytes, payloadBytes, flag);
    }

    /// <summary>
    /// Replaces a leaf entry's value, where the old one is or below the heap mark; null, and nothing changed, when there is no room.
    /// </summary>
    internal byte* TryReplace(int index, int payloadBytes, int flag)
    {
        ReadOnlySpan<byte> tail = NodeSearch.Tail(View, PageBytes, Page, index);
        NodeSlot* slot = NodeSearch.Slot(View, index);
        int entryBytes = NodeSearch.LeafHeadBytes + tail.Length + payloadBytes;
        bool isOwn = !VersionMemory.IsHeapShared(_version->Heap);
        if (isOwn && slot->KeyLength == (tail.Length | flag) && IsInHeap(slot->Offset, entryBytes))
        {
            byte* entry = _version->Heap + slot->Offset;
            if (Unsafe.ReadUnaligned<ushort>(entry) >= payloadBytes)
            {
                Unsafe.WriteUnaligned(entry, (ushort)payloadBytes);
                return entry + NodeSearch.LeafHeadBytes + tail.Length;
            }
        }

        int used = PageHeader.SizeBytes + (Header->Count * NodeSlot.SizeBytes) + Header->HeapUsedBytes;
        return used + entryBytes > PageBytes ? null : Append(slot, tail, NodeSearch.LeafHeadBytes, payloadBytes, flag);
    }

    /// <summary>True when an entry fits, if need be after the node was rebuilt without its dead entries and with the best prefix.</summary>
    internal bool EnsureRoom(int index, ReadOnlySpan<byte> key, int headBytes, int payloadBytes)
    {
        PageHeader* header = Header;
        int slotBytes = PageHeader.SizeBytes + ((header->Count + 1) * NodeSlot.SizeBytes);
        if (SharesPrefix(key)
            && slotBytes + header->HeapUsedBytes + headBytes + key.Length - header->PrefixBytes + payloadBytes <= PageBytes)
        {
            return true;
        }

        NodeSearch.PrefetchHeap(View, PageBytes);
        if (!NodeBuild.Fits(View, PageBytes, Page, index, key, headBytes + payloadBytes, out int prefixBytes))
        {
            return false;
        }

        KeepRange(0, header->Count, prefixBytes);
        return true;
    }

    /// <summary>Inserts a child; the caller has ensured room. Index 0 is only for the first child of an empty branch.</summary>
    internal void InsertChild(int index, ReadOnlySpan<byte> separator, long child)
    {
        byte* entry = index == 0
            ? InsertFirst()
            : TryInsert(index, separator, NodeSearch.BranchHeadBytes, 0, 0);
        if (entry == null)
        {
            Throw.Overfull(Page);
        }

        Unsafe.WriteUnaligned(entry - EntryKeyBytes(index) - NodeSearch.BranchHeadBytes, child);
    }

    /// <summary>Lets the first entry of a branch lead to another child; the caller has ensured eight bytes of room.</summary>
    internal void ReplaceFirstChild(long child)
    {
        byte* behind = Append(NodeSearch.Slot(View, 0), default, NodeSearch.BranchHeadBytes, 0, 0);
        Unsafe.WriteUnaligned(behind - NodeSearch.BranchHeadBytes, child);
    }

    /// <summary>Drops an entry's slot, as <see cref="RemoveRange"/> does.</summary>
    internal void RemoveAt(int index) => RemoveRange(index, 1);

    /// <summary>
    /// Drops the slots of some entries. Of a branch's first entry the child goes, and the next child takes its place below everything.
    /// </summary>
    internal void RemoveRange(int index, int count)
    {
        int behind = Header->Count - index - count;
        NodeSlot* slot = NodeSearch.Slot(View, index);
        Buffer.MemoryCopy(slot + count, slot, behind * NodeSlot.SizeBytes, behind * NodeSlot.SizeBytes);
        Header->Count -= (ushort)count;
        if (index == 0 && behind > 0 && Header->Kind == PageKind.Branch)
        {
            slot->Head = 0;
            slot->KeyLength = 0;
        }
    }

    /// <summary>Forgets all entries and becomes a leaf without any.</summary>
    internal void BecomeEmptyLeaf()
    {
        _pages.ReplaceHeap(_version, _pages.RentHeap());
        PageHeader* header = Header;
        header->Kind = PageKind.Leaf;
        header->Count = 0;
        header->HeapUsedBytes = 0;
        header->PrefixBytes = 0;
    }

    /// <summary>Keeps the entries [from, to) and drops the others; the heap is rebuilt with this prefix.</summary>
    internal void KeepRange(int from, int to, int prefixBytes)
    {
        byte* heap = _pages.RentHeap();
        try
        {
            NodeBuild.CopyRange(View, PageBytes, Page, from, to, prefixBytes, new PageView(_version->Slots, heap));
        }
        catch
        {
            _pages.ReturnRented(null, 0, heap);
            throw;
        }

        _pages.ReplaceHeap(_version, heap);
    }

    /// <summary>Fills this empty new node with the entries [from, to) of another one.</summary>
    internal void TakeRange(PageView source, long sourcePage, int from, int to, int prefixBytes)
    {
        _pages.EnsureSlotBytes(_version, PageHeader.SizeBytes + ((to - from) * NodeSlot.SizeBytes));
        NodeBuild.CopyRange(source, PageBytes, sourcePage, from, to, prefixBytes, View);
    }

    /// <summary>
    /// Fills this leaf without entries with noted ones, as many as the page takes and up to the first whose value goes elsewhere; returns
    /// how many.
    /// </summary>
    internal int TakeNoted(ReadOnlySpan<NotedPut> puts, ReadOnlySpan<byte> notes, int maxInlineBytes)
    {
        int count = NodeFill.CountFitting(puts, notes, PageBytes, maxInlineBytes, out int prefixBytes);
        if (count > 0)
        {
            if (Header->HeapUsedBytes > 0)
            {
                BecomeEmptyLeaf();
            }

            _pages.EnsureSlotBytes(_version, PageHeader.SizeBytes + (count * NodeSlot.SizeBytes));
            NodeFill.Copy(puts[..count], notes, PageBytes, prefixBytes, View);
        }

        return count;
    }

    /// <summary>
    /// Builds what this node will be, the entries [from, to) of a pair that it may belong to, and leaves the node as it is.
    /// </summary>
    internal NodeBlocks Prepare(in NodePair pair, int from, int to, int prefixBytes)
    {
        byte* slots = _pages.RentSlots(PageHeader.SizeBytes + ((to - from) * NodeSlot.SizeBytes), out int slotBytes);
        byte* heap = _pages.RentHeap();
        *(PageHeader*)slots = *Header;
        try
        {
            pair.CopyTo(new PageView(slots, heap), Page, from, to, prefixBytes);
        }
        catch
        {
            _pages.ReturnRented(slots, slotBytes, heap);
            throw;
        }

        return new NodeBlocks(slots, slotBytes, heap);
    }

    /// <summary>Becomes what was prepared.</summary>
    internal void Become(NodeBlocks blocks)
    {
        _pages.ReplaceSlots(_version, blocks.Slots, blocks.SlotBytes);
        _pages.ReplaceHeap(_version, blocks.Heap);
    }

    /// <summary>Forgets what was prepared.</summary>
    internal static void Discard(PageWriter pages, NodeBlocks blocks) => pages.ReturnRented(blocks.Slots, blocks.SlotBytes, blocks.Heap);

    /// <summary>
    /// Gives a child of a branch, not the first, another separator; false, with nothing changed, when there is no room for it.
    /// </summary>
    internal bool TryReplaceSeparator(int index, ReadOnlySpan<byte> separator, Span<byte> oldBuffer)
    {
        ReadOnlySpan<byte> old = oldBuffer[..NodeSearch.CopyKey(View, PageBytes, Page, index, oldBuffer)];
        long child = NodeSearch.Child(View, PageBytes, Page, index);
        RemoveAt(index);
        bool fits = EnsureRoom(index, separator, NodeSearch.BranchHeadBytes, 0);
        if (!fits && !EnsureRoom(index, old, NodeSearch.BranchHeadBytes, 0))
        {
            Throw.Overfull(Page);
        }

        InsertChild(index, fits ? separator : old, child);
        return fits;
    }

    /// <summary>Takes over kind and content of another node; the own page number stays.</summary>
    internal void BecomeCopyOf(PageView source)
    {
        PageHeader* from = (PageHeader*)source.Slots;
        int slotBytes = PageHeader.SizeBytes + (from->Count * NodeSlot.SizeBytes);
        byte* heap = _pages.RentHeap();
        int mark = PageBytes - from->HeapUsedBytes;
        Buffer.MemoryCopy(source.Heap + mark, heap + mark, from->HeapUsedBytes, from->HeapUsedBytes);
        _pages.ReplaceHeap(_version, heap);
        _pages.EnsureSlotBytes(_version, slotBytes);
        Buffer.MemoryCopy(
            source.Slots + PageHeader.SizeBytes, _version->Slots + PageHeader.SizeBytes, slotBytes, slotBytes - PageHeader.SizeBytes);
        PageHeader* header = Header;
        header->Kind = from->Kind;
        header->Count = from->Count;
        header->HeapUsedBytes = from->HeapUsedBytes;
        header->PrefixBytes = from->PrefixBytes;
    }

    /// <summary>Forgets all entries and becomes a branch with one child.</summary>
    internal void BecomeBranchOf(long child)
    {
        _pages.ReplaceHeap(_version, _pages.RentHeap());
        PageHeader* header = Header;
        header->Kind = PageKind.Branch;
        header->Count = 0;
        header->HeapUsedBytes = 0;
        header->PrefixBytes = 0;
        InsertChild(0, default, child);
    }

    private byte* InsertFirst()
    {
        _pages.EnsureSlotBytes(_version, PageHeader.SizeBytes + NodeSlot.SizeBytes);
        Header->Count = 1;
        return Append(NodeSearch.Slot(View, 0), default, NodeSearch.BranchHeadBytes, 0, 0);
    }

    /// <summary>What a damaged slot leads to may lie below the heap mark, where a private heap has something else.</summary>
    private bool IsInHeap(int offset, int bytes) => offset >= PageBytes - Header->HeapUsedBytes && offset + bytes <= PageBytes;

    private int EntryKeyBytes(int index) => NodeSearch.Slot(View, index)->KeyLength & NodeSearch.KeyLengthMask;

    private bool SharesPrefix(ReadOnlySpan<byte> key)
    {
        int prefix = Header->PrefixBytes;
        return prefix == 0 || key.StartsWith(NodeSearch.Prefix(View, PageBytes));
    }

    /// <summary>Writes an entry below the heap mark, points the slot at it, and returns the address of its payload.</summary>
    private byte* Append(NodeSlot* slot, ReadOnlySpan<byte> tail, int headBytes, int payloadBytes, int flag)
    {
        PageHeader* header = Header;
        int used = header->HeapUsedBytes + headBytes + tail.Length + payloadBytes;
        int offset = PageBytes - used;
        byte* entry = _version->Heap + offset;
        tail.CopyTo(new Span<byte>(entry + headBytes, tail.Length));
        if (headBytes == NodeSearch.LeafHeadBytes)
        {
            Unsafe.WriteUnaligned(entry, (ushort)payloadBytes);
        }

        *slot = new NodeSlot { Head = NodeSearch.Head(tail), Offset = (ushort)offset, KeyLength = (ushort)(tail.Length | flag) };
        header->HeapUsedBytes = (ushort)used;
        return entry + headBytes + tail.Length;
    }
}
