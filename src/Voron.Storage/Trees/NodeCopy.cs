// Unsafe fence. Bounds that callers guarantee: CheckHeader has accepted every source; the target has a heap of one page and a slots
// block for the number of entries given; target and source may share the slots (then no entry's slot in the target is after its slot in the
// source, and the header is written last), never the heap. Checked here: every entry of a source before it is read, and the target's room,
// because damaged entries may overlap and add up to more than a page.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Builds one node from entries of other nodes, taken in ascending order: only live entries, with a prefix length given in advance.
/// </summary>
internal unsafe ref struct NodeCopy
{
    private readonly Node _target;
    private readonly int _prefixBytes;
    private readonly int _slotsEnd;
    private int _mark;
    private int _count;

    internal NodeCopy(in Node target, int entries, int prefixBytes)
    {
        _target = target;
        _prefixBytes = prefixBytes;
        _slotsEnd = PageHeader.SizeBytes + (entries * NodeSlot.SizeBytes);
        _mark = target.PageBytes - prefixBytes;
        RequireRoom(_mark);
    }

    internal readonly bool IsEmpty => _count == 0;

    /// <summary>Writes the prefix: the first bytes of an entry's key.</summary>
    internal readonly void TakePrefix(in Node source, int index)
    {
        ReadOnlySpan<byte> prefix = source.Prefix;
        int shared = Math.Min(_prefixBytes, prefix.Length);
        Cut(source.Tail(index), _prefixBytes - shared, source.Page, index, out ReadOnlySpan<byte> more);
        Span<byte> target = new(_target.Heap + _target.PageBytes - _prefixBytes, _prefixBytes);
        prefix[..shared].CopyTo(target);
        more.CopyTo(target[shared..]);
    }

    /// <summary>Adds an entry of a branch with the key given, or without a key if it is the first.</summary>
    internal void TakeChild(in Node source, int index, ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> child = source.ChildBytes(index);
        ReadOnlySpan<byte> tail = _count == 0 ? default : Cut(key, _prefixBytes, source.Page, index, out _);
        _mark -= Node.BranchHeadBytes + tail.Length;
        RequireRoom(_mark);
        child.CopyTo(new Span<byte>(_target.Heap + _mark, child.Length));
        tail.CopyTo(new Span<byte>(_target.Heap + _mark + child.Length, tail.Length));
        *_target.SlotToFill(_count) = new NodeSlot
        {
            Head = NodeSearch.Head(tail), Offset = (ushort)_mark, KeyLength = (ushort)tail.Length,
        };
        _count++;
    }

    /// <summary>Adds the entries [from, to), which have keys.</summary>
    internal void Take(in Node source, int from, int to)
    {
        if (source.Prefix.Length == _prefixBytes)
        {
            TakeAsTheyAre(source, from, to);
        }
        else
        {
            TakeWithOtherTails(source, from, to);
        }

        _count += to - from;
    }

    /// <summary>Writes the counts and sizes in the header.</summary>
    internal readonly void End()
    {
        PageHeader* header = _target.Header;
        header->Count = (ushort)_count;
        header->HeapUsedBytes = (ushort)(_target.PageBytes - _mark);
        header->PrefixBytes = (ushort)_prefixBytes;
    }

    private void TakeAsTheyAre(in Node source, int from, int to)
    {
        NodeSlot* target = _target.SlotToFill(_count);
        int mark = _mark;
        for (int i = from; i < to; i++)
        {
            int bytes = source.EntryBytes(i);
            NodeSlot slot = *source.Slot(i);
            mark -= bytes;
            RequireRoom(mark);
            Unsafe.CopyBlockUnaligned(_target.Heap + mark, source.Heap + slot.Offset, (uint)bytes);
            slot.Offset = (ushort)mark;
            *target++ = slot;
        }

        _mark = mark;
    }

    /// <summary>Copies entries whose tails get shorter or longer because the new prefix is longer or shorter than the source's.</summary>
    private void TakeWithOtherTails(in Node source, int from, int to)
    {
        ReadOnlySpan<byte> oldPrefix = source.Prefix;
        ReadOnlySpan<byte> grown = _prefixBytes < oldPrefix.Length ? oldPrefix[_prefixBytes..] : default;
        int cutBytes = Math.Max(0, _prefixBytes - oldPrefix.Length);
        int headBytes = source.IsLeaf ? Node.LeafHeadBytes : Node.BranchHeadBytes;
        NodeSlot* target = _target.SlotToFill(_count);
        for (int i = from; i < to; i++)
        {
            int bytes = source.EntryBytes(i);
            NodeSlot slot = *source.Slot(i);
            byte* entry = source.Heap + slot.Offset;
            ReadOnlySpan<byte> oldTail = new(entry + headBytes, slot.KeyLength & Node.KeyLengthMask);
            ReadOnlySpan<byte> tail = Cut(oldTail, cutBytes, source.Page, i, out _);
            ReadOnlySpan<byte> value = new(entry + headBytes + oldTail.Length, bytes - headBytes - oldTail.Length);
            _mark -= headBytes + grown.Length + tail.Length + value.Length;
            RequireRoom(_mark);
            byte* copy = _target.Heap + _mark;
            Unsafe.CopyBlockUnaligned(copy, entry, (uint)headBytes);
            Span<byte> newTail = new(copy + headBytes, grown.Length + tail.Length);
            grown.CopyTo(newTail);
            tail.CopyTo(newTail[grown.Length..]);
            value.CopyTo(new Span<byte>(copy + headBytes + newTail.Length, value.Length));
            *target++ = new NodeSlot
            {
                Head = NodeSearch.Head(newTail),
                Offset = (ushort)_mark,
                KeyLength = (ushort)(newTail.Length | (slot.KeyLength & Node.OverflowFlag)),
            };
        }
    }

    private readonly void RequireRoom(int mark)
    {
        if (mark < _slotsEnd)
        {
            Throw.Overfull(_target.Page);
        }
    }

    /// <summary>Cuts off the bytes that a longer prefix includes. A shorter key is out of order.</summary>
    private static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> tail, int bytes, PageNumber page, int index, out ReadOnlySpan<byte> taken)
    {
        if (tail.Length < bytes)
        {
            Throw.OutOfOrder(page, index);
        }

        taken = tail[..bytes];
        return tail[bytes..];
    }
}
