// Unsafe fence, only to convert a PageView to spans. Bounds that callers guarantee: the view comes from PageSource or PageWriter (its slots
// block holds the header and the slots that the header counts, or is the whole page). All other accesses are bounds-checked, and nothing
// throws on damage.
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Decodes one node with every possible check: it never throws on damage but describes the problem. It shares no code with the fast search,
/// so that each can reveal the other's mistakes.
/// </summary>
internal readonly ref struct NodeReader
{
    private readonly ReadOnlySpan<byte> _slots;
    private readonly ReadOnlySpan<byte> _heap;
    private readonly PageHeader _header;

    private NodeReader(ReadOnlySpan<byte> slots, ReadOnlySpan<byte> heap, PageHeader header)
    {
        _slots = slots;
        _heap = heap;
        _header = header;
    }

    internal PageKind Kind => _header.Kind;

    internal int Count => _header.Count;

    internal PageNumber PageNumber => _header.PageNumber;

    internal TransactionId TransactionId => _header.TransactionId;

    internal int HeapUsedBytes => _header.HeapUsedBytes;

    internal ReadOnlySpan<byte> Prefix => _heap[(_heap.Length - _header.PrefixBytes)..];

    /// <summary>Bytes between the slots and the heap mark.</summary>
    internal int FreeBytes => _heap.Length - SlotsEnd - _header.HeapUsedBytes;

    private int SlotsEnd => PageHeader.SizeBytes + (Count * NodeSlot.SizeBytes);

    private int HeadBytes => Kind == PageKind.Leaf ? sizeof(ushort) : sizeof(long);

    /// <summary>Opens a node; returns null if its header is sound, else a description of the problem.</summary>
    internal static unsafe string? TryOpen(PageView view, int pageBytes, out NodeReader node)
    {
        node = default;
        ReadOnlySpan<byte> head = new(view.Slots, PageHeader.SizeBytes);
        PageHeader header = MemoryMarshal.Read<PageHeader>(head);
        int slotBytes = PageHeader.SizeBytes + (header.Count * NodeSlot.SizeBytes);
        return slotBytes > pageBytes
            ? $"{header.Count} slots do not fit in a page"
            : TryOpen(new ReadOnlySpan<byte>(view.Slots, slotBytes), new ReadOnlySpan<byte>(view.Heap, pageBytes), out node);
    }

    /// <summary>
    /// Opens a node given as bytes: its header and slots, and the page that the offsets of its entries refer to (which may be the same
    /// bytes).
    /// </summary>
    internal static string? TryOpen(ReadOnlySpan<byte> slots, ReadOnlySpan<byte> heap, out NodeReader node)
    {
        node = default;
        if (slots.Length < PageHeader.SizeBytes)
        {
            return "shorter than a page header";
        }

        PageHeader header = MemoryMarshal.Read<PageHeader>(slots);
        int slotBytes = PageHeader.SizeBytes + (header.Count * NodeSlot.SizeBytes);
        if (header.Kind is not (PageKind.Leaf or PageKind.Branch))
        {
            return $"kind {(byte)header.Kind} is not that of a node";
        }

        if (slotBytes > slots.Length || slotBytes + header.HeapUsedBytes > heap.Length)
        {
            return $"{header.Count} slots and {header.HeapUsedBytes} heap bytes do not fit in {heap.Length} bytes";
        }

        if (header.PrefixBytes > header.HeapUsedBytes)
        {
            return $"the prefix of {header.PrefixBytes} bytes is longer than the heap of {header.HeapUsedBytes}";
        }

        if (header.Flags != 0)
        {
            return $"unknown flags {header.Flags}";
        }

        node = new NodeReader(slots[..slotBytes], heap, header);
        return null;
    }

    /// <summary>Decodes one entry; returns null if it is sound, else a description of the problem.</summary>
    internal string? TryGetEntry(int index, out NodeEntry entry)
    {
        entry = default;
        NodeSlot slot = MemoryMarshal.Read<NodeSlot>(_slots[(PageHeader.SizeBytes + (index * NodeSlot.SizeBytes))..]);
        bool isOverflow = (slot.KeyLength & 0x8000) != 0;
        int keyBytes = slot.KeyLength & 0x7FFF;
        int mark = _heap.Length - _header.HeapUsedBytes;
        if (slot.Offset < mark || slot.Offset + HeadBytes + keyBytes > _heap.Length)
        {
            return $"entry {index} at {slot.Offset} with {keyBytes} key bytes does not lie in the heap, which starts at {mark}";
        }

        ReadOnlySpan<byte> bytes = _heap[slot.Offset..];
        ReadOnlySpan<byte> tail = bytes.Slice(HeadBytes, keyBytes);
        if (slot.Head != HeadOf(tail))
        {
            return $"entry {index} has the head {slot.Head:x8}, its key says {HeadOf(tail):x8}";
        }

        if (Kind == PageKind.Branch)
        {
            if (isOverflow || (index == 0 && keyBytes != 0))
            {
                return $"entry {index} of a branch has {(isOverflow ? "an overflow value" : "a key")}";
            }

            entry = new NodeEntry(tail, default, new PageNumber(BinaryPrimitives.ReadInt64LittleEndian(bytes)), default, false);
            return entry.Child < FormatConstants.CatalogRootPage ? $"entry {index} leads to page {entry.Child}" : null;
        }

        int valueBytes = BinaryPrimitives.ReadUInt16LittleEndian(bytes);
        if (slot.Offset + HeadBytes + keyBytes + valueBytes > _heap.Length)
        {
            return $"entry {index} at {slot.Offset} with {valueBytes} value bytes runs over the page's end";
        }

        ReadOnlySpan<byte> value = bytes.Slice(HeadBytes + keyBytes, valueBytes);
        if (isOverflow && valueBytes != OverflowReference.SizeBytes)
        {
            return $"entry {index} has an overflow reference of {valueBytes} bytes";
        }

        entry = new NodeEntry(tail, value, default, isOverflow ? MemoryMarshal.Read<OverflowReference>(value) : default, isOverflow);
        return isOverflow || IsShort(keyBytes, valueBytes) ? null : $"entry {index} has a value of {valueBytes} bytes inside the page";
    }

    /// <summary>Returns the whole key of a decoded entry (allocates); empty for the first entry of a branch.</summary>
    internal byte[] KeyOf(int index, in NodeEntry entry) => Kind == PageKind.Branch && index == 0 ? [] : [.. Prefix, .. entry.Tail];

    /// <summary>Compares the whole key of an entry with another key. Not for the first entry of a branch.</summary>
    internal int CompareKey(in NodeEntry entry, ReadOnlySpan<byte> other)
    {
        ReadOnlySpan<byte> prefix = Prefix;
        int common = Math.Min(prefix.Length, other.Length);
        int order = prefix[..common].SequenceCompareTo(other[..common]);
        if (order != 0)
        {
            return order;
        }

        return common < prefix.Length ? 1 : entry.Tail.SequenceCompareTo(other[common..]);
    }

    /// <summary>
    /// Checks the node by itself: every entry, the order of the keys, and that no two entries overlap. Returns null if it is sound, else
    /// the first problem.
    /// </summary>
    internal string? FindProblem()
    {
        long entryBytes = _header.PrefixBytes;
        ReadOnlySpan<byte> last = default;
        int first = Kind == PageKind.Branch ? 1 : 0;
        for (int i = 0; i < Count; i++)
        {
            if (TryGetEntry(i, out NodeEntry entry) is { } problem)
            {
                return problem;
            }

            if (i > first && last.SequenceCompareTo(entry.Tail) >= 0)
            {
                return $"the key of entry {i} is not above the one before";
            }

            if (i >= first && _header.PrefixBytes + entry.Tail.Length > _heap.Length / 4)
            {
                return $"the key of entry {i} is longer than a quarter of the page";
            }

            last = entry.Tail;
            entryBytes += HeadBytes + entry.Tail.Length + entry.Value.Length;
        }

        if (Kind == PageKind.Branch && Count < 2)
        {
            return $"a branch with {Count} entries";
        }

        return entryBytes > _header.HeapUsedBytes
            ? $"the entries have {entryBytes} bytes together, the heap {_header.HeapUsedBytes}: some overlap"
            : null;
    }

    /// <summary>Whether a leaf may hold a value: it is at most a quarter of the page, or two entries like this one fit.</summary>
    private bool IsShort(int tailBytes, int valueBytes) =>
        valueBytes <= _heap.Length / 4
        || 2 * (NodeSlot.SizeBytes + HeadBytes + _header.PrefixBytes + tailBytes + valueBytes) <= _heap.Length - PageHeader.SizeBytes;

    private static uint HeadOf(ReadOnlySpan<byte> tail)
    {
        Span<byte> head = stackalloc byte[sizeof(uint)];
        tail[..Math.Min(tail.Length, head.Length)].CopyTo(head);
        return BinaryPrimitives.ReadUInt32BigEndian(head);
    }
}
