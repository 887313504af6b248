// Unsafe fence. Bounds that callers guarantee: the target has a heap of one page, of which nothing is in use, and a slots block for the
// entries; these are as many as CountFitting found, with the prefix that it found for them.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>Builds leaves from noted entries in ascending order: each as full as it gets, with the longest prefix its keys share.</summary>
internal static unsafe class NodeFill
{
    /// <summary>How many of the entries one leaf takes, and the prefix that it has then. Those with long values are not counted.</summary>
    internal static int CountFitting(
        ReadOnlySpan<NotedPut> puts, ReadOnlySpan<byte> notes, int pageBytes, int maxInlineBytes, out int prefixBytes)
    {
        ReadOnlySpan<byte> first = puts[0].Key(notes);
        int shared = first.Length;
        int count = 0;
        int wholeBytes = PageHeader.SizeBytes;
        prefixBytes = 0;
        foreach (ref readonly NotedPut put in puts)
        {
            wholeBytes += NodeSlot.SizeBytes + NodeSearch.LeafHeadBytes + put.KeyLength + put.ValueLength;
            shared = first[..shared].CommonPrefixLength(put.Key(notes));
            int prefix = count == 0 ? 0 : shared;
            if (put.ValueLength > maxInlineBytes || wholeBytes - (count * prefix) > pageBytes)
            {
                break;
            }

            prefixBytes = prefix;
            count++;
        }

        return count;
    }

    /// <summary>Writes header numbers, slots, prefix and entries.</summary>
    internal static void Copy(ReadOnlySpan<NotedPut> puts, ReadOnlySpan<byte> notes, int pageBytes, int prefixBytes, PageView target)
    {
        int mark = pageBytes - prefixBytes;
        notes.Slice(puts[0].KeyOffset, prefixBytes).CopyTo(new Span<byte>(target.Heap + mark, prefixBytes));
        for (int i = 0; i < puts.Length; i++)
        {
            // Key and value stand side by side here as there.
            ref readonly NotedPut put = ref puts[i];
            int tailBytes = put.KeyLength - prefixBytes;
            ReadOnlySpan<byte> entry = notes.Slice(put.KeyOffset + prefixBytes, tailBytes + put.ValueLength);
            mark -= NodeSearch.LeafHeadBytes + entry.Length;
            Unsafe.WriteUnaligned(target.Heap + mark, (ushort)put.ValueLength);
            entry.CopyTo(new Span<byte>(target.Heap + mark + NodeSearch.LeafHeadBytes, entry.Length));
            *NodeSearch.SlotToFill(target, i) = new NodeSlot
            {
                Head = NodeSearch.Head(entry[..tailBytes]), Offset = (ushort)mark, KeyLength = (ushort)tailBytes,
            };
        }

        PageHeader* header = (PageHeader*)target.Slots;
        header->Count = (ushort)puts.Length;
        header->HeapUsedBytes = (ushort)(pageBytes - mark);
        header->PrefixBytes = (ushort)prefixBytes;
    }
}
