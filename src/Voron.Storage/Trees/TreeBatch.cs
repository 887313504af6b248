using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>
/// Looks up several keys at once, level by level: the pages of all keys are asked for before the first is searched, so that memory is
/// waited for once and not once for each key.
/// </summary>
internal static class TreeBatch
{
    /// <summary>Finds at most <see cref="FoundValues.Count"/> keys.</summary>
    internal static void Find(
        PageSource source, long snapshot, long root, ReadOnlySpan<ReadOnlyMemory<byte>> keys, ref FoundValues found)
    {
        int pageBytes = source.PageBytes;
        Span<long> pages = stackalloc long[FoundValues.Count];
        PageViews views = default;
        pages.Fill(root);
        int open = keys.Length;
        for (int level = 0; open > 0; level++)
        {
            for (int i = 0; i < keys.Length; i++)
            {
                if (pages[i] != 0)
                {
                    CheckDepth(level, root, pages[i]);
                    views[i] = source.Read(pages[i], snapshot);
                    NodeSearch.PrefetchSlots(views[i], pageBytes);
                }
            }

            for (int i = 0; i < keys.Length; i++)
            {
                if (pages[i] != 0)
                {
                    pages[i] = Step(source, snapshot, views[i], pages[i], keys[i].Span, ref found[i]);
                    open -= pages[i] == 0 ? 1 : 0;
                }
            }
        }
    }

    /// <summary>The child that leads to the key; 0 when the page was a leaf and the key has been looked for.</summary>
    private static long Step(
        PageSource source, long snapshot, PageView view, long page, ReadOnlySpan<byte> key, ref FoundValue found)
    {
        int pageBytes = source.PageBytes;
        if (NodeSearch.Enter(view, pageBytes, page) == PageKind.Branch)
        {
            return NodeSearch.Child(view, pageBytes, page, NodeSearch.FindInBranch(view, pageBytes, page, key));
        }

        int index = NodeSearch.FindInLeaf(view, pageBytes, page, key, out bool exact);
        found = default;
        if (exact)
        {
            found.Set(TreeReader.ValueAt(source, snapshot, view, page, index));
        }

        return 0;
    }

    private static void CheckDepth(int level, long root, long page)
    {
        if (level == TreePath.MaxDepth)
        {
            Throw.TooDeep(root, page);
        }
    }

    [System.Runtime.CompilerServices.InlineArray(FoundValues.Count)]
    private struct PageViews
    {
        private PageView _first;
    }
}
