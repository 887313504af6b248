using System.Buffers;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Structures;

/// <summary>Lookups and counts in a fixed-size tree as one snapshot sees it.</summary>
internal static class FixedReader
{
    /// <summary>Finds the value of a key, which must be the normal one.</summary>
    internal static bool TryGet<TKey>(
        PageSource source, TransactionId snapshot, PageNumber root, TreeShape shape, TKey key, out ReadOnlySpan<byte> value)
        where TKey : unmanaged
    {
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        ordered = ordered[..FixedKey.Write(key, ordered)];
        bool isFirst = TreeReader.TryFindBelow(source, snapshot, root, ordered, out Node leaf, out int index);

        // All keys of a block are within the bounds of its leaf, so no other leaf can have the key.
        index -= isFirst ? 0 : 1;
        if (index >= 0)
        {
            FixedColumns block = FixedSpan.Columns(leaf, index, shape, root);
            int at = FixedKey.Find(MemoryMarshal.Cast<byte, TKey>(block.Keys), key, out bool exact);
            if (exact)
            {
                value = block.Value(at);
                return true;
            }
        }

        value = default;
        return false;
    }

    /// <summary>Counts the entries with low ≤ key &lt; high, both in their ordered form, by the heads of the blocks.</summary>
    internal static long CountBetween(
        PageSource source, TransactionId snapshot, PageNumber root, TreeShape shape, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        if (low.SequenceCompareTo(high) >= 0)
        {
            return 0;
        }

        byte[] buffer = FixedWalk.Rent(source);
        FixedWalk walk = new(source, snapshot, root, shape, buffer);
        Span<byte> last = stackalloc byte[FixedKey.MostBytes];
        long count = 0;
        for (bool isThere = walk.Seek(low); isThere; isThere = walk.MoveNextBlock())
        {
            FixedColumns block = walk.Block;
            int behind = block.Count;
            bool isLast = last[..block.WriteKey(behind - 1, last)].SequenceCompareTo(high) >= 0;
            behind = isLast ? block.Find(high, out _) : behind;
            count += Math.Max(0, behind - walk.Index);
            if (isLast)
            {
                break;
            }
        }

        ArrayPool<byte>.Shared.Return(buffer);
        return count;
    }
}
