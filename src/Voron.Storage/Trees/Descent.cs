using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// A descent to a leaf, one node at a time. <c>while (descent.EnterBranch()) descent.Follow(index);</c> ends in the leaf. Point lookups and
/// the seeks of cursors have the same loop written out.
/// </summary>
/// <param name="source">The source of pages.</param>
/// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
/// <param name="root">The root of the tree.</param>
/// <param name="page">The node to begin at.</param>
/// <param name="level">Its level: 0 for the root.</param>
internal ref struct Descent(PageSource source, TransactionId snapshot, PageNumber root, PageNumber page, int level)
{
    private readonly PageSource _source = source;
    private readonly TransactionId _snapshot = snapshot;
    private readonly PageNumber _root = root;

    /// <summary>The node to enter next.</summary>
    internal PageNumber Next = page;

    internal Descent(PageSource source, TransactionId snapshot, PageNumber root)
        : this(source, snapshot, root, root, 0)
    {
    }

    /// <summary>The node entered last.</summary>
    internal Node Node;

    /// <summary>Its level: 0 for the root.</summary>
    internal int Level = level - 1;

    /// <summary>Enters the next node; returns false if it is a leaf, where the descent ends.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool EnterBranch()
    {
        if (++Level == TreePath.MaxDepth)
        {
            Throw.TooDeep(_root, Next);
        }

        Node = new Node(_source.Read(Next, _snapshot), _source.PageBytes, Next);
        Node.PrefetchSlots();
        return Node.CheckHeader() == PageKind.Branch;
    }

    /// <summary>Chooses the child to enter next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Follow(int index) => Next = Node.Child(index);
}
