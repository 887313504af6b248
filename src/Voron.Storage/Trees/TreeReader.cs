using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Point lookups.</summary>
internal static class TreeReader
{
    /// <summary>
    /// Finds a key's value as the snapshot sees it. The value is valid while the snapshot is registered (in a write transaction: until its
    /// next change).
    /// </summary>
    internal static bool TryFind(
        PageSource source, TransactionId snapshot, PageNumber root, scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        PendingLayers? pending = source.Pending.Of(root, snapshot);
        if (pending is not null && PendingEntry.TryFind(source, snapshot, pending, key, out bool exists, out value))
        {
            return exists;
        }

        if (TryFindEntry(source, snapshot, root, key, out Node leaf, out int index))
        {
            value = ValueAt(source, snapshot, leaf, index);
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
        TransactionId snapshot,
        PageNumber root,
        scoped ReadOnlySpan<byte> key,
        out ReadOnlySpan<byte> stored,
        out bool isOverflow)
    {
        PendingLayers? pending = source.Pending.Of(root, snapshot);
        if (pending is not null && PendingEntry.TryFind(source, snapshot, pending, key, out bool exists, out stored))
        {
            isOverflow = false;
            return exists;
        }

        if (TryFindEntry(source, snapshot, root, key, out Node leaf, out int index))
        {
            isOverflow = leaf.IsOverflow(index, out stored);
            return true;
        }

        stored = default;
        isOverflow = false;
        return false;
    }

    /// <summary>Returns whether a key exists, without reading its value.</summary>
    internal static bool Contains(PageSource source, TransactionId snapshot, PageNumber root, scoped ReadOnlySpan<byte> key)
    {
        PendingLayers? pending = source.Pending.Of(root, snapshot);
        return pending is not null && PendingEntry.TryFind(source, snapshot, pending, key, out bool exists, out _)
            ? exists
            : TryFindEntry(source, snapshot, root, key, out _, out _);
    }

    /// <summary>Finds the entry of a key in a tree itself, without its pending tree.</summary>
    internal static bool TryFindBelow(
        PageSource source, TransactionId snapshot, PageNumber root, scoped ReadOnlySpan<byte> key, out Node leaf, out int index) =>
        TryFindEntry(source, snapshot, root, key, out leaf, out index);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryFindEntry(
        PageSource source, TransactionId snapshot, PageNumber root, scoped ReadOnlySpan<byte> key, out Node leaf, out int index)
    {
        // Written out instead of a Descent, which is measurably slower here.
        int pageBytes = source.PageBytes;
        PageNumber page = root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            Node node = new(source.Read(page, snapshot), pageBytes, page);
            node.PrefetchSlots();
            if (node.CheckHeader() == PageKind.Leaf)
            {
                leaf = node;
                index = NodeSearch.FindInLeaf(node, key, out bool exact);
                return exact;
            }

            page = node.Child(NodeSearch.FindInBranch(node, key));
        }

        Throw.TooDeep(root, page);
        leaf = default;
        index = 0;
        return false;
    }

    /// <summary>Returns the value of a leaf entry, which is stored in the page or in an overflow run.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> ValueAt(PageSource source, TransactionId snapshot, scoped in Node leaf, int index) =>
        leaf.IsOverflow(index, out ReadOnlySpan<byte> value)
            ? source.ReadOverflow(Node.Reference(value), snapshot)
            : value;
}
