using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Deletes a range of keys. Subtrees inside the range are dropped as a whole; only the nodes on the paths to its two ends are edited, and
/// rebalanced afterwards.
/// </summary>
internal sealed class TreeCut(PageWriter pages, TreeShrink shrink)
{
    /// <summary>One byte more than a key has: the first bound above a longest key.</summary>
    private readonly byte[] _low = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes) + 1];
    private readonly byte[] _high = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes) + 1];
    private PageNumber _root;
    private long _entries;

    /// <summary>Deletes the entries with from ≤ key &lt; to and returns their number. The keys may point into the tree's pages.</summary>
    /// <param name="root">The tree.</param>
    /// <param name="from">The first key.</param>
    /// <param name="to">The key behind the last one.</param>
    /// <param name="mayBeSparse">
    /// Whether leaves at the ends of the range may stay as they are, however little they have, because the next range begins there.
    /// </param>
    internal long DeleteRange(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to, bool mayBeSparse = false)
    {
        if (from.SequenceCompareTo(to) >= 0)
        {
            return 0;
        }

        ReadOnlySpan<byte> low = Copy(from, _low);
        ReadOnlySpan<byte> high = Copy(to, _high);
        _root = root;
        _entries = 0;
        if (Cut(root, 0, low, high, hasLow: true, hasHigh: true))
        {
            NodeEdit.Open(pages, root).BecomeEmptyLeaf();
        }
        else if (_entries > 0)
        {
            shrink.Tidy(root, low, mayBeSparse);
            shrink.Tidy(root, high, mayBeSparse);
        }

        return _entries;
    }

    private static ReadOnlySpan<byte> Copy(ReadOnlySpan<byte> key, byte[] buffer)
    {
        key.CopyTo(buffer);
        return buffer.AsSpan(0, key.Length);
    }

    /// <summary>Returns true if the node has no entries left; the caller frees its page.</summary>
    private bool Cut(PageNumber page, int level, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, bool hasLow, bool hasHigh)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(_root, page);
        }

        Node node = Node.Read(pages, page);
        if (node.IsLeaf)
        {
            return CutLeaf(node, low, high, hasLow, hasHigh);
        }

        int count = node.Count;
        int first = hasLow ? NodeSearch.FindInBranch(node, low) : 0;
        int last = hasHigh ? NodeSearch.FindInBranch(node, high) : count - 1;
        if (first > last)
        {
            Throw.OutOfOrder(page, first);
        }

        bool firstIsGone = CutChild(node, first, level, low, high, hasLow, hasHigh && last == first);
        bool lastIsGone = last > first && CutChild(node, last, level, low, high, hasLow: false, hasHigh);
        for (int i = first + 1; i < last; i++)
        {
            _entries += TreeDrop.DropBelow(pages, _root, node.Child(i), level + 1);
        }

        int from = firstIsGone ? first : first + 1;
        int to = last == first ? first + 1 : lastIsGone ? last + 1 : last;
        if (to - from == count)
        {
            return true;
        }

        if (to > from)
        {
            NodeEdit.Open(pages, page).RemoveRange(from, to - from);
        }

        return false;
    }

    private bool CutChild(
        in Node node, int index, int level, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, bool hasLow, bool hasHigh)
    {
        PageNumber child = node.Child(index);
        if (!Cut(child, level + 1, low, high, hasLow, hasHigh))
        {
            return false;
        }

        pages.Free(child);
        return true;
    }

    private bool CutLeaf(in Node leaf, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, bool hasLow, bool hasHigh)
    {
        int count = leaf.Count;
        int from = hasLow ? NodeSearch.FindInLeaf(leaf, low, out _) : 0;
        int to = hasHigh ? NodeSearch.FindInLeaf(leaf, high, out _) : count;
        if (from >= to)
        {
            return false;
        }

        TreeDrop.FreeOverflows(pages, leaf, from, to);
        _entries += to - from;
        if (to - from == count)
        {
            return true;
        }

        NodeEdit.Open(pages, leaf.Page).RemoveRange(from, to - from);
        return false;
    }
}
