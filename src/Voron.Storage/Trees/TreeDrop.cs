using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>Frees whole trees and subtrees: every page once, children before their parent.</summary>
internal static class TreeDrop
{
    internal static void Drop(PageWriter pages, PageNumber root) => DropBelow(pages, root, root, 0);

    /// <summary>Frees a node at a level of a tree with everything below it; returns the number of entries.</summary>
    internal static long DropBelow(PageWriter pages, PageNumber root, PageNumber page, int level)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(root, page);
        }

        Node node = Node.Read(pages, page);
        int count = node.Count;
        long entries = count;
        if (node.IsLeaf)
        {
            FreeOverflows(pages, node, 0, count);
        }
        else
        {
            entries = 0;
            for (int i = 0; i < count; i++)
            {
                entries += DropBelow(pages, root, node.Child(i), level + 1);
            }
        }

        pages.Free(page);
        return entries;
    }

    /// <summary>Frees the overflow runs of a range of a leaf's entries.</summary>
    internal static void FreeOverflows(PageWriter pages, in Node leaf, int from, int to)
    {
        for (int i = from; i < to; i++)
        {
            if (leaf.IsOverflow(i, out ReadOnlySpan<byte> value))
            {
                pages.FreeOverflow(Node.Reference(value));
            }
        }
    }
}
