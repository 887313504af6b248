using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>
/// Removes nodes that have become empty and keeps the rule that a branch has at least two entries. Merging of nodes that are merely half
/// empty belongs here too.
/// </summary>
internal sealed class TreeShrink(PageWriter pages, TreeSplit split)
{
    private readonly byte[] _separator = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];

    /// <summary>
    /// Frees the node at a level of the path, which is not the root, with its entry in the parent. <paramref name="key"/> leads to it.
    /// </summary>
    internal void RemoveNode(ref TreePath path, int level, ReadOnlySpan<byte> key)
    {
        long root = path[0].Page;
        pages.Free(path[level].Page);
        NodeEdit parent = NodeEdit.Open(pages, path[level - 1].Page);
        parent.RemoveAt(path[level - 1].Index);
        SettleBranch(ref path, level - 1, root, key);
    }

    /// <summary>A branch has lost an entry: with one left it gives way to its child (the root) or hands the child to a neighbour.</summary>
    private void SettleBranch(ref TreePath path, int level, long root, ReadOnlySpan<byte> key)
    {
        int count = NodeSearch.Count(pages.Read(path[level].Page));
        if (count > 1)
        {
            return;
        }

        if (level == 0)
        {
            LiftOnlyChild(root);
            return;
        }

        long page = path[level].Page;
        for (int step = 0; !TryHandOver(ref path, level); step++)
        {
            if (step == TreeSplit.MostSteps)
            {
                Throw.NoProgress(root, page);
            }

            level = FindLevel(ref path, root, page, key);
        }

        SettleBranch(ref path, level - 1, root, key);
    }

    /// <summary>The content of a root's only child moves up.</summary>
    private void LiftOnlyChild(long root)
    {
        while (true)
        {
            PageView view = pages.Read(root);
            if (NodeSearch.Enter(view, pages.PageBytes, root) == PageKind.Leaf || NodeSearch.Count(view) > 1)
            {
                return;
            }

            long child = NodeSearch.Child(view, pages.PageBytes, root, 0);
            PageView content = pages.Read(child);
            NodeSearch.Enter(content, pages.PageBytes, child);
            NodeEdit.Open(pages, root).BecomeCopyOf(content);
            pages.Free(child);
        }
    }

    /// <summary>
    /// Moves the only child of a branch to the branch's neighbour and frees the branch. False when the neighbour was full: then one step
    /// towards room was made there, and the path no longer holds.
    /// </summary>
    private bool TryHandOver(ref TreePath path, int level)
    {
        int pageBytes = pages.PageBytes;
        long page = path[level].Page;
        long child = NodeSearch.Child(pages.Read(page), pageBytes, page, 0);
        long parentPage = path[level - 1].Page;
        int index = path[level - 1].Index;
        bool toLeft = index > 0;
        PageView parentView = pages.Read(parentPage);
        int neighbourIndex = toLeft ? index - 1 : index + 1;
        if (neighbourIndex >= NodeSearch.Count(parentView))
        {
            Throw.LostNode(path[0].Page, page);
        }

        ReadOnlySpan<byte> separator =
            _separator.AsSpan(0, NodeSearch.CopyKey(parentView, pageBytes, parentPage, toLeft ? index : neighbourIndex, _separator));
        long neighbourPage = NodeSearch.Child(parentView, pageBytes, parentPage, neighbourIndex);
        PageView neighbourView = pages.Read(neighbourPage);
        if (NodeSearch.Enter(neighbourView, pageBytes, neighbourPage) != PageKind.Branch)
        {
            Throw.LostNode(path[0].Page, neighbourPage);
        }

        NodeEdit neighbour = NodeEdit.Open(pages, neighbourPage);
        int at = toLeft ? neighbour.Count : 1;
        if (!neighbour.EnsureRoom(at, separator, NodeSearch.BranchHeadBytes, toLeft ? 0 : NodeSearch.BranchHeadBytes))
        {
            path[level].Page = neighbourPage;
            path[level - 1].Index = neighbourIndex;
            split.MakeRoom(ref path, level, at, separator, NodeSearch.BranchHeadBytes, append: false);
            return false;
        }

        if (toLeft)
        {
            neighbour.InsertChild(at, separator, child);
        }
        else
        {
            neighbour.InsertChild(1, separator, NodeSearch.Child(neighbour.View, pageBytes, neighbourPage, 0));
            neighbour.ReplaceFirstChild(child);
        }

        pages.Free(page);
        NodeEdit.Open(pages, parentPage).RemoveAt(index);
        return true;
    }

    /// <summary>Descends by key to a branch, whose level may have changed.</summary>
    private int FindLevel(ref TreePath path, long root, long branch, ReadOnlySpan<byte> key)
    {
        int pageBytes = pages.PageBytes;
        long page = root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            path[level].Page = page;
            if (page == branch)
            {
                return level;
            }

            PageView view = pages.Read(page);
            if (NodeSearch.Enter(view, pageBytes, page) != PageKind.Branch)
            {
                Throw.LostNode(root, branch);
            }

            path[level].Count = NodeSearch.Count(view);
            path[level].Index = NodeSearch.FindInBranch(view, pageBytes, page, key);
            page = NodeSearch.Child(view, pageBytes, page, path[level].Index);
        }

        Throw.TooDeep(root, page);
        return 0;
    }
}
