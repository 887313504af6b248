using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>
/// Two neighbouring nodes of one kind, seen as one sequence of entries to be merged or divided elsewhere. The first entry of a right branch
/// has the key that separates the two nodes in their parent.
/// </summary>
internal readonly ref struct NodePair
{
    private readonly Node _left;
    private readonly Node _right;
    private readonly int _leftCount;
    private readonly ReadOnlySpan<byte> _separator;

    /// <summary>For each entry, and after the last: the bytes of all entries before it, including their slots and whole keys.</summary>
    private readonly Span<int> _bytesBefore;

    /// <summary><paramref name="bytesBefore"/> has room for <see cref="MostEntries"/> elements.</summary>
    internal NodePair(scoped in Node left, scoped in Node right, ReadOnlySpan<byte> separator, Span<int> bytesBefore)
    {
        _left = left;
        _right = right;
        _separator = separator;
        _leftCount = left.Count;
        Count = _leftCount + right.Count;
        IsLeaf = left.IsLeaf;
        _bytesBefore = bytesBefore[..(Count + 1)];
        _bytesBefore[0] = 0;
        Measure(left, _bytesBefore[..(_leftCount + 1)], 0);
        Measure(right, _bytesBefore[_leftCount..], separator.Length);
    }

    internal int Count { get; }

    internal bool IsLeaf { get; }

    /// <summary>Returns the number of elements for the entries of any two nodes, plus one.</summary>
    internal static int MostEntries(int pageBytes) => (2 * pageBytes / NodeSlot.SizeBytes) + 1;

    /// <summary>Writes an entry's whole key and returns its length; 0 for the first entry of a left branch.</summary>
    internal int CopyKey(int index, Span<byte> target)
    {
        if (!IsLeaf && (index == 0 || index == _leftCount))
        {
            ReadOnlySpan<byte> key = index == 0 ? default : _separator;
            key.CopyTo(target);
            return key.Length;
        }

        Node node = NodeOf(index, out int at);
        return node.CopyKey(at, target);
    }

    /// <summary>Returns how many leading bytes a key shares with the last key that an entry of a leaf before it stands for.</summary>
    internal int SharedByLast(int index, ReadOnlySpan<byte> key, EntrySpan? spans) =>
        NodeBuild.SharedByLast(NodeOf(index, out int at), at, key, spans);

    /// <summary>Returns the length of the prefix that the keys of the entries [from, to) would share in a node of their own.</summary>
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

    /// <summary>Returns the size of a node that holds the entries [from, to) with a prefix of this length.</summary>
    internal int NodeBytes(int from, int to, int prefixBytes)
    {
        int keys = IsLeaf ? to - from : to - from - 1;
        int bytes = PageHeader.SizeBytes + prefixBytes - (keys * prefixBytes) + _bytesBefore[to] - _bytesBefore[from];

        // The first entry of a branch does not store its key.
        return IsLeaf ? bytes : bytes - KeyBytes(from);
    }

    /// <summary>
    /// Returns the first entry of the right part if both parts are to have about the same size; 0 if there are too few entries.
    /// </summary>
    internal int Middle()
    {
        int middle = 0;
        while (middle < Count && 2 * _bytesBefore[middle] < _bytesBefore[Count])
        {
            middle++;
        }

        int fewest = IsLeaf ? 1 : 2;
        return Count < 2 * fewest ? 0 : Math.Clamp(middle, fewest, Count - fewest);
    }

    /// <summary>
    /// Returns the first entry of the right part if the left part is to have as many entries as fit in this many bytes; 0 if no division
    /// leaves entries on both sides.
    /// </summary>
    /// <param name="mostBytes">Size of the left node, at most.</param>
    /// <param name="prefixBytes">Length of a prefix that all keys share.</param>
    internal int Fitting(int mostBytes, int prefixBytes)
    {
        int most = Count - (IsLeaf ? 1 : 2);
        while (most > 0 && NodeBytes(0, most, prefixBytes) > mostBytes)
        {
            most--;
        }

        return Math.Max(most, 0);
    }

    /// <summary>
    /// Builds a node that holds the entries [from, to), with a prefix of this length, in blocks that neither node of the pair uses.
    /// </summary>
    internal void CopyTo(in Node target, int from, int to, int prefixBytes)
    {
        NodeCopy copy = new(target, to - from, prefixBytes);
        if (prefixBytes > 0)
        {
            // At least two keys share the prefix. Take it from the last one or, if that is the separator, from the one before.
            Node source = NodeOf(!IsLeaf && to - 1 == _leftCount ? to - 2 : to - 1, out int at);
            copy.TakePrefix(source, at);
        }

        Take(ref copy, _left, from, Math.Min(to, _leftCount), default);
        Take(ref copy, _right, Math.Max(0, from - _leftCount), to - _leftCount, _separator);
        copy.End();
    }

    private void Take(ref NodeCopy copy, in Node node, int from, int to, ReadOnlySpan<byte> firstKey)
    {
        if (from >= to)
        {
            return;
        }

        // The first entry of a right branch gets the separator as its key; an entry that becomes the first of a branch loses its key.
        if (!IsLeaf && (from == 0 || copy.IsEmpty))
        {
            copy.TakeChild(node, from, from == 0 ? firstKey : default);
            from++;
        }

        copy.Take(node, from, to);
    }

    private void Measure(in Node node, Span<int> bytesBefore, int firstKeyBytes)
    {
        int prefixBytes = node.Prefix.Length;
        int bytes = bytesBefore[0];
        for (int i = 0; i < bytesBefore.Length - 1; i++)
        {
            bytes += NodeSlot.SizeBytes + node.EntryBytes(i)
                + (i > 0 || IsLeaf ? prefixBytes : firstKeyBytes);
            bytesBefore[i + 1] = bytes;
        }
    }

    private int KeyBytes(int index)
    {
        Node node = NodeOf(index, out int at);
        return at == 0
            ? index == 0 ? 0 : _separator.Length
            : node.Prefix.Length + node.Tail(at).Length;
    }

    private Node NodeOf(int index, out int at)
    {
        bool isLeft = index < _leftCount;
        at = isLeft ? index : index - _leftCount;
        return isLeft ? _left : _right;
    }
}
