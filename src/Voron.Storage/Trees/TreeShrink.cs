using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Keeps a tree from wasting pages as it loses entries: frees empty nodes, merges a node that fills less than a third of its page with a
/// neighbour or gives it some of the neighbour's entries, and replaces a root branch that has one child with that child.
/// </summary>
internal sealed class TreeShrink(PageWriter pages, TreeSplit split, TreeBalance balance)
{
    /// <summary>A node with more entries than this is checked only after every fourth deletion: the check visits every entry.</summary>
    private const int FewEntries = 16;

    private readonly byte[] _separator = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];
    private readonly int _leastBytes = pages.PageBytes / 3;

    /// <summary>
    /// The size limit of a merged node: an eighth of the page stays free, so that the next insertion does not divide the node again.
    /// </summary>
    private readonly int _mostMergedBytes = pages.PageBytes / 8 * 7;

    /// <summary>
    /// Returns whether a node that lost an entry and has <paramref name="count"/> left should be checked for being sparse.
    /// </summary>
    internal static bool ShouldCheckFill(int count) => count <= FewEntries || count % 4 == 0;

    /// <summary>Returns whether a node other than the root should be passed to <see cref="Settle"/>.</summary>
    internal bool IsSparse(in Node node) => node.IsBelow(_leastBytes);

    /// <summary>
    /// Rebalances the nodes on the path to a key after a range beside it was removed: first branches with one child, from the root down,
    /// since their children have no neighbour to merge with; then, unless they may be sparse, sparse nodes, from the leaf up.
    /// </summary>
    internal void Tidy(PageNumber root, ReadOnlySpan<byte> key, bool mayBeSparse)
    {
        TreePath path = default;
        LiftOnlyChild(root);
        int level;
        for (int step = 0; (level = FindOnlyChild(ref path, root, key)) > 0; step++)
        {
            if (step == TreeSplit.MostSteps * TreePath.MaxDepth)
            {
                Throw.NoProgress(root, path[level].Page);
            }

            Settle(ref path, level, key);
        }

        for (int height = 0; !mayBeSparse && (level = Descend(ref path, root, key) - height) > 0; height++)
        {
            if (IsSparse(Node.Read(pages, path[level].Page)))
            {
                Settle(ref path, level, key);
            }
        }
    }

    /// <summary>
    /// Rebalances the node at a level of the path, which has become sparse or empty or is a branch that lost a child, and the nodes above
    /// that this affects. <paramref name="key"/> leads to the node.
    /// </summary>
    internal void Settle(ref TreePath path, int level, ReadOnlySpan<byte> key)
    {
        PageNumber root = path[0].Page;
        for (; level > 0; level--)
        {
            PageNumber page = path[level].Page;
            Node node = Node.Read(pages, page);
            int count = node.Count;
            bool mustGo = count == 0 || (count == 1 && !node.IsLeaf);
            if (!mustGo && !IsSparse(node))
            {
                return;
            }

            if (count == 0)
            {
                pages.Free(page);
                NodeEdit.Open(pages, path[level - 1].Page).RemoveAt(path[level - 1].Index);
            }
            else if (!TryMerge(ref path, level, mustGo ? pages.PageBytes : _mostMergedBytes))
            {
                if (TryShare(ref path, level) || !mustGo)
                {
                    return;
                }

                level = HandOver(ref path, level, key);
            }
        }

        LiftOnlyChild(root);
    }

    private bool TryMerge(ref TreePath path, int level, int mostBytes)
    {
        int index = path[level - 1].Index;
        return (index > 0 && balance.TryMerge(ref path, level, index - 1, mostBytes))
            || (HasRightNeighbour(ref path, level) && balance.TryMerge(ref path, level, index, mostBytes));
    }

    private bool TryShare(ref TreePath path, int level)
    {
        int index = path[level - 1].Index;
        return (index > 0 && balance.TryShare(ref path, level, index - 1))
            || (HasRightNeighbour(ref path, level) && balance.TryShare(ref path, level, index));
    }

    private bool HasRightNeighbour(ref TreePath path, int level) =>
        path[level - 1].Index + 1 < Node.Read(pages, path[level - 1].Page).Count;

    /// <summary>
    /// Moves the child of a branch with one child to a neighbour, because the branch could neither be merged nor get another child: its
    /// parent has no room for another separator. Returns the branch's level, which divisions may have changed.
    /// </summary>
    private int HandOver(ref TreePath path, int level, ReadOnlySpan<byte> key)
    {
        PageNumber root = path[0].Page;
        PageNumber page = path[level].Page;
        for (int step = 0; !TryHandOver(ref path, level); step++)
        {
            if (step == TreeSplit.MostSteps)
            {
                Throw.NoProgress(root, page);
            }

            level = FindLevel(ref path, root, page, key);
        }

        return level;
    }

    /// <summary>Moves the content of the root's only child up into the root.</summary>
    private void LiftOnlyChild(PageNumber root)
    {
        while (true)
        {
            Node node = Node.Read(pages, root);
            if (node.IsLeaf || node.Count > 1)
            {
                return;
            }

            PageNumber child = node.Child(0);
            NodeEdit.Open(pages, root).BecomeCopyOf(Node.Read(pages, child));
            pages.Free(child);
        }
    }

    /// <summary>
    /// Moves the only child of a branch to the branch's neighbour and frees the branch. Returns false if the neighbour was full: then one
    /// step towards room was made there, and the path is no longer valid.
    /// </summary>
    private bool TryHandOver(ref TreePath path, int level)
    {
        PageNumber page = path[level].Page;
        PageNumber child = Node.Read(pages, page).Child(0);
        PageNumber parentPage = path[level - 1].Page;
        int index = path[level - 1].Index;
        bool toLeft = index > 0;
        Node parent = Node.Read(pages, parentPage);
        int neighbourIndex = toLeft ? index - 1 : index + 1;
        if (neighbourIndex >= parent.Count)
        {
            Throw.LostNode(path[0].Page, page);
        }

        ReadOnlySpan<byte> separator =
            _separator.AsSpan(0, parent.CopyKey(toLeft ? index : neighbourIndex, _separator));
        PageNumber neighbourPage = parent.Child(neighbourIndex);
        if (Node.Read(pages, neighbourPage).IsLeaf)
        {
            Throw.LostNode(path[0].Page, neighbourPage);
        }

        NodeEdit neighbour = NodeEdit.Open(pages, neighbourPage);
        int at = toLeft ? neighbour.Count : 1;
        if (!neighbour.EnsureRoom(at, separator, Node.BranchHeadBytes, toLeft ? 0 : Node.BranchHeadBytes))
        {
            path[level].Page = neighbourPage;
            path[level - 1].Index = neighbourIndex;
            split.MakeRoom(ref path, level, at, separator, Node.BranchHeadBytes, append: false);
            return false;
        }

        if (toLeft)
        {
            neighbour.InsertChild(at, separator, child);
        }
        else
        {
            neighbour.InsertChild(1, separator, neighbour.Node.Child(0));
            neighbour.ReplaceFirstChild(child);
        }

        pages.Free(page);
        NodeEdit.Open(pages, parentPage).RemoveAt(index);
        return true;
    }

    /// <summary>
    /// Returns the level of the first branch below the root that has one child, on the path to a key; 0 if there is none.
    /// </summary>
    private int FindOnlyChild(ref TreePath path, PageNumber root, ReadOnlySpan<byte> key)
    {
        int leafLevel = Descend(ref path, root, key);
        for (int level = 1; level < leafLevel; level++)
        {
            if (path[level].Count == 1)
            {
                return level;
            }
        }

        return 0;
    }

    private int Descend(ref TreePath path, PageNumber root, ReadOnlySpan<byte> key) =>
        TreePath.Descend(ref path, pages.Source, pages.TransactionId, root, key, out _, out _);

    /// <summary>Descends by key to a branch and returns its level, which may have changed.</summary>
    private int FindLevel(ref TreePath path, PageNumber root, PageNumber branch, ReadOnlySpan<byte> key)
    {
        int leafLevel = Descend(ref path, root, key);
        for (int level = 0; level < leafLevel; level++)
        {
            if (path[level].Page == branch)
            {
                return level;
            }
        }

        Throw.LostNode(root, branch);
        return 0;
    }
}
