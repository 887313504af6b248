using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>
/// Makes room on the path of an insertion, one division at a time. A node is divided only if its parent has room for the separator;
/// otherwise the parent is divided first. After each step the caller descends again, so that no step needs to know what the others moved.
/// </summary>
/// <param name="pages">The pages of the transaction.</param>
/// <param name="balance">Moves entries to neighbours.</param>
/// <param name="spans">Says what entries of leaves stand for; null if it is their keys.</param>
internal sealed class TreeSplit(PageWriter pages, TreeBalance balance, EntrySpan? spans = null)
{
    /// <summary>
    /// More steps than any insertion needs: each level is divided at most three times. In a damaged tree the steps might never end.
    /// </summary>
    internal const int MostSteps = 4 * TreePath.MaxDepth;

    /// <summary>
    /// Buffers for separators, used alternately by level: a level's separator is needed until the level above has been asked for room.
    /// </summary>
    private readonly byte[][] _separators =
        [new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)], new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)]];

    /// <summary>
    /// Makes room in a full leaf without dividing it: a neighbour with much free space takes some of its entries. Used at most once for an
    /// insertion; otherwise two neighbours could pass an entry too large for either back and forth.
    /// </summary>
    internal bool TryGive(
        ref TreePath path,
        int level,
        out PageNumber neighbour,
        ReadOnlySpan<byte> first = default,
        ReadOnlySpan<byte> last = default)
    {
        neighbour = default;
        return level > 0 && balance.TryGive(ref path, level, first, last, out neighbour);
    }

    /// <summary>
    /// Makes one step towards room for an entry at <paramref name="index"/> of the node at a level of the path.
    /// <paramref name="entryBytes"/> is the size of the entry without its key. If <paramref name="append"/> is set, the insertion is after
    /// the tree's last entry, and the left pages stay full.
    /// </summary>
    internal void MakeRoom(ref TreePath path, int level, int index, ReadOnlySpan<byte> key, int entryBytes, bool append) =>
        MakeRoom(ref path, level, index, key, key, entryBytes, append);

    /// <summary>As above, for an entry that stands for the keys up to <paramref name="last"/>.</summary>
    internal void MakeRoom(
        ref TreePath path, int level, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> last, int entryBytes, bool append)
    {
        PageNumber page = path[level].Page;
        if (level == 0)
        {
            PushDown(page);
            return;
        }

        Node node = Node.Read(pages, page);
        SplitPoint point = append
            ? NodeSplit.Append(node)
            : NodeSplit.Balanced(node, index, entryBytes + key.Length);
        byte[] buffer = _separators[level & 1];
        ReadOnlySpan<byte> separator = buffer.AsSpan(0, NodeSplit.Separator(node, point, index, key, last, spans, buffer));
        int separatorIndex = path[level - 1].Index + 1;
        NodeEdit parent = NodeEdit.Open(pages, path[level - 1].Page);
        if (!parent.EnsureRoom(separatorIndex, separator, Node.BranchHeadBytes, 0))
        {
            MakeRoom(ref path, level - 1, separatorIndex, separator, Node.BranchHeadBytes, append);
            return;
        }

        NodeEdit right = NodeEdit.Create(pages, node.Kind, page.IsInMemory);
        Divide(NodeEdit.Open(pages, page), right, point.From);
        parent.InsertChild(separatorIndex, separator, right.Page);
    }

    /// <summary>Moves the content of a full root down to a new page, which the next step divides; the root keeps its page number.</summary>
    private void PushDown(PageNumber root)
    {
        NodeEdit node = NodeEdit.Open(pages, root);
        NodeEdit child = NodeEdit.Create(pages, PageKind.Leaf, root.IsInMemory);
        child.BecomeCopyOf(node.Node);
        node.BecomeBranchOf(child.Page);
    }

    private static void Divide(NodeEdit left, NodeEdit right, int from)
    {
        int count = left.Count;
        if (from < count)
        {
            right.TakeRange(left.Node, from, count, NodeBuild.PrefixOfRange(left.Node, from, count));
            left.KeepRange(0, from, NodeBuild.PrefixOfRange(left.Node, 0, from));
        }
    }
}
