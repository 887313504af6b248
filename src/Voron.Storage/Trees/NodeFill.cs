// Unsafe fence. Bounds that callers guarantee: the target has an unused heap of one page, and a slots block with room for the entries; the
// number of entries and the prefix are those that CountFitting returned.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>
/// Builds leaves from deferred puts in ascending order: each leaf as full as possible, with the longest prefix that its keys share.
/// </summary>
internal static unsafe class NodeFill
{
    /// <summary>
    /// Returns how many of the entries fit in one leaf, and the length of its prefix. Stops at the first value that is too long for a leaf.
    /// </summary>
    internal static int CountFitting(ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes, int pageBytes, out int prefixBytes)
    {
        ReadOnlySpan<byte> first = puts[0].Key(notes);
        int shared = first.Length;
        int count = 0;
        int wholeBytes = PageHeader.SizeBytes;
        prefixBytes = 0;
        foreach (ref readonly DeferredPut put in puts)
        {
            wholeBytes += NodeSlot.SizeBytes + Node.LeafHeadBytes + put.KeyLength + put.ValueLength;
            shared = first[..shared].CommonPrefixLength(put.Key(notes));
            int prefix = count == 0 ? 0 : shared;
            if (!Node.HoldsValue(pageBytes, put.KeyLength, put.ValueLength) || wholeBytes - (count * prefix) > pageBytes)
            {
                break;
            }

            prefixBytes = prefix;
            count++;
        }

        return count;
    }

    internal static void Copy(ReadOnlySpan<DeferredPut> puts, ReadOnlySpan<byte> notes, int prefixBytes, in Node target)
    {
        int mark = target.PageBytes - prefixBytes;
        notes.Slice(puts[0].KeyOffset, prefixBytes).CopyTo(new Span<byte>(target.Heap + mark, prefixBytes));
        for (int i = 0; i < puts.Length; i++)
        {
            // Key and value are adjacent both in the notes and in the leaf entry.
            ref readonly DeferredPut put = ref puts[i];
            int tailBytes = put.KeyLength - prefixBytes;
            ReadOnlySpan<byte> entry = notes.Slice(put.KeyOffset + prefixBytes, tailBytes + put.ValueLength);
            mark -= Node.LeafHeadBytes + entry.Length;
            Unsafe.WriteUnaligned(target.Heap + mark, (ushort)put.ValueLength);
            entry.CopyTo(new Span<byte>(target.Heap + mark + Node.LeafHeadBytes, entry.Length));
            *target.SlotToFill(i) = new NodeSlot
            {
                Head = NodeSearch.Head(entry[..tailBytes]), Offset = (ushort)mark, KeyLength = (ushort)tailBytes,
            };
        }

        PageHeader* header = target.Header;
        header->Count = (ushort)puts.Length;
        header->HeapUsedBytes = (ushort)(target.PageBytes - mark);
        header->PrefixBytes = (ushort)prefixBytes;
    }
}
