using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Merges two neighbours below one parent, or divides their entries between them. Neither needs room in any other node: if the new
/// separator does not fit in the parent, nothing changes.
/// </summary>
/// <param name="pages">The pages of the transaction.</param>
/// <param name="spans">Says what entries of leaves stand for; null if it is their keys.</param>
internal sealed class TreeBalance(PageWriter pages, EntrySpan? spans = null)
{
    /// <summary>
    /// A full leaf gives entries to a neighbour that uses less than this part of its page; if both neighbours are fuller, the leaf is
    /// divided. More sharing would save more space but slow down every insertion.
    /// </summary>
    private const double SharingLimit = 0.70;

    /// <summary>A branch with so few children keeps them when leaves are filled: no branch may have only one.</summary>
    private const int FewestChildren = 2;

    /// <summary>What <see cref="Fill"/> fills a leaf to, and the part of it from which a leaf counts as full.</summary>
    private readonly int _fullBytes = pages.PageBytes / 32 * 31;
    private readonly int _enoughBytes = pages.PageBytes / 32 * 29;

    private readonly byte[] _separator = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];
    private readonly byte[] _first = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];
    private readonly byte[] _last = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];
    private readonly byte[] _old = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];

    private readonly int[] _bytesBefore = new int[NodePair.MostEntries(pages.PageBytes)];

    /// <summary>Set when the tree begins to change; before that, only private versions have been made.</summary>
    private bool _isChanging;

    /// <summary>
    /// Moves all entries of the child after <paramref name="leftIndex"/> to the child at that index and frees the emptied page. Returns
    /// false, with nothing changed, if the merged node would have more than <paramref name="mostBytes"/> bytes. The parent is the node
    /// above <paramref name="level"/> of the path.
    /// </summary>
    internal bool TryMerge(ref TreePath path, int level, int leftIndex, int mostBytes)
    {
        NodePair pair = Pair(ref path, level, leftIndex, out PageNumber leftPage, out PageNumber rightPage);
        if (!FitsInOne(pair, mostBytes, out int prefix))
        {
            return false;
        }

        NodeEdit left = NodeEdit.Open(pages, leftPage);
        left.Become(left.Prepare(pair, 0, pair.Count, prefix));
        NodeEdit.Open(pages, path[level - 1].Page).RemoveAt(leftIndex + 1);
        pages.Free(rightPage);
        return true;
    }

    /// <summary>Whether <see cref="TryMerge"/> would.</summary>
    internal bool CanMerge(ref TreePath path, int level, int leftIndex, int mostBytes) =>
        FitsInOne(Pair(ref path, level, leftIndex, out _, out _), mostBytes, out _);

    /// <summary>Divides the entries of the child at <paramref name="leftIndex"/> and the one after it evenly between the two.</summary>
    internal bool TryShare(ref TreePath path, int level, int leftIndex) => TryShare(ref path, level, leftIndex, default, default);

    /// <summary>As above; returns false if keys from first to last, of an entry to be placed, would be on both sides.</summary>
    private bool TryShare(ref TreePath path, int level, int leftIndex, ReadOnlySpan<byte> first, ReadOnlySpan<byte> last)
    {
        NodePair pair = Pair(ref path, level, leftIndex, out PageNumber leftPage, out PageNumber rightPage);
        return TryDivide(pair, pair.Middle(), path[level - 1].Page, leftIndex, leftPage, rightPage, first, last);
    }

    /// <summary>
    /// Gives the left one of two neighbours the entries before <paramref name="middle"/> and the right one the others. Returns false, and
    /// nothing has changed, if that cannot be.
    /// </summary>
    private bool TryDivide(
        in NodePair pair, int middle, PageNumber parent, int leftIndex, PageNumber leftPage, PageNumber rightPage,
        ReadOnlySpan<byte> first, ReadOnlySpan<byte> last)
    {
        int pageBytes = pages.PageBytes;
        if (middle == 0)
        {
            return false;
        }

        int leftPrefix = pair.SharedPrefix(0, middle, _first, _last);
        int rightPrefix = pair.SharedPrefix(middle, pair.Count, _first, _last);
        if (pair.NodeBytes(0, middle, leftPrefix) > pageBytes || pair.NodeBytes(middle, pair.Count, rightPrefix) > pageBytes)
        {
            return false;
        }

        NodeBlocks newLeft = NodeEdit.Open(pages, leftPage).Prepare(pair, 0, middle, leftPrefix);
        NodeBlocks newRight = default;
        bool isReplaced = false;
        try
        {
            newRight = NodeEdit.Open(pages, rightPage).Prepare(pair, middle, pair.Count, rightPrefix);
            ReadOnlySpan<byte> separator = NewSeparator(pair, middle, rightPage);
            if (last.IsEmpty || separator.SequenceCompareTo(first) <= 0 || separator.SequenceCompareTo(last) > 0)
            {
                _isChanging = true;
                isReplaced = NodeEdit.Open(pages, parent).TryReplaceSeparator(leftIndex + 1, separator, _old);
            }
        }
        finally
        {
            if (!isReplaced)
            {
                NodeEdit.Discard(pages, newLeft);
                NodeEdit.Discard(pages, newRight);
            }
        }

        if (!isReplaced)
        {
            _isChanging = false;
            return false;
        }

        NodeEdit.Open(pages, leftPage).Become(newLeft);
        NodeEdit.Open(pages, rightPage).Become(newRight);
        return true;
    }

    /// <summary>
    /// Makes room in a full leaf by giving entries to a neighbour with much free space; returns false if neither neighbour has it. A
    /// damaged neighbour is left alone and not reported: a put must not fail because of a page that its key does not lead to. The keys from
    /// first to last, those of an entry to be placed, stay together.
    /// </summary>
    internal bool TryGive(
        ref TreePath path, int level, ReadOnlySpan<byte> first, ReadOnlySpan<byte> last, out PageNumber neighbour)
    {
        int index = path[level - 1].Index;
        neighbour = default;
        _isChanging = false;
        try
        {
            return (index > 0 && HasMuchRoom(ref path, level, index - 1, out neighbour)
                    && TryShare(ref path, level, index - 1, first, last))
                || (index + 1 < Node.Read(pages, path[level - 1].Page).Count
                    && HasMuchRoom(ref path, level, index + 1, out neighbour)
                    && TryShare(ref path, level, index, first, last));
        }
        catch (StorageException error) when (error.IsOfDamage && !_isChanging)
        {
            return false;
        }
    }

    /// <summary>
    /// Moves entries of the child after <paramref name="leftIndex"/>, a leaf, to the child at that index, as many as fit there. Returns
    /// true if those were all of them, so that their leaf was freed. A damaged leaf is left alone and not reported.
    /// </summary>
    internal bool Fill(ref TreePath path, int level, int leftIndex)
    {
        Node parent = Node.Read(pages, path[level - 1].Page);
        int before = Node.Read(pages, parent.Child(leftIndex)).Count;
        _isChanging = false;
        try
        {
            if (Node.Read(pages, parent.Child(leftIndex)).UsedBytes >= _enoughBytes)
            {
                return false;
            }

            if (parent.Count > FewestChildren && CanMerge(ref path, level, leftIndex, _fullBytes))
            {
                _isChanging = true;
                return TryMerge(ref path, level, leftIndex, _fullBytes);
            }

            NodePair pair = Pair(ref path, level, leftIndex, out PageNumber leftPage, out PageNumber rightPage);
            int middle = pair.Fitting(_fullBytes, pair.SharedPrefix(0, pair.Count, _first, _last));
            if (middle > before)
            {
                TryDivide(pair, middle, path[level - 1].Page, leftIndex, leftPage, rightPage, default, default);
            }
        }
        catch (StorageException error) when (error.IsOfDamage && !_isChanging)
        {
        }

        return false;
    }

    private bool FitsInOne(in NodePair pair, int mostBytes, out int prefixBytes)
    {
        prefixBytes = pair.SharedPrefix(0, pair.Count, _first, _last);
        return pair.NodeBytes(0, pair.Count, prefixBytes) <= Math.Min(mostBytes, pages.PageBytes);
    }

    private bool HasMuchRoom(ref TreePath path, int level, int index, out PageNumber page)
    {
        page = Node.Read(pages, path[level - 1].Page).Child(index);
        Node node = Node.Read(pages, page);
        return node.IsLeaf && node.UsedBytes < pages.PageBytes * SharingLimit;
    }

    private NodePair Pair(ref TreePath path, int level, int leftIndex, out PageNumber leftPage, out PageNumber rightPage)
    {
        Node parent = Node.Read(pages, path[level - 1].Page);
        leftPage = parent.Child(leftIndex);
        rightPage = parent.Child(leftIndex + 1);
        int length = parent.CopyKey(leftIndex + 1, _separator);
        Node left = Node.Read(pages, leftPage);
        Node right = Node.Read(pages, rightPage);
        if (leftPage == rightPage || left.Kind != right.Kind)
        {
            Throw.LostNode(path[0].Page, rightPage);
        }

        left.PrefetchHeap();
        right.PrefetchHeap();
        return new NodePair(left, right, _separator.AsSpan(0, length), _bytesBefore);
    }

    /// <summary>
    /// Returns the shortest key above all keys on the left and not above any on the right; in a branch, the key that the first entry on the
    /// right loses.
    /// </summary>
    private ReadOnlySpan<byte> NewSeparator(in NodePair pair, int middle, PageNumber rightPage)
    {
        ReadOnlySpan<byte> right = _first.AsSpan(0, pair.CopyKey(middle, _first));
        if (!pair.IsLeaf)
        {
            return right;
        }

        int shared = pair.SharedByLast(middle - 1, right, spans);
        if (shared >= right.Length)
        {
            Throw.OutOfOrder(rightPage, 0);
        }

        return right[..(shared + 1)];
    }
}
