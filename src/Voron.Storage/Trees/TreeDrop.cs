using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Frees whole trees and subtrees: every page once, children before their parent.</summary>
internal static class TreeDrop
{
    internal static void Drop(PageWriter pages, long root) => DropBelow(pages, root, root, 0);

    /// <summary>Frees a node at a level of a tree with everything below it; returns the number of entries.</summary>
    internal static long DropBelow(PageWriter pages, long root, long page, int level)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(root, page);
        }

        int pageBytes = pages.PageBytes;
        PageView view = pages.Read(page);
        bool isLeaf = NodeSearch.Enter(view, pageBytes, page) == PageKind.Leaf;
        int count = NodeSearch.Count(view);
        long entries = count;
        if (isLeaf)
        {
            FreeOverflows(pages, view, page, 0, count);
        }
        else
        {
            entries = 0;
            for (int i = 0; i < count; i++)
            {
                entries += DropBelow(pages, root, NodeSearch.Child(view, pageBytes, page, i), level + 1);
            }
        }

        pages.Free(page);
        return entries;
    }

    /// <summary>Frees the overflow runs of a range of a leaf's entries.</summary>
    internal static void FreeOverflows(PageWriter pages, PageView leaf, long page, int from, int to)
    {
        for (int i = from; i < to; i++)
        {
            if (NodeSearch.IsOverflow(leaf, pages.PageBytes, page, i, out ReadOnlySpan<byte> value))
            {
                pages.FreeOverflow(NodeSearch.Reference(value));
            }
        }
    }
}
