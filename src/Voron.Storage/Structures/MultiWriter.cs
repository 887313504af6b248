using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;

namespace Voron.Storage.Structures;

/// <summary>
/// Changes multi-value trees. An entry is a block of pairs of one key: the entry's key is that of the first pair, its value has the further
/// values. Callers first search a pair, so that they can note the change before it is made. Keys and values may be in pages of the tree.
/// </summary>
internal sealed class MultiWriter
{
    /// <summary>A block with more bytes of further values is divided.</summary>
    internal const int MostBytes = 512;

    /// <summary>
    /// A block with fewer bytes of further values, after a deletion, joins a neighbour if that leaves room for more values.
    /// </summary>
    internal const int FewBytes = 64;
    internal const int MostJoinedBytes = MostBytes - FewBytes;

    private const int MostLengthBytes = 3;

    private readonly PageWriter _pages;
    private readonly MultiSpan _span;
    private readonly TreeSplit _split;
    private readonly TreeShrink _shrink;
    private readonly TreeCut _cut;
    private readonly int _maxKeyBytes;

    /// <summary>The pair that was searched, and how many bytes of it are its key with the end.</summary>
    private readonly byte[] _pair;
    private int _pairBytes;
    private int _keyBytes;

    private readonly byte[] _values;
    private readonly byte[] _entryKey;
    private readonly byte[] _last;
    private readonly byte[] _rightKey;

    private PageNumber _root;
    private TreePath _path;
    private int _level;

    /// <summary>The block that has the pair or gets it; −1 for none.</summary>
    private int _block;

    /// <summary>Whether the pair is, or becomes, the first of that block; otherwise the offset of its value there.</summary>
    private bool _isFirst;
    private int _offset;

    internal MultiWriter(PageWriter pages)
    {
        _pages = pages;
        _maxKeyBytes = TreeWriter.MaxKeyBytesOf(pages.PageBytes);
        _span = new MultiSpan(_maxKeyBytes);
        TreeBalance balance = new(pages, _span);
        _split = new TreeSplit(pages, balance, _span);
        _shrink = new TreeShrink(pages, _split, balance);
        _cut = new TreeCut(pages, _shrink);
        _pair = new byte[_maxKeyBytes + 1];
        _entryKey = new byte[_maxKeyBytes];
        _last = new byte[_maxKeyBytes];
        _rightKey = new byte[_maxKeyBytes];
        _values = new byte[MostBytes + MostLengthBytes + _maxKeyBytes];
    }

    private ReadOnlySpan<byte> Pair => _pair.AsSpan(0, _pairBytes);

    private ReadOnlySpan<byte> Value => _pair.AsSpan(_keyBytes, _pairBytes - _keyBytes);

    private PageNumber LeafPage => _path[_level].Page;

    /// <summary>Searches a pair, which must not be too long; returns whether the tree has it.</summary>
    internal bool Find(PageNumber root, int valueBytes, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        _root = root;
        _span.Root = root;
        _span.ValueBytes = valueBytes;
        _keyBytes = MultiKey.Write(key, _pair);
        value.CopyTo(_pair.AsSpan(_keyBytes));
        _pairBytes = _keyBytes + value.Length;
        Node leaf = Descend(Pair, out bool exists);
        int index = _path[_level].Index;
        if (!exists && index > 0 && HasKey(leaf, index - 1))
        {
            _block = index - 1;
            _isFirst = false;
            _offset = _span.Values(leaf, _block).Find(Value, out exists);
            return exists;
        }

        _isFirst = true;
        _block = exists || (index < leaf.Count && HasKey(leaf, index)) ? index : -1;
        return exists;
    }

    /// <summary>Whether the pair that was searched, and was not found, is above all pairs of the tree.</summary>
    internal bool IsAboveAll
    {
        get
        {
            Node leaf = Node.Read(_pages, LeafPage);
            return _path[_level].Index == leaf.Count && IsInLastLeaf
                && (_block < 0 || (!_isFirst && _offset == _span.Values(leaf, _block).Bytes.Length));
        }
    }

    /// <summary>Adds the pair that <see cref="Find"/> did not find.</summary>
    internal void AddFound()
    {
        if (_block < 0)
        {
            Place(_path[_level].Index, Pair, default);
            return;
        }

        Node leaf = Node.Read(_pages, LeafPage);
        ReadOnlySpan<byte> old = _span.Values(leaf, _block).Bytes;
        if (_isFirst)
        {
            AddBeforeFirst(leaf, old);
            return;
        }

        int added = PackedValues.Write(Value, _span.ValueBytes, _values.AsSpan(_offset));
        int bytes = old.Length + added;
        if (bytes <= MostBytes && NodeEdit.Open(_pages, LeafPage).TryInsertInto(_block, _offset, _values.AsSpan(_offset, added)))
        {
            return;
        }

        old[.._offset].CopyTo(_values);
        old[_offset..].CopyTo(_values.AsSpan(_offset + added));
        if (bytes <= MostBytes)
        {
            Replace(_block, _values.AsSpan(0, bytes));
        }
        else if (_offset == old.Length)
        {
            // In ascending order blocks stay full.
            Place(_block + 1, Pair, default);
        }
        else
        {
            Divide(bytes);
        }
    }

