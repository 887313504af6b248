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
        if (TryFindEntry(source, snapshot, root, key, out PageView leaf, out long page, out int index))
        {
            value = ValueAt(source, snapshot, leaf, page, index);
            return true;
        }

        value = default;
        return false;
    }

    /// <summary>
    /// Finds what the leaf holds for a key: its value, or (<paramref name="isOverflow"/>) the reference to where that is, which is not
    /// looked at.
    /// </summary>
    internal static bool TryFindStored(
        PageSource source,
        long snapshot,
        long root,
        scoped ReadOnlySpan<byte> key,
        out ReadOnlySpan<byte> stored,
        out bool isOverflow)
    {
        if (TryFindEntry(source, snapshot, root, key, out PageView leaf, out long page, out int index))
        {
            isOverflow = NodeSearch.IsOverflow(leaf, source.PageBytes, page, index, out stored);
            return true;
        }

        stored = default;
        isOverflow = false;
        return false;
    }

    /// <summary>Whether a key exists, without a look at its value.</summary>
    internal static bool Contains(PageSource source, long snapshot, long root, scoped ReadOnlySpan<byte> key) =>
        TryFindEntry(source, snapshot, root, key, out _, out _, out _);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryFindEntry(
        PageSource source, long snapshot, long root, scoped ReadOnlySpan<byte> key, out PageView leaf, out long page, out int index)
    {
        int pageBytes = source.PageBytes;
        page = root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            PageView view = source.Read(page, snapshot);
            NodeSearch.PrefetchSlots(view, pageBytes);
            if (NodeSearch.Enter(view, pageBytes, page) == PageKind.Leaf)
            {
                leaf = view;
                index = NodeSearch.FindInLeaf(view, pageBytes, page, key, out bool exact);
                return exact;
            }

            page = NodeSearch.Child(view, pageBytes, page, NodeSearch.FindInBranch(view, pageBytes, page, key));
        }

        Throw.TooDeep(root, page);
        leaf = default;
        index = 0;
        return false;
    }

    /// <summary>The value of a leaf entry, in the page or in its overflow run.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> ValueAt(PageSource source, long snapshot, PageView leaf, long page, int index) =>
        NodeSearch.IsOverflow(leaf, source.PageBytes, page, index, out ReadOnlySpan<byte> value)
            ? source.ReadOverflow(NodeSearch.Reference(value), snapshot)
            : value;
}
