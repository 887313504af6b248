// Unsafe fence. Bounds that callers guarantee: the snapshot is registered, so that the pages it sees stay. Bounds of
// slots and entries are those of NodeSearch.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>Point lookups.</summary>
internal static unsafe class TreeReader
{
    /// <summary>
    /// Finds a key's value as the snapshot sees it. The value is valid as long as the snapshot (in a write transaction: until its next
    /// change).
    /// </summary>
    internal static bool TryFind(
        PageSource source, long snapshot, long root, scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        int pageBytes = source.PageBytes;
        long page = root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            PageView view = source.Read(page, snapshot);
            NodeSearch.PrefetchSlots(view, pageBytes);
            if (NodeSearch.Enter(view, pageBytes, page) == PageKind.Leaf)
            {
                int index = NodeSearch.FindInLeaf(view, pageBytes, page, key, out bool exact);
                if (exact)
                {
                    value = ValueAt(source, snapshot, view, page, index);
                    return true;
                }

                value = default;
                return false;
            }

            page = NodeSearch.Child(view, pageBytes, page, NodeSearch.FindInBranch(view, pageBytes, page, key));
        }

        Throw.TooDeep(root, page);
        value = default;
        return false;
    }

    /// <summary>The value of a leaf entry, in the page or in its overflow run.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> ValueAt(PageSource source, long snapshot, PageView leaf, long page, int index) =>
        NodeSearch.IsOverflow(leaf, source.PageBytes, page, index, out ReadOnlySpan<byte> value)
            ? source.ReadOverflow(NodeSearch.Reference(page, index, value), snapshot)
            : value;
}
