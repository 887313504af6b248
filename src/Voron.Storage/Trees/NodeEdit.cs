// Unsafe fence. Bounds that callers guarantee: the version is the transaction's private one of a node that CheckHeader has accepted;
// an index for removal or replacement is below Count, one for insertion at most Count; positions come from a search of the same state.
// Guaranteed here: header, slots and heap never overlap (32 + 8 × Count + HeapUsedBytes ≤ PageBytes), the slots block is large enough
// before a slot is added, and bytes above the heap mark are written only if no other version shares the heap.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Changes one private node. Entries are appended to its heap, or overwritten in place if the heap is not shared; slots are inserted,
/// replaced or removed.
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

    internal static NodeEdit Open(PageWriter pages, PageNumber page) => new(pages, pages.Edit(page));

    /// <summary>Creates an empty node in the data file or, as a node of a tree without a place there, only in memory.</summary>
    internal static NodeEdit Create(PageWriter pages, PageKind kind, bool inMemory) => new(pages, pages.Allocate(kind, inMemory));

    internal PageNumber Page => _version->PageNumber;

    /// <summary>The node as it is now; a change may move its slots and heap.</summary>
    internal Node Node => new(_version->View, PageBytes, Page);

    internal int Count => Header->Count;

    private PageHeader* Header => (PageHeader*)_version->Slots;

    private int PageBytes => _pages.PageBytes;

    /// <summary>
    /// Inserts an entry if the node has room without a rebuild: the key shares the node's prefix, and the entry fits below the heap mark.
    /// Returns the payload's address; the caller writes the payload (and a branch's head). Returns null, with nothing changed, if the entry
    /// does not fit.
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
        NodeSlot* slot = Node.Slot(index);
        Buffer.MemoryCopy(slot, slot + 1, (count - index) * NodeSlot.SizeBytes, (count - index) * NodeSlot.SizeBytes);
        Header->Count = (ushort)(count + 1);
        return Append(slot, key[prefix..], headBytes, payloadBytes, flag);
    }

    /// <summary>
    /// Replaces a leaf entry's value, in place or below the heap mark, and returns the address for the payload; null, with nothing changed,
    /// if there is no room.
    /// </summary>
    internal byte* TryReplace(int index, int payloadBytes, int flag)
    {
        ReadOnlySpan<byte> tail = Node.Tail(index);
        NodeSlot* slot = Node.Slot(index);
        int entryBytes = Node.LeafHeadBytes + tail.Length + payloadBytes;
        bool isOwn = !VersionMemory.IsHeapShared(_version->Heap);
        if (isOwn && slot->KeyLength == (tail.Length | flag) && IsInHeap(slot->Offset, entryBytes))
        {
            byte* entry = _version->Heap + slot->Offset;
            if (Unsafe.ReadUnaligned<ushort>(entry) >= payloadBytes)
            {
                Unsafe.WriteUnaligned(entry, (ushort)payloadBytes);
                return entry + Node.LeafHeadBytes + tail.Length;
            }
        }

        int used = PageHeader.SizeBytes + (Header->Count * NodeSlot.SizeBytes) + Header->HeapUsedBytes;
        return used + entryBytes > PageBytes ? null : Append(slot, tail, Node.LeafHeadBytes, payloadBytes, flag);
    }

    /// <summary>Inserts a leaf entry with its value; false, with nothing changed, if the node has no room without a rebuild.</summary>
    internal bool TryInsert(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte* target = TryInsert(index, key, Node.LeafHeadBytes, value.Length, 0);
        return target != null && value.TryCopyTo(new Span<byte>(target, value.Length));
    }

    /// <summary>Replaces a leaf entry's value; false, with nothing changed, if there is no room.</summary>
    internal bool TryReplace(int index, ReadOnlySpan<byte> value)
    {
        byte* target = TryReplace(index, value.Length, 0);
        return target != null && value.TryCopyTo(new Span<byte>(target, value.Length));
    }

    /// <summary>
    /// Inserts bytes into a leaf entry's value, in place; false, with nothing changed, if the heap is shared, or if the next entry in it is
    /// too close. Dead entries between the two are overwritten.
    /// </summary>
    internal bool TryInsertInto(int index, int offset, ReadOnlySpan<byte> bytes)
    {
        NodeSlot slot = *Node.Slot(index);
        int headBytes = Node.LeafHeadBytes + (slot.KeyLength & Node.KeyLengthMask);
        if (VersionMemory.IsHeapShared(_version->Heap) || !IsInHeap(slot.Offset, headBytes))
        {
            return false;
        }

        byte* entry = _version->Heap + slot.Offset;
        int valueBytes = Unsafe.ReadUnaligned<ushort>(entry);
        if (offset > valueBytes || slot.Offset + headBytes + valueBytes + bytes.Length > Node.NextInHeap(index))
        {
            return false;
        }

        byte* at = entry + headBytes + offset;
        Buffer.MemoryCopy(at, at + bytes.Length, valueBytes - offset, valueBytes - offset);
        bytes.CopyTo(new Span<byte>(at, bytes.Length));
        Unsafe.WriteUnaligned(entry, (ushort)(valueBytes + bytes.Length));
        return true;
    }

    /// <summary>
    /// Returns whether an entry fits. If necessary, rebuilds the node without its dead entries and with the longest shared prefix.
    /// </summary>
    internal bool EnsureRoom(int index, ReadOnlySpan<byte> key, int headBytes, int payloadBytes)
    {
        PageHeader* header = Header;
        int slotBytes = PageHeader.SizeBytes + ((header->Count + 1) * NodeSlot.SizeBytes);
        if (SharesPrefix(key)
            && slotBytes + header->HeapUsedBytes + headBytes + key.Length - header->PrefixBytes + payloadBytes <= PageBytes)
        {
            return true;
        }

        Node.PrefetchHeap();
        if (!NodeBuild.Fits(Node, index, key, headBytes + payloadBytes, out int prefixBytes))
        {
            return false;
        }

        KeepRange(0, header->Count, prefixBytes);
        return true;
    }

    /// <summary>Inserts a child; the caller has ensured room. Index 0 is only for the first child of an empty branch.</summary>
    internal void InsertChild(int index, ReadOnlySpan<byte> separator, PageNumber child)
    {
        byte* entry = index == 0
            ? InsertFirst()
            : TryInsert(index, separator, Node.BranchHeadBytes, 0, 0);
        if (entry == null)
        {
            Throw.Overfull(Page);
        }

        Unsafe.WriteUnaligned(entry - EntryKeyBytes(index) - Node.BranchHeadBytes, child);
    }

    /// <summary>Makes an entry of a branch lead to another child that has the keys of the old one.</summary>
    internal void ReplaceChild(int index, PageNumber child)
    {
        OwnHeap();
        Node.ChildBytes(index);
        Unsafe.WriteUnaligned(_version->Heap + Node.Slot(index)->Offset, child);
    }

    /// <summary>Makes a leaf entry refer to another run that holds the same value.</summary>
    internal void ReplaceReference(int index, OverflowReference reference) => MemoryMarshal.Write(OwnValue(index), reference);

    /// <summary>Returns a leaf entry's value, or the reference to it, to be written in place.</summary>
    internal Span<byte> OwnValue(int index)
    {
        OwnHeap();
        Node.IsOverflow(index, out ReadOnlySpan<byte> stored);
        int at = Node.Slot(index)->Offset + Node.LeafHeadBytes + (Node.Slot(index)->KeyLength & Node.KeyLengthMask);
        if (!IsInHeap(at, stored.Length))
        {
            Throw.BadEntry(Page, index);
        }

        return new Span<byte>(_version->Heap + at, stored.Length);
    }

    /// <summary>Makes the first entry of a branch lead to another child; the caller has ensured eight bytes of room.</summary>
    internal void ReplaceFirstChild(PageNumber child)
    {
        byte* behind = Append(Node.Slot(0), default, Node.BranchHeadBytes, 0, 0);
        Unsafe.WriteUnaligned(behind - Node.BranchHeadBytes, child);
    }

    /// <summary>Removes an entry's slot, like <see cref="RemoveRange"/>.</summary>
    internal void RemoveAt(int index) => RemoveRange(index, 1);

    /// <summary>
    /// Removes the slots of a range of entries. If a branch loses its first entry, the next child becomes the first: its entry has no key
    /// and leads to all keys below the following one.
    /// </summary>
    internal void RemoveRange(int index, int count)
    {
        int behind = Header->Count - index - count;
        NodeSlot* slot = Node.Slot(index);
        Buffer.MemoryCopy(slot + count, slot, behind * NodeSlot.SizeBytes, behind * NodeSlot.SizeBytes);
        Header->Count -= (ushort)count;
        if (index == 0 && behind > 0 && Header->Kind == PageKind.Branch)
        {
            slot->Head = 0;
            slot->KeyLength = 0;
        }
    }

    /// <summary>Removes all entries and becomes an empty leaf.</summary>
    internal void BecomeEmptyLeaf() => BecomeEmpty(PageKind.Leaf);

    /// <summary>Keeps the entries [from, to) and removes the others; rebuilds the heap with a prefix of this length.</summary>
    internal void KeepRange(int from, int to, int prefixBytes)
    {
        byte* heap = _pages.RentHeap();
        try
        {
            NodeBuild.CopyRange(Node, from, to, prefixBytes, new PageView(_version->Slots, heap));
        }
        catch
        {
            _pages.ReturnRented(null, 0, heap);
            throw;
        }

        _pages.ReplaceHeap(_version, heap);
    }

    /// <summary>Fills this empty new node with the entries [from, to) of another node.</summary>
    internal void TakeRange(in Node source, int from, int to, int prefixBytes)
    {
        _pages.EnsureSlotBytes(_version, PageHeader.SizeBytes + ((to - from) * NodeSlot.SizeBytes));
        NodeBuild.CopyRange(source, from, to, prefixBytes, _version->View);
    }

    /// <summary>
    /// Fills this empty leaf with deferred puts: as many as the page has room for, up to the first whose value is too long for a leaf.
    /// Returns their number.
    /// </summary>
    internal int TakeNoted(ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes)
    {
        int count = NodeFill.CountFitting(puts, notes, PageBytes, out int prefixBytes);
        if (count > 0)
        {
            if (Header->HeapUsedBytes > 0)
            {
                BecomeEmptyLeaf();
            }

            _pages.EnsureSlotBytes(_version, PageHeader.SizeBytes + (count * NodeSlot.SizeBytes));
            NodeFill.Copy(puts[..count], notes, prefixBytes, Node);
        }

        return count;
    }

    /// <summary>
    /// Builds the future content of this node, the entries [from, to) of a pair that may include it, in new blocks and leaves the node
    /// unchanged.
    /// </summary>
    internal NodeBlocks Prepare(in NodePair pair, int from, int to, int prefixBytes)
    {
        byte* slots = _pages.RentSlots(PageHeader.SizeBytes + ((to - from) * NodeSlot.SizeBytes), out int slotBytes);
        byte* heap = _pages.RentHeap();
        *(PageHeader*)slots = *Header;
        try
        {
            pair.CopyTo(new Node(new PageView(slots, heap), PageBytes, Page), from, to, prefixBytes);
        }
        catch
        {
            _pages.ReturnRented(slots, slotBytes, heap);
            throw;
        }

        return new NodeBlocks(slots, slotBytes, heap);
    }

    /// <summary>Replaces the node's content with the prepared blocks.</summary>
    internal void Become(NodeBlocks blocks)
    {
        _pages.ReplaceSlots(_version, blocks.Slots, blocks.SlotBytes);
        _pages.ReplaceHeap(_version, blocks.Heap);
    }

    /// <summary>Returns prepared blocks that are not needed.</summary>
    internal static void Discard(PageWriter pages, NodeBlocks blocks) => pages.ReturnRented(blocks.Slots, blocks.SlotBytes, blocks.Heap);

    /// <summary>
    /// Replaces the separator of a child other than the first; returns false, with the old separator in place, if there is no room for the
    /// new one.
    /// </summary>
    internal bool TryReplaceSeparator(int index, ReadOnlySpan<byte> separator, Span<byte> oldBuffer)
    {
        ReadOnlySpan<byte> old = oldBuffer[..Node.CopyKey(index, oldBuffer)];
        PageNumber child = Node.Child(index);
        RemoveAt(index);
        bool fits = EnsureRoom(index, separator, Node.BranchHeadBytes, 0);
        if (!fits && !EnsureRoom(index, old, Node.BranchHeadBytes, 0))
        {
            Throw.Overfull(Page);
        }

        InsertChild(index, fits ? separator : old, child);
        return fits;
    }

    /// <summary>Copies kind and content of another node; this node keeps its page number.</summary>
    internal void BecomeCopyOf(in Node source)
    {
        PageHeader* from = source.Header;
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

    /// <summary>Removes all entries and becomes a branch with one child.</summary>
    internal void BecomeBranchOf(PageNumber child)
    {
        BecomeEmpty(PageKind.Branch);
        InsertChild(0, default, child);
    }

    private void BecomeEmpty(PageKind kind)
    {
        _pages.ReplaceHeap(_version, _pages.RentHeap());
        *Header = *Header with { Kind = kind, Count = 0, HeapUsedBytes = 0, PrefixBytes = 0 };
    }

    private byte* InsertFirst()
    {
        _pages.EnsureSlotBytes(_version, PageHeader.SizeBytes + NodeSlot.SizeBytes);
        Header->Count = 1;
        return Append(Node.Slot(0), default, Node.BranchHeadBytes, 0, 0);
    }

    /// <summary>
    /// Returns whether an entry is within the used heap. A damaged slot may point below the heap mark, where a private heap holds other
    /// data.
    /// </summary>
    private bool IsInHeap(int offset, int bytes) => offset >= PageBytes - Header->HeapUsedBytes && offset + bytes <= PageBytes;

    /// <summary>Gives the node a heap of its own, in which entries can be written in place.</summary>
    private void OwnHeap()
    {
        if (VersionMemory.IsHeapShared(_version->Heap))
        {
            KeepRange(0, Header->Count, Header->PrefixBytes);
        }
    }

    private int EntryKeyBytes(int index) => Node.Slot(index)->KeyLength & Node.KeyLengthMask;

    private bool SharesPrefix(ReadOnlySpan<byte> key)
    {
        int prefix = Header->PrefixBytes;
        return prefix == 0 || key.StartsWith(Node.Prefix);
    }

    /// <summary>Writes an entry below the heap mark, points the slot at it, and returns the address of its payload.</summary>
    private byte* Append(NodeSlot* slot, ReadOnlySpan<byte> tail, int headBytes, int payloadBytes, int flag)
    {
        PageHeader* header = Header;
        int used = header->HeapUsedBytes + headBytes + tail.Length + payloadBytes;
        int offset = PageBytes - used;
        byte* entry = _version->Heap + offset;
        tail.CopyTo(new Span<byte>(entry + headBytes, tail.Length));
        if (headBytes == Node.LeafHeadBytes)
        {
            Unsafe.WriteUnaligned(entry, (ushort)payloadBytes);
        }

        *slot = new NodeSlot { Head = NodeSearch.Head(tail), Offset = (ushort)offset, KeyLength = (ushort)(tail.Length | flag) };
        header->HeapUsedBytes = (ushort)used;
        return entry + headBytes + tail.Length;
    }
}