    /// <summary>Deletes the pair that <see cref="Find"/> found.</summary>
    internal void DeleteFound()
    {
        Node leaf = Node.Read(_pages, LeafPage);
        PackedValues values = _span.Values(leaf, _block);
        ReadOnlySpan<byte> old = values.Bytes;
        bool isInPlace = true;
        if (_isFirst && old.IsEmpty)
        {
            NodeEdit.Open(_pages, LeafPage).RemoveAt(_block);
        }
        else if (_isFirst)
        {
            int behind = 0;
            int keyBytes = SetEntryKey(values.Take(ref behind));
            int bytes = Copy(old[behind..]);
            NodeEdit.Open(_pages, LeafPage).RemoveAt(_block);
            isInPlace = Place(_block, _entryKey.AsSpan(0, keyBytes), _values.AsSpan(0, bytes)) && TryJoin(bytes);
        }
        else
        {
            int behind = _offset;
            values.Take(ref behind);
            old[.._offset].CopyTo(_values);
            old[behind..].CopyTo(_values.AsSpan(_offset));
            int bytes = old.Length - (behind - _offset);
            isInPlace = Replace(_block, _values.AsSpan(0, bytes)) && TryJoin(bytes);
        }

        if (isInPlace && _level > 0 && _shrink.IsSparse(Node.Read(_pages, LeafPage)))
        {
            _shrink.Settle(ref _path, _level, Pair);
        }
    }

    /// <summary>Deletes the entries with from ≤ key &lt; to, which are keys of entries.</summary>
    internal void DeleteRange(PageNumber root, int valueBytes, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        _span.Root = root;
        _span.ValueBytes = valueBytes;
        _cut.DeleteRange(root, from, to);
    }

    private void AddBeforeFirst(in Node leaf, ReadOnlySpan<byte> old)
    {
        int entryBytes = leaf.CopyKey(_block, _entryKey);
        int added = PackedValues.Write(_entryKey.AsSpan(_keyBytes, entryBytes - _keyBytes), _span.ValueBytes, _values);
        int bytes = added + old.Length;
        if (bytes > MostBytes)
        {
            Place(_block, Pair, default);
            return;
        }

        old.CopyTo(_values.AsSpan(added));
        NodeEdit.Open(_pages, LeafPage).RemoveAt(_block);
        Place(_block, Pair, _values.AsSpan(0, bytes));
    }

    /// <summary>Makes two blocks of about the same length of one that has got too long.</summary>
    private void Divide(int bytes)
    {
        PackedValues values = new(_values.AsSpan(0, bytes), _span.ValueBytes, _root);
        int begin = 0;
        int behind = 0;
        ReadOnlySpan<byte> middle = values.Take(ref behind);
        while (2 * behind < bytes)
        {
            begin = behind;
            middle = values.Take(ref behind);
        }

        int keyBytes = SetEntryKey(middle);
        Span<byte> right = _entryKey.AsSpan(0, keyBytes);
        Span<byte> rest = _values.AsSpan(behind, bytes - behind);
        if (TryReplace(_block, _values.AsSpan(0, begin)))
        {
            Place(_block + 1, right, rest);
            return;
        }

        // Until both are placed, no separator may come between them.
        right.CopyTo(_rightKey);
        ReadOnlySpan<byte> last = LastOf(right, rest);
        last.CopyTo(_last);
        last = _last.AsSpan(0, last.Length);
        Span<byte> leftKey = TakeOut(_block);
        PlaceAnyway(leftKey, _values.AsSpan(0, begin), last);
        PlaceAnyway(_rightKey.AsSpan(0, keyBytes), rest, last);
    }

    /// <summary>Joins a block that has become short with a neighbour in its leaf; false if entries have left the leaf.</summary>
    private bool TryJoin(int bytes)
    {
        if (bytes >= FewBytes)
        {
            return true;
        }

        Node leaf = Node.Read(_pages, LeafPage);
        return _block + 1 < leaf.Count && HasKey(leaf, _block + 1) && FitTogether(leaf, _block, out int joined)
            ? Join(_block, joined)
            : _block == 0 || !HasKey(leaf, _block - 1) || !FitTogether(leaf, _block - 1, out joined) || Join(_block - 1, joined);
    }

