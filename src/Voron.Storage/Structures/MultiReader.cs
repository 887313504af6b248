using System.Buffers;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Structures;

/// <summary>Lookups and counts in a multi-value tree as one snapshot sees it.</summary>
internal static class MultiReader
{
    internal static bool Contains(
        PageSource source,
        TransactionId snapshot,
        PageNumber root,
        int valueBytes,
        scoped ReadOnlySpan<byte> key,
        scoped ReadOnlySpan<byte> value)
    {
        byte[] buffer = Rent(source);
        MultiPosition position = new(source, snapshot, root, valueBytes, buffer, remembers: false);
        bool isThere = position.SeekPair(key, value);
        ArrayPool<byte>.Shared.Return(buffer);
        return isThere;
    }

    /// <summary>Counts the pairs of a key by the lengths of their blocks.</summary>
    internal static long Count(
        PageSource source, TransactionId snapshot, PageNumber root, int valueBytes, scoped ReadOnlySpan<byte> key)
    {
        byte[] bounds = ArrayPool<byte>.Shared.Rent(2 * MultiPosition.BoundBytes(source.PageBytes));
        Span<byte> low = bounds.AsSpan(0, MultiPosition.BoundBytes(source.PageBytes));
        Span<byte> high = bounds.AsSpan(low.Length, low.Length);
        low = low[..MultiKey.Write(key, low)];
        high = high[..MultiKey.WriteBehind(key, high)];
        long count = CountBetween(source, snapshot, root, valueBytes, low, high);
        ArrayPool<byte>.Shared.Return(bounds);
        return count;
    }

    /// <summary>Counts the pairs between two bounds that no block has pairs on both sides of.</summary>
    internal static long CountBetween(
        PageSource source, TransactionId snapshot, PageNumber root, int valueBytes, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        RangeCursor cursor = new(source, snapshot, root, low, high, RangeEnds.From | RangeEnds.To, reversed: false);
        long count = 0;
        try
        {
            while (cursor.MoveNext())
            {
                if (cursor.IsOverflow(out ReadOnlySpan<byte> rest))
                {
                    Throw.BadBlock(root);
                }

                count += 1 + new PackedValues(rest, valueBytes, root).Count;
            }
        }
        finally
        {
            cursor.Dispose();
        }

        return count;
    }

    internal static byte[] Rent(PageSource source) => ArrayPool<byte>.Shared.Rent(MultiPosition.BufferBytes(source.PageBytes));
}
