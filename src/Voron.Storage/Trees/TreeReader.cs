// Unsafe fence. Bounds that callers guarantee: the snapshot is registered, so the pages that it sees stay valid. Bounds of slots and
// entries: as in NodeSearch.cs.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Point lookups.</summary>
internal static unsafe class TreeReader
{
    /// <summary>
    /// Finds a key's value as the snapshot sees it. The value is valid while the snapshot is registered (in a write transaction: until its
    /// next change).
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
    /// Finds the stored part of a key's entry: its value or, if <paramref name="isOverflow"/>, the reference to its overflow run, which is
    /// not read.
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

    /// <summary>Returns whether a key exists, without reading its value.</summary>
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

    /// <summary>Returns the value of a leaf entry, which is stored in the page or in an overflow run.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> ValueAt(PageSource source, long snapshot, PageView leaf, long page, int index) =>
        NodeSearch.IsOverflow(leaf, source.PageBytes, page, index, out ReadOnlySpan<byte> value)
            ? source.ReadOverflow(NodeSearch.Reference(value), snapshot)
            : value;
}
