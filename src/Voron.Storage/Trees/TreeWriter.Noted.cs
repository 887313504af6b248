// Unsafe fence. Bounds: as in TreeWriter.cs.
using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <content>
/// Deferred puts. The leaf found when they were verified is usually still correct; if its keys have moved, the put descends from the root.
/// </content>
internal sealed unsafe partial class TreeWriter
{
    private readonly MovedLeaves _movedLeaves = new();

    /// <summary>Starts to track the leaves whose keys move to other leaves.</summary>
    internal void BeginNotes() => _movedLeaves.Clear();

    /// <summary>Returns the level of the tree's leaves: the number of branches above a leaf.</summary>
    internal int LeafLevel(PageNumber root, ReadOnlySpan<byte> key) => Find(root, key, out _, out _);

    /// <inheritdoc cref="LeafSearch"/>
    internal void FindLeaves(Span<DeferredPut> puts, ReadOnlySpan<byte> notes, PageNumber root, int leafLevel) =>
        LeafSearch.Find(_pages, puts, notes, root, leafLevel);

    /// <summary>Searches the leaf that was found for a key. Returns false if keys have since left it.</summary>
    internal bool TryFindAt(PageNumber page, ReadOnlySpan<byte> key, out bool exists, out ReadOnlySpan<byte> stored, out bool isLong)
    {
        exists = false;
        isLong = false;
        stored = default;
        if (HasMoved(page))
        {
            return false;
        }

        Node leaf = Node.Read(_pages, page);
        int index = NodeSearch.FindInLeaf(leaf, key, out exists);
        isLong = exists && leaf.IsOverflow(index, out stored);
        return true;
    }

    /// <summary>
    /// Applies a put to the leaf that was found for it. Returns false if keys have since left it, if it has no room without a rebuild, or
    /// if a value has pages of its own; at most an unchanged private version of the leaf was made.
    /// </summary>
    internal bool TryPutAt(PageNumber page, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, out bool added)
    {
        added = false;
        if (FlagOf(key.Length, value.Length) != 0 || HasMoved(page))
        {
            return false;
        }

        Forget();
        Node leaf = Node.Read(_pages, page);
        int index = NodeSearch.FindInLeaf(leaf, key, out bool exists);
        added = !exists;
        if (exists && leaf.IsOverflow(index, out _))
        {
            return false;
        }

        NodeEdit node = NodeEdit.Open(_pages, page);
        byte* target = exists
            ? node.TryReplace(index, value.Length, 0)
            : node.TryInsert(index, key, Node.LeafHeadBytes, value.Length, 0);
        if (target == null)
        {
            return false;
        }

        value.CopyTo(new Span<byte>(target, value.Length));
        return true;
    }

    /// <summary>Whether keys have left a leaf since <see cref="BeginNotes"/>, or may have; it may be freed then.</summary>
    internal bool HasMoved(PageNumber leaf) => _movedLeaves.Has(leaf);
}
