using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Estimates the number of entries of a tree whose record counts those of the leaves alone, from a sample of what is pending: a put counts
/// as one more entry, a deletion as one less.
/// </summary>
internal static class PendingEstimate
{
    /// <summary>Leaves of a layer that are read; if it has no more, its rows are all counted.</summary>
    private const int Leaves = 16;

    /// <summary>Returns the number of entries of a tree.</summary>
    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="root">The tree.</param>
    /// <param name="recorded">The number that is recorded for it.</param>
    internal static long Count(PageSource source, TransactionId snapshot, PageNumber root, long recorded)
    {
        if (source.Pending.Of(root, snapshot) is not { CountsLeaves: true } layers)
        {
            return recorded;
        }

        double added = 0;
        for (int i = 0; i < layers.Count; i++)
        {
            added += AddedBelow(source, snapshot, layers[i], Leaves, 0);
        }

        return Math.Max(0, recorded + (long)Math.Round(added));
    }

    /// <summary>Whether the number that is recorded for a tree is that of its entries.</summary>
    internal static bool IsExact(PageSource source, TransactionId snapshot, PageNumber root) =>
        source.Pending.Of(root, snapshot) is not { CountsLeaves: true };

    private static double AddedBelow(PageSource source, TransactionId snapshot, PageNumber page, int leaves, int level)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(page, page);
        }

        using PageBuffers.Hold held = source.Hold();
        Node node = Node.Read(source, snapshot, page);
        if (node.IsLeaf)
        {
            return AddedIn(node);
        }

        // The children are divided into equal parts, and the middle of each is looked at.
        int count = node.Count;
        int looks = Math.Min(count, leaves);
        double added = 0;
        for (int i = 0; i < looks; i++)
        {
            int index = (int)((((2L * i) + 1) * count) / (2L * looks));
            PageNumber child = Node.Read(source, snapshot, page).Child(index);
            added += AddedBelow(source, snapshot, child, Math.Max(1, leaves / looks), level + 1);
        }

        return looks == 0 ? 0 : added * count / looks;
    }

    private static int AddedIn(in Node leaf)
    {
        int added = 0;
        for (int i = 0; i < leaf.Count; i++)
        {
            leaf.IsOverflow(i, out ReadOnlySpan<byte> stored);
            added += PendingEntry.IsDeleted(stored) ? -1 : 1;
        }

        return added;
    }
}
