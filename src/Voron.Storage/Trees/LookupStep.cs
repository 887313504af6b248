using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// One of several descents that go on together, level by level, each level in rounds: all nodes are read and their slots fetched; all are
/// searched by the heads in their slots, and the entries found are fetched; then these are read. So all of them wait for memory once a
/// round.
/// </summary>
internal struct LookupStep
{
    /// <summary>Which of the descents it is, if they may end at different levels.</summary>
    internal int Number;

    /// <summary>The node of this level; 0 if the descent has ended.</summary>
    internal PageNumber Page;
    internal Node Node;
    internal PageKind Kind;

    /// <summary>Where the key's head is; the entry itself has yet to be compared if it is tied.</summary>
    internal int Index;
    internal bool IsTied;

    /// <summary>The first round.</summary>
    internal void Read(PageSource source, TransactionId snapshot)
    {
        Node = new Node(source.Read(Page, snapshot), source.PageBytes, Page);
        Node.PrefetchSlots();
    }

    /// <summary>The second round.</summary>
    internal void SearchHead(scoped ReadOnlySpan<byte> key)
    {
        Kind = Node.CheckHeader();
        Index = NodeSearch.FindHead(Node, Kind, key, out IsTied);
        Node.PrefetchEntry(Kind == PageKind.Branch && !IsTied ? Index - 1 : Index);
    }

    /// <summary>The last round in a branch: returns the child that leads to the key.</summary>
    internal readonly PageNumber Child(scoped ReadOnlySpan<byte> key) => Node.Child(IndexOfChild(key));

    internal readonly int IndexOfChild(scoped ReadOnlySpan<byte> key) =>
        IsTied ? NodeSearch.SettleInBranch(Node, key, Index) : Index - 1;

    /// <summary>The last round in a leaf: returns where the key is or belongs.</summary>
    internal readonly int IndexInLeaf(scoped ReadOnlySpan<byte> key, out bool exact)
    {
        exact = false;
        return IsTied ? NodeSearch.SettleInLeaf(Node, key, Index, out exact) : Index;
    }
}
