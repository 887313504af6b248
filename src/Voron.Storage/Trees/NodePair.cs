using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>
/// Two neighbours of one kind seen as one sequence of entries, to be merged or divided elsewhere. The first entry of a right branch has
/// the key that separates the two in their parent.
/// </summary>
internal readonly ref struct NodePair
{
    private readonly PageView _left;
    private readonly PageView _right;
    private readonly long _leftPage;
    private readonly long _rightPage;
    private readonly int _leftCount;
    private readonly int _pageBytes;
    private readonly ReadOnlySpan<byte> _separator;

    internal NodePair(PageView left, long leftPage, PageView right, long rightPage, ReadOnlySpan<byte> separator, int pageBytes)
    {
        _left = left;
        _right = right;
        _leftPage = leftPage;
        _rightPage = rightPage;
        _separator = separator;
        _pageBytes = pageBytes;
        _leftCount = NodeSearch.Count(left);
        Count = _leftCount + NodeSearch.Count(right);
        IsLeaf = NodeSearch.Kind(left) == PageKind.Leaf;
    }

    internal int Count { get; }

    internal bool IsLeaf { get; }

    internal int HeadBytes => IsLeaf ? NodeSearch.LeafHeadBytes : NodeSearch.BranchHeadBytes;

    /// <summary>The head and payload bytes of an entry: all but its key.</summary>
    internal ReadOnlySpan<byte> Payload(int index, out int flag)
    {
        PageView view = ViewOf(index, out int at, out long page);
        if (!IsLeaf)
        {
            flag = 0;
            return NodeSearch.ChildBytes(view, _pageBytes, page, at);
        }

        bool isOverflow = NodeSearch.IsOverflow(view, _pageBytes, page, at, out ReadOnlySpan<byte> value);
        flag = isOverflow ? NodeSearch.OverflowFlag : 0;
        return value;
    }

    /// <summary>Writes an entry's whole key and returns its length; 0 for the first entry of a left branch.</summary>
    internal int CopyKey(int index, Span<byte> target)
    {
        if (!IsLeaf && (index == 0 || index == _leftCount))
        {
            ReadOnlySpan<byte> key = index == 0 ? default : _separator;
            key.CopyTo(target);
            return key.Length;
        }

        PageView view = ViewOf(index, out int at, out long page);
        return NodeSearch.CopyKey(view, _pageBytes, page, at, target);
    }

    /// <summary>Bytes of an entry, its slot and its whole key included.</summary>
    internal int EntryBytes(int index)
    {
        PageView view = ViewOf(index, out int at, out long page);
        int bytes = NodeSearch.EntryBytes(view, _pageBytes, page, at) + NodeSlot.SizeBytes;
        if (!IsLeaf && at == 0)
        {
            return index == 0 ? bytes : bytes + _separator.Length;
        }

        return bytes + NodeSearch.Prefix(view, _pageBytes).Length;
    }

    /// <summary>The prefix that the keys of the entries [from, to) share, were they a node of their own.</summary>
    internal int SharedPrefix(int from, int to, Span<byte> first, Span<byte> last)
    {
        int firstKey = IsLeaf ? from : from + 1;
        if (to - firstKey < 2)
        {
            return 0;
        }

        ReadOnlySpan<byte> low = first[..CopyKey(firstKey, first)];
        return low.CommonPrefixLength(last[..CopyKey(to - 1, last)]);
    }

    /// <summary>Bytes of a node that holds the entries [from, to) with this prefix.</summary>
    internal int NodeBytes(int from, int to, int prefixBytes)
    {
        int keys = IsLeaf ? to - from : to - from - 1;
        int bytes = PageHeader.SizeBytes + prefixBytes - (keys * prefixBytes);
        for (int i = from; i < to; i++)
        {
            bytes += EntryBytes(i);
        }

        // The first entry of a branch gives its key away.
        return IsLeaf ? bytes : bytes - KeyBytes(from);
    }

    /// <summary>The first entry of the right part when both parts are to have about as many bytes.</summary>
    internal int Middle()
    {
        long total = 0;
        for (int i = 0; i < Count; i++)
        {
            total += EntryBytes(i);
        }

        long left = 0;
        int middle = 0;
        while (middle < Count && 2 * left < total)
        {
            left += EntryBytes(middle++);
        }

        int fewest = IsLeaf ? 1 : 2;
        return Count < 2 * fewest ? 0 : Math.Clamp(middle, fewest, Count - fewest);
    }

    private int KeyBytes(int index)
    {
        PageView view = ViewOf(index, out int at, out long page);
        return at == 0
            ? index == 0 ? 0 : _separator.Length
            : NodeSearch.Prefix(view, _pageBytes).Length + NodeSearch.Tail(view, _pageBytes, page, at).Length;
    }

    private PageView ViewOf(int index, out int at, out long page)
    {
        bool isLeft = index < _leftCount;
        at = isLeft ? index : index - _leftCount;
        page = isLeft ? _leftPage : _rightPage;
        return isLeft ? _left : _right;
    }
}