    /// <summary>Puts the values of a block and of the one after it together, if they are not too many for one.</summary>
    private bool FitTogether(in Node leaf, int left, out int joined)
    {
        ReadOnlySpan<byte> first = _span.Values(leaf, left).Bytes;
        ReadOnlySpan<byte> second = _span.Values(leaf, left + 1).Bytes;
        int valueBytes = leaf.CopyKey(left + 1, _entryKey) - _keyBytes;
        joined = first.Length + second.Length + valueBytes + MostLengthBytes;
        if (joined > MostJoinedBytes)
        {
            return false;
        }

        first.CopyTo(_values);
        joined = first.Length
            + PackedValues.Write(_entryKey.AsSpan(_keyBytes, valueBytes), _span.ValueBytes, _values.AsSpan(first.Length));
        second.CopyTo(_values.AsSpan(joined));
        joined += second.Length;
        return true;
    }

    private bool Join(int left, int bytes)
    {
        NodeEdit.Open(_pages, LeafPage).RemoveAt(left + 1);
        return Replace(left, _values.AsSpan(0, bytes));
    }

    private bool TryReplace(int index, ReadOnlySpan<byte> values) => NodeEdit.Open(_pages, LeafPage).TryReplace(index, values);

    /// <summary>Replaces the further values of a block; false if its leaf had no room without a rebuild.</summary>
    private bool Replace(int index, ReadOnlySpan<byte> values)
    {
        if (TryReplace(index, values))
        {
            return true;
        }

        Span<byte> key = TakeOut(index);
        PlaceAnyway(key, values, LastOf(key, values));
        return false;
    }

    /// <summary>Removes a block from the leaf, to be placed anew, and returns its key.</summary>
    private Span<byte> TakeOut(int index)
    {
        int bytes = Node.Read(_pages, LeafPage).CopyKey(index, _entryKey);
        NodeEdit.Open(_pages, LeafPage).RemoveAt(index);
        return _entryKey.AsSpan(0, bytes);
    }

    private ReadOnlySpan<byte> LastOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> values) =>
        _span.LastOf(key, new PackedValues(values, _span.ValueBytes, _root));

    /// <summary>Inserts a block into the leaf that was found; false if that had no room without a rebuild.</summary>
    private bool Place(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> values)
    {
        if (NodeEdit.Open(_pages, LeafPage).TryInsert(index, key, values))
        {
            return true;
        }

        PlaceAnyway(key, values, LastOf(key, values));
        return false;
    }

    /// <summary>
    /// Inserts a block into a leaf that must be rebuilt or divided first. No separator will be between its key and the last pair. None of
    /// the arguments may be in a page.
    /// </summary>
    private void PlaceAnyway(ReadOnlySpan<byte> key, ReadOnlySpan<byte> values, ReadOnlySpan<byte> last)
    {
        last.CopyTo(_last);
        last = _last.AsSpan(0, last.Length);
        for (int step = 0; ; step++)
        {
            Descend(key, out _);
            int index = _path[_level].Index;
            NodeEdit node = NodeEdit.Open(_pages, LeafPage);
            if (node.EnsureRoom(index, key, Node.LeafHeadBytes, values.Length))
            {
                if (!node.TryInsert(index, key, values))
                {
                    Trees.Throw.OutOfOrder(LeafPage, index);
                }

                return;
            }

            if (step == TreeSplit.MostSteps)
            {
                Trees.Throw.NoProgress(_root, LeafPage);
            }

            bool append = index == node.Count && IsInLastLeaf;
            if (append || step > 0 || !_split.TryGive(ref _path, _level, out _, key, last))
            {
                _split.MakeRoom(ref _path, _level, index, key, last, Node.LeafHeadBytes + values.Length, append);
            }
        }
    }

    private bool IsInLastLeaf
    {
        get
        {
            for (int level = 0; level < _level; level++)
            {
                if (_path[level].Index != _path[level].Count - 1)
                {
                    return false;
                }
            }

            return true;
        }
    }

    private Node Descend(ReadOnlySpan<byte> key, out bool exact)
    {
        _level = TreePath.Descend(ref _path, _pages.Source, _pages.TransactionId, _root, key, out Node leaf, out exact);
        return leaf;
    }

    /// <summary>Whether an entry has the key of the pair.</summary>
    private bool HasKey(in Node leaf, int index) =>
        NodeBuild.SharedBytes(leaf, index, _pair.AsSpan(0, _keyBytes)) == _keyBytes;

    /// <summary>Makes the key of an entry whose first value is this one, and returns its length.</summary>
    private int SetEntryKey(ReadOnlySpan<byte> value)
    {
        if (_keyBytes + value.Length > _maxKeyBytes)
        {
            Throw.BadBlock(_root);
        }

        _pair.AsSpan(0, _keyBytes).CopyTo(_entryKey);
        value.CopyTo(_entryKey.AsSpan(_keyBytes));
        return _keyBytes + value.Length;
    }

    private int Copy(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_values);
        return bytes.Length;
    }
}
