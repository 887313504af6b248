using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// The steps of one descent, root first. A tree that needs more is damaged: even branches with two entries lead to millions of leaves.
/// </summary>
[InlineArray(MaxDepth)]
internal struct TreePath
{
    /// <summary>More levels than any sound tree has; ends a descent that runs in a circle.</summary>
    internal const int MaxDepth = 24;

    private PathStep _root;

    /// <summary>
    /// Descends to the leaf of a key. The last step is the position of the first key ≥ it; <paramref name="exact"/> if the two are equal.
    /// Returns the leaf's level.
    /// </summary>
    internal static int Descend(
        ref TreePath path,
        PageSource source,
        TransactionId snapshot,
        PageNumber root,
        ReadOnlySpan<byte> key,
        out Node leaf,
        out bool exact)
    {
        Descent descent = new(source, snapshot, root);
        while (descent.EnterBranch())
        {
            int index = NodeSearch.FindInBranch(descent.Node, key);
            path[descent.Level] = new PathStep(descent.Node, index);
            descent.Follow(index);
        }

        leaf = descent.Node;
        leaf.PrefetchRoom();
        path[descent.Level] = new PathStep(leaf, NodeSearch.FindInLeaf(leaf, key, out exact));
        return descent.Level;
    }

    /// <summary>Descends to the last leaf; the last step is the position after its entries. Returns the leaf's level.</summary>
    internal static int DescendToEnd(ref TreePath path, PageSource source, TransactionId snapshot, PageNumber root)
    {
        Descent descent = new(source, snapshot, root);
        while (descent.EnterBranch())
        {
            int last = descent.Node.Count - 1;
            path[descent.Level] = new PathStep(descent.Node, last);
            descent.Follow(last);
        }

        path[descent.Level] = new PathStep(descent.Node, descent.Node.Count);
        return descent.Level;
    }

    /// <summary>
    /// One level of a descent: the node, and the index of the entry followed (in the leaf: the position of the key). It holds no address,
    /// so it stays valid while the node changes.
    /// </summary>
    internal struct PathStep(in Node node, int index)
    {
        internal PageNumber Page = node.Page;
        internal int Index = index;
        internal int Count = node.Count;
    }
}
