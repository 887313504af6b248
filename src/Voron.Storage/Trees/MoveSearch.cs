using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Looks through the leaves of a tree in a reader's snapshot for the first that has something to be moved, or that fits in one page with
/// the leaf after it. So the writer lock is only taken where there is work, and the pages that the work needs are in memory by then.
/// </summary>
internal static class MoveSearch
{
    /// <summary>Finds the first leaf from a key on that has something to do.</summary>
    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot.</param>
    /// <param name="root">The root of the tree.</param>
    /// <param name="from">The key to begin with; may be in <paramref name="next"/>.</param>
    /// <param name="bounds">What is to be moved.</param>
    /// <param name="mostLeaves">Leaves to look at before the search pauses.</param>
    /// <param name="next">Gets the key of the leaf that was found or that comes next.</param>
    /// <param name="nextBytes">Its length; if nothing was found, 0 at the end of the tree.</param>
    /// <param name="part">The part of the tree that lies before it, from 0 to 1.</param>
    internal static bool TryFind(
        PageSource source, TransactionId snapshot, PageNumber root, ReadOnlySpan<byte> from, in MoveBounds bounds, int mostLeaves,
        byte[] next, out int nextBytes, out double part)
    {
        TreePath path = default;
        from.CopyTo(next);
        nextBytes = from.Length;
        for (int leaves = 0; ; leaves++)
        {
            int level = TreePath.Descend(ref path, source, snapshot, root, next.AsSpan(0, nextBytes), out Node leaf, out _);
            part = PartBefore(ref path, level);
            bool isDue = IsDue(source, snapshot, ref path, level, leaf, bounds);
            if (isDue || leaves == mostLeaves)
            {
                return isDue;
            }

            nextBytes = NextKey(source, snapshot, ref path, level, next);
            if (nextBytes == 0)
            {
                return false;
            }
        }
    }

    /// <summary>Reads the leaves that a step from a key on comes to, so that it does not wait for the disk.</summary>
    internal static void ReadAhead(
        PageSource source, TransactionId snapshot, PageNumber root, ReadOnlySpan<byte> from, in MoveBounds bounds, byte[] buffer)
    {
        TreePath path = default;
        from.CopyTo(buffer);
        int bytes = from.Length;
        int due = 0;
        for (int leaves = 0; leaves < bounds.MostLeaves && due < bounds.MostPages; leaves++)
        {
            int level = TreePath.Descend(ref path, source, snapshot, root, buffer.AsSpan(0, bytes), out Node leaf, out _);
            due += IsDue(source, snapshot, ref path, level, leaf, bounds) ? 1 : 0;
            bytes = NextKey(source, snapshot, ref path, level, buffer);
            if (bytes == 0)
            {
                return;
            }
        }
    }

    /// <summary>
    /// Copies the lowest key that the leaf after the one at the end of a path can have, and returns its length; 0 after the last leaf.
    /// </summary>
    internal static int NextKey(PageSource source, TransactionId snapshot, ref TreePath path, int leafLevel, byte[] key)
    {
        for (int level = leafLevel - 1; level >= 0; level--)
        {
            Node branch = Node.Read(source, snapshot, path[level].Page);
            if (path[level].Index + 1 < branch.Count)
            {
                return branch.CopyKey(path[level].Index + 1, key);
            }
        }

        return 0;
    }

    /// <summary>Whether the live entries of two neighbours are so few that merging them is worth a try.</summary>
    internal static bool FitTogether(in Node left, in Node right, int mostBytes) =>
        left.IsBelow(mostBytes) && LiveBytes(left) + LiveBytes(right) - PageHeader.SizeBytes <= mostBytes;

    /// <summary>Size limit of a merged leaf: an eighth of the page stays free for what comes.</summary>
    internal static int MostMergedBytes(int pageBytes) => pageBytes / 8 * 7;

    private static bool IsDue(
        PageSource source, TransactionId snapshot, ref TreePath path, int level, in Node leaf, in MoveBounds bounds)
    {
        for (int above = 1; above <= level; above++)
        {
            if (bounds.IsBeyond(path[above].Page))
            {
                return true;
            }
        }

        for (int i = 0; i < leaf.Count; i++)
        {
            if (leaf.IsOverflow(i, out ReadOnlySpan<byte> stored) && HasRunBeyond(source, snapshot, Node.Reference(stored), bounds))
            {
                return true;
            }
        }

        if (level == 0)
        {
            return false;
        }

        Node parent = Node.Read(source, snapshot, path[level - 1].Page);
        int index = path[level - 1].Index;
        return index + 1 < parent.Count
            && FitTogether(leaf, Node.Read(source, snapshot, parent.Child(index + 1)), MostMergedBytes(source.PageBytes));
    }

    private static bool HasRunBeyond(PageSource source, TransactionId snapshot, OverflowReference reference, in MoveBounds bounds)
    {
        if (bounds.IsBeyond(reference, source.PageBytes))
        {
            return true;
        }

        if (reference.IsList)
        {
            foreach (OverflowReference piece in source.ReadList(reference, snapshot))
            {
                if (bounds.IsBeyond(piece, source.PageBytes))
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static int LiveBytes(in Node node)
    {
        int bytes = PageHeader.SizeBytes + (node.Count * NodeSlot.SizeBytes) + node.Prefix.Length;
        for (int i = 0; i < node.Count; i++)
        {
            bytes += node.EntryBytes(i);
        }

        return bytes;
    }

    private static double PartBefore(ref TreePath path, int leafLevel)
    {
        double part = 0;
        double width = 1;
        for (int level = 0; level < leafLevel; level++)
        {
            width /= Math.Max(1, path[level].Count);
            part += path[level].Index * width;
        }

        return part;
    }
}
