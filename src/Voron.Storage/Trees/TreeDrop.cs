using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>Frees a whole tree, every page once, children before their parent.</summary>
internal static class TreeDrop
{
    internal static void Drop(PageWriter pages, long root) => DropBelow(pages, root, root, 0);

    private static void DropBelow(PageWriter pages, long root, long page, int level)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(root, page);
        }

        int pageBytes = pages.PageBytes;
        PageView view = pages.Read(page);
        PageKind kind = NodeSearch.Enter(view, pageBytes, page);
        int count = NodeSearch.Count(view);
        for (int i = 0; i < count; i++)
        {
            if (kind == PageKind.Branch)
            {
                DropBelow(pages, root, NodeSearch.Child(view, pageBytes, page, i), level + 1);
            }
            else if (NodeSearch.IsOverflow(view, pageBytes, page, i, out ReadOnlySpan<byte> value))
            {
                OverflowReference reference = NodeSearch.Reference(page, i, value);
                pages.Source.ReadOverflow(reference, pages.TransactionId);
                pages.FreeOverflow(reference);
            }
        }

        pages.Free(page);
    }
}
