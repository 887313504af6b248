using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>Estimates how many entries lie between two keys from two descents, without a look at what is between.</summary>
internal static class TreeEstimate
{
    /// <summary>
    /// Entries with low ≤ key &lt; high of a tree with <paramref name="count"/> entries. Exact within one leaf, close within
    /// neighbouring ones, else as good as the tree is even.
    /// </summary>
    internal static long Between(
        PageSource source, long snapshot, long root, long count, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        if (low.SequenceCompareTo(high) >= 0)
        {
            return 0;
        }

        TreePath from = default;
        TreePath to = default;
        int level = Descend(source, snapshot, root, low, ref from);
        if (level != Descend(source, snapshot, root, high, ref to))
        {
            return count;
        }

        if (from[level].Page == to[level].Page)
        {
            return to[level].Index - from[level].Index;
        }

        if (from[level - 1].Page == to[level - 1].Page)
        {
            long between = to[level - 1].Index - from[level - 1].Index - 1;
            long average = (from[level].Count + to[level].Count + 1L) / 2;
            return from[level].Count - from[level].Index + to[level].Index + (between * average);
        }

        return Math.Clamp((long)Math.Round((Position(to, level) - Position(from, level)) * count), 1, Math.Max(1, count));
    }

    private static int Descend(PageSource source, long snapshot, long root, ReadOnlySpan<byte> key, ref TreePath path)
    {
        int pageBytes = source.PageBytes;
        long page = root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            PageView view = source.Read(page, snapshot);
            PageKind kind = NodeSearch.Enter(view, pageBytes, page);
            path[level].Page = page;
            path[level].Count = NodeSearch.Count(view);
            if (kind == PageKind.Leaf)
            {
                path[level].Index = NodeSearch.FindInLeaf(view, pageBytes, page, key, out _);
                return level;
            }

            path[level].Index = NodeSearch.FindInBranch(view, pageBytes, page, key);
            page = NodeSearch.Child(view, pageBytes, page, path[level].Index);
        }

        Throw.TooDeep(root, page);
        return 0;
    }

    /// <summary>Where in the tree a path leads, from 0 to 1, were all nodes of a level alike.</summary>
    private static double Position(in TreePath path, int leafLevel)
    {
        double position = 0;
        for (int level = leafLevel; level >= 0; level--)
        {
            position = (path[level].Index + position) / Math.Max(1, path[level].Count);
        }

        return position;
    }
}
