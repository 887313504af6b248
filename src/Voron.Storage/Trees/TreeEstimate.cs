using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Estimates the number of entries between two keys from two descents and a sample of the nodes between.</summary>
internal static class TreeEstimate
{
    /// <summary>Maximum number of leaves sampled below a branch; if there are no more in the range, the count is exact.</summary>
    private const int Leaves = 16;

    /// <summary>Maximum number of branches sampled below a branch.</summary>
    private const int Branches = 2;

    /// <summary>
    /// Returns the estimated number of entries with low ≤ key &lt; high of a tree with <paramref name="count"/> entries. Exact if few
    /// leaves are in between; otherwise as accurate as the sampled nodes are representative.
    /// </summary>
    internal static long Between(
        PageSource source, TransactionId snapshot, PageNumber root, long count, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high)
    {
        if (low.SequenceCompareTo(high) >= 0)
        {
            return 0;
        }

        TreePath from = default;
        TreePath to = default;
        int level = TreePath.Descend(ref from, source, snapshot, root, low, out _, out _);
        if (level != TreePath.Descend(ref to, source, snapshot, root, high, out _, out _))
        {
            return count;
        }

        if (from[level].Page == to[level].Page)
        {
            return to[level].Index - from[level].Index;
        }

        double entries = from[level].Count - from[level].Index + to[level].Index;
        for (int l = level - 1; l >= 0; l--)
        {
            if (from[l].Page == to[l].Page)
            {
                entries += Below(source, snapshot, from[l].Page, from[l].Index + 1, to[l].Index, level - l);
                break;
            }

            entries += Below(source, snapshot, from[l].Page, from[l].Index + 1, from[l].Count, level - l);
            entries += Below(source, snapshot, to[l].Page, 0, to[l].Index, level - l);
        }

        return Math.Min((long)Math.Round(entries), count);
    }

    /// <summary>
    /// Estimates the entries below the children [first, end) of a branch that is <paramref name="levels"/> levels above the leaves.
    /// </summary>
    private static double Below(PageSource source, TransactionId snapshot, PageNumber branch, int first, int end, int levels)
    {
        int children = end - first;
        int looks = Math.Min(children, levels == 1 ? Leaves : Branches);
        double entries = 0;
        for (int i = 0; i < looks; i++)
        {
            // Divide the children into equal parts and sample the middle of each.
            int index = first + (int)((((2L * i) + 1) * children) / (2L * looks));
            Node node = Node.Read(source, snapshot, Node.Read(source, snapshot, branch).Child(index));
            entries += levels == 1 || node.IsLeaf ? node.Count : Below(source, snapshot, node.Page, 0, node.Count, levels - 1);
        }

        return looks == 0 ? 0 : entries * children / looks;
    }
}
