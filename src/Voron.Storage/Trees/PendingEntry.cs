using System.Numerics;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// What a pending tree stores for a key: one byte that says whether the key has a value or is deleted, and then the value. An entry
/// overrides that of the tree below; both a put and a deletion may be of a key that the tree below does not have.
/// </summary>
internal static class PendingEntry
{
    internal const int HeadBytes = 1;
    private const byte Value = 0;
    private const byte Deleted = 1;
    private const int LayersAtOnce = 64;

    /// <summary>Longest value that a pending tree takes: longer ones would leave it room for few.</summary>
    internal static int MaxValueBytes(int pageBytes) => pageBytes / 16;

    internal static bool IsDeleted(ReadOnlySpan<byte> stored) => stored[0] == Deleted;

    internal static ReadOnlySpan<byte> ValueOf(ReadOnlySpan<byte> stored) => stored[HeadBytes..];

    /// <summary>Writes the entry of a value; returns its length in bytes.</summary>
    internal static int Write(ReadOnlySpan<byte> value, Span<byte> target)
    {
        target[0] = Value;
        value.CopyTo(target[HeadBytes..]);
        return HeadBytes + value.Length;
    }

    /// <summary>Writes the entry of a deletion; returns its length in bytes.</summary>
    internal static int WriteDeletion(Span<byte> target)
    {
        target[0] = Deleted;
        return HeadBytes;
    }

    internal static ReadOnlySpan<byte> Deletion => [Deleted];

    /// <summary>Returns how many entries a tree has more than its leaves, because they are pending; negative if deletions are.</summary>
    internal static long CountAdded(PageSource source, TransactionId snapshot, PageNumber root)
    {
        if (source.Pending.Of(root, snapshot) is not { } layers)
        {
            return 0;
        }

        long added = 0;
        TreePath path = default;
        LayerRows rows = new();
        rows.Begin(source, snapshot, layers);
        bool has = rows.MoveFirst();
        while (has)
        {
            // The leaf is read once for all of its keys, and kept until then.
            using PageBuffers.Hold held = source.Hold();
            TreePath.Descend(ref path, source, snapshot, root, rows.Key, out Node leaf, out bool isBelow);
            int at;
            do
            {
                added += (IsDeleted(rows.Stored) ? 0 : 1) - (isBelow ? 1 : 0);
                has = rows.Move(forward: true);
                at = has ? NodeSearch.FindInLeaf(leaf, rows.Key, out isBelow) : 0;
            }
            while (has && at < leaf.Count);
        }

        rows.End();
        return added;
    }

    /// <summary>
    /// Looks a key up in the pending tree of a tree. Returns false if that decides nothing, so that the tree below must be asked.
    /// </summary>
    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="layers">The pending tree.</param>
    /// <param name="key">The key.</param>
    /// <param name="exists">Whether the key has a value.</param>
    /// <param name="value">The value.</param>
    internal static bool TryFind(
        PageSource source,
        TransactionId snapshot,
        PendingLayers layers,
        scoped ReadOnlySpan<byte> key,
        out bool exists,
        out ReadOnlySpan<byte> value)
    {
        exists = false;
        value = default;
        ulong hash = KeyFilter.HashOf(key);
        ReadOnlySpan<byte> stored = default;
        bool isInTop = layers.Keys.MayHave(hash) && TryFindStored(source, snapshot, layers.Top, key, out stored);
        if (!isInTop && !TryFindLower(source, snapshot, layers, key, hash, out stored))
        {
            return false;
        }

        exists = !IsDeleted(stored);
        value = exists ? ValueOf(stored) : default;
        return true;
    }

    /// <summary>Looks a key up in all layers but the top, and returns its entry there.</summary>
    internal static bool TryFindLower(
        PageSource source,
        TransactionId snapshot,
        PendingLayers layers,
        scoped ReadOnlySpan<byte> key,
        ulong hash,
        out ReadOnlySpan<byte> stored)
    {
        for (ReadOnlySpan<PendingLayer> lower = layers.Lower; !lower.IsEmpty; lower = lower[Math.Min(LayersAtOnce, lower.Length)..])
        {
            ulong may = WhichMayHave(lower, hash);
            for (; may != 0; may &= may - 1)
            {
                if (TryFindStored(source, snapshot, lower[BitOperations.TrailingZeroCount(may)].Root, key, out stored))
                {
                    return true;
                }
            }
        }

        stored = default;
        return false;
    }

    /// <summary>
    /// Asks for what <see cref="TryFindLower"/> will read of this key and memory does not hold: of each layer that may have the key its
    /// leaf, or the branch on the way there that is missing.
    /// </summary>
    internal static void ReadAheadLower(
        PageSource source, TransactionId snapshot, PendingLayers layers, scoped ReadOnlySpan<byte> key)
    {
        ulong hash = KeyFilter.HashOf(key);
        for (ReadOnlySpan<PendingLayer> lower = layers.Lower; !lower.IsEmpty; lower = lower[Math.Min(LayersAtOnce, lower.Length)..])
        {
            for (ulong left = WhichMayHave(lower, hash); left != 0; left &= left - 1)
            {
                ReadAhead(source, snapshot, lower[BitOperations.TrailingZeroCount(left)].Root, key);
            }
        }
    }

    private static void ReadAhead(PageSource source, TransactionId snapshot, PageNumber layer, scoped ReadOnlySpan<byte> key)
    {
        Descent descent = new(source, snapshot, layer);
        while (!source.RequestSpilled(descent.Next, snapshot) && descent.EnterBranch())
        {
            descent.Follow(NodeSearch.FindInBranch(descent.Node, key));
        }
    }

    /// <summary>
    /// Asks the filters of the first layers, a bit for each. All are asked before any layer is searched, so that the processor fetches
    /// their lines at the same time.
    /// </summary>
    private static ulong WhichMayHave(ReadOnlySpan<PendingLayer> layers, ulong hash)
    {
        ulong may = 0;
        uint found = 0;
        LayerFilters? filters = null;
        for (int i = 0; i < layers.Length && i < LayersAtOnce; i++)
        {
            if (layers[i].Filters != filters)
            {
                filters = layers[i].Filters;
                found = filters.Find(hash);
            }

            may |= (ulong)((found >> layers[i].Number) & 1) << i;
        }

        return may;
    }

    private static bool TryFindStored(
        PageSource source, TransactionId snapshot, PageNumber layer, scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> stored)
    {
        stored = default;
        if (!TreeReader.TryFindBelow(source, snapshot, layer, key, out Node leaf, out int index))
        {
            return false;
        }

        leaf.IsOverflow(index, out stored);
        return true;
    }
}
