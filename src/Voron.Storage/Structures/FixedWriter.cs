using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;

namespace Voron.Storage.Structures;

/// <summary>
/// Changes fixed-size trees. A row is a block of columns: its key is at most the first key of the block and above the last key of the block
/// before. Callers first search a key, so that they can note the change before it is made. Keys are in their ordered form; keys and values
/// may be in pages of the tree.
/// </summary>
internal sealed class FixedWriter
{
    /// <summary>A block in which a place is missing gets a twelfth more, and at least this number.</summary>
    private const int FewestPlaces = 4;

    private readonly PageWriter _pages;
    private readonly FixedSpan _span = new();
    private readonly FixedPlacer _placer;
    private readonly TreeShrink _shrink;
    private readonly TreeCut _cut;

    /// <summary>The key that was searched, in both forms.</summary>
    private readonly byte[] _key = new byte[FixedKey.MostBytes];
    private readonly byte[] _native = new byte[FixedKey.MostBytes];
    private readonly byte[] _value = new byte[TreeShape.MaxFixedBytes];
    private readonly byte[] _left;
    private readonly byte[] _right;
    private readonly byte[] _rowKey = new byte[FixedKey.MostBytes];
    private readonly byte[] _takenKey = new byte[FixedKey.MostBytes];

    private TreeShape _shape;

    /// <summary>Entries of the longest blocks of the tree.</summary>
    private int _most;

    /// <summary>The block that has the key or gets it, and the place there; −1 if the key is below all blocks of its leaf.</summary>
    private int _block;
    private int _offset;

    internal FixedWriter(PageWriter pages)
    {
        _pages = pages;
        TreeBalance balance = new(pages, _span);
        TreeSplit split = new(pages, balance, _span);
        _shrink = new TreeShrink(pages, split, balance);
        _cut = new TreeCut(pages, _shrink);
        _placer = new FixedPlacer(pages, split);
        _left = new byte[pages.PageBytes / 2];
        _right = new byte[pages.PageBytes / 2];
    }

    private ReadOnlySpan<byte> Key => _key.AsSpan(0, _shape.KeyBytes);

    private ReadOnlySpan<byte> Native => _native.AsSpan(0, _shape.KeyBytes);

    private ReadOnlySpan<byte> Value => _value.AsSpan(0, _shape.ValueBytes);

    /// <summary>Where the last entry was put: its leaf, and its block there.</summary>
    internal PageNumber LeafPage => _placer.LeafPage;

    internal int Block => _block;

    /// <summary>Searches a key of the right length; returns whether the tree has it.</summary>
    internal bool Find(PageNumber root, TreeShape shape, ReadOnlySpan<byte> key)
    {
        Select(root, shape);
        key.CopyTo(_key);
        FixedKey.ToColumn(shape.KeyKind, Key, _native);
        Node leaf = _placer.Descend(Key, out bool isFirst);
        _block = _placer.Index - (isFirst ? 0 : 1);
        _offset = 0;
        if (_block < 0)
        {
            return false;
        }

        _offset = _span.Columns(leaf, _block).Find(Key, out bool exists);
        return exists;
    }

    /// <summary>Whether the key that was searched, and was not found, is above all keys of the tree.</summary>
    internal bool IsAboveAll
    {
        get
        {
            if (!_placer.IsInLastLeaf)
            {
                return false;
            }

            Node leaf = Node.Read(_pages, LeafPage);
            return leaf.Count == 0 || (_block == leaf.Count - 1 && _offset == _span.Columns(leaf, _block).Count);
        }
    }

    /// <summary>Replaces the value of the key that <see cref="Find"/> found.</summary>
    internal void SetFound(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_value);
        Open(_block).Set(_offset, Value);
    }

    /// <summary>Adds the key that <see cref="Find"/> did not find.</summary>
    internal void AddFound(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_value);
        Node leaf = Node.Read(_pages, LeafPage);
        if (_block < 0)
        {
            AddBefore(leaf);
            return;
        }

        FixedColumns block = _span.Columns(leaf, _block);
        if (block.Count < block.Capacity)
        {
            Open(_block).Insert(_offset, Native, Value);
        }
        else if (block.Count < _most)
        {
            int places = IsAboveAll ? _most : Places(block.Count + 1);
            Replace(_block, With(_left, block, places));
        }
        else if (_offset == block.Count)
        {
            // In ascending order blocks stay full.
            AddAlone(_block + 1, IsAboveAll);
        }
        else
        {
            Divide(block);
        }
    }

    /// <summary>Returns how many entries the block of the last addition has, and how many places.</summary>
    internal int CountOf(out int capacity)
    {
        FixedColumns block = _span.Columns(Node.Read(_pages, LeafPage), _block);
        capacity = block.Capacity;
        return block.Count;
    }

    /// <summary>Opens a block for changes at a place that is known.</summary>
    internal Span<byte> Own(PageNumber page, int block) => NodeEdit.Open(_pages, page).OwnValue(block);

    /// <summary>Deletes the key that <see cref="Find"/> found.</summary>
    internal void DeleteFound() => Settle(RemoveFound(1, mayJoin: true));

    /// <summary>Deletes the entries with from ≤ key &lt; to.</summary>
    internal void DeleteRange(PageNumber root, TreeShape shape, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        // Blocks that reach over an end lose what is inside. Then no block is both inside and outside.
        Find(root, shape, from);
        Node leaf = Node.Read(_pages, LeafPage);
        if (_block >= 0 && !IsRowKey(leaf, _block, from))
        {
            int inside = _span.Columns(leaf, _block).Find(to, out _) - _offset;
            if (inside > 0)
            {
                Settle(RemoveFound(inside, mayJoin: false));
            }
        }

        Find(root, shape, to);
        leaf = Node.Read(_pages, LeafPage);
        if (_block >= 0 && !IsRowKey(leaf, _block, to) && _rowKey.AsSpan(0, from.Length).SequenceCompareTo(from) >= 0)
        {
            CutBefore(_span.Columns(leaf, _block));
        }

        _cut.DeleteRange(root, from, to);
    }

    /// <summary>Makes the block begin with the key that was searched, or the next one; earlier keys are removed.</summary>
    private void CutBefore(in FixedColumns block)
    {
        int rest = block.Count - _offset;
        if (rest > 0)
        {
            FixedEdit edit = New(_left, Places(rest));
            edit.Add(block, _offset, rest);
            int keyBytes = block.WriteKey(_offset, _rowKey);
            NodeEdit.Open(_pages, LeafPage).RemoveAt(_block);
            Place(_block, _rowKey.AsSpan(0, keyBytes), Filled(_left, edit));
        }
    }

    private void Select(PageNumber root, TreeShape shape)
    {
        _shape = shape;
        _span.Shape = shape;
        _span.Root = root;
        _placer.Root = root;
        _most = FixedPlacer.MostEntries(_pages.PageBytes, shape);
    }

    /// <summary>Returns how many places a block gets that has this many entries and may get more.</summary>
    private int Places(int count) => Math.Min(_most, count + Math.Max(FewestPlaces, count / 12));

    private FixedEdit New(byte[] room, int places) =>
        FixedEdit.Create(room.AsSpan(0, FixedEdit.BytesOf(_shape, places)), _shape);

    private ReadOnlySpan<byte> Filled(byte[] room, scoped in FixedEdit edit) => room.AsSpan(0, FixedEdit.BytesOf(_shape, edit.Capacity));

    private FixedEdit Open(int block)
    {
        int count = _span.Columns(Node.Read(_pages, LeafPage), block).Count;
        return _span.Edit(NodeEdit.Open(_pages, LeafPage), block, count);
    }

    /// <summary>Returns a copy of a block with the entry that is added.</summary>
    private ReadOnlySpan<byte> With(byte[] room, scoped in FixedColumns block, int places)
    {
        FixedEdit edit = New(room, places);
        edit.Add(block, 0, _offset);
        edit.Insert(_offset, Native, Value);
        edit.Add(block, _offset, block.Count - _offset);
        return Filled(room, edit);
    }

    /// <summary>Adds an entry whose key is below all blocks of its leaf.</summary>
    private void AddBefore(in Node leaf)
    {
        FixedColumns first = leaf.Count > 0 ? _span.Columns(leaf, 0) : default;
        if (leaf.Count == 0 || first.Count == _most)
        {
            AddAlone(0, isLast: leaf.Count == 0);
            return;
        }

        ReadOnlySpan<byte> content = With(_left, first, Places(first.Count + 1));
        NodeEdit.Open(_pages, LeafPage).RemoveAt(0);
        Place(0, Key, content);
    }

    /// <summary>Adds the entry as a block of its own: as long as the leaf has room for, if it is the last one of the tree.</summary>
    private void AddAlone(int index, bool isLast)
    {
        int places = isLast ? _placer.PlacesIn(LeafPage, _shape, _most) : Places(1);
        FixedEdit edit = New(_left, places);
        edit.Insert(0, Native, Value);
        Place(index, Key, Filled(_left, edit));
        _block = isLast ? _placer.Index : index;
    }

    /// <summary>Makes two blocks of a full one and the entry that is added.</summary>
    private void Divide(in FixedColumns block)
    {
        int count = block.Count;
        int middle = count / 2;
        bool isLeft = _offset <= middle;
        FixedEdit left = New(_left, Places(middle + (isLeft ? 1 : 0)));
        FixedEdit right = New(_right, Places(count - middle + (isLeft ? 0 : 1)));
        left.Add(block, 0, middle);
        right.Add(block, middle, count - middle);
        if (isLeft)
        {
            left.Insert(_offset, Native, Value);
        }
        else
        {
            right.Insert(_offset - middle, Native, Value);
        }

        // The block on the right may begin with any key above those on the left.
        Span<byte> rightKey = _rowKey.AsSpan(0, block.WriteKey(middle, _rowKey));
        ReadOnlySpan<byte> rightContent = Filled(_right, right);
        if (NodeEdit.Open(_pages, LeafPage).TryReplace(_block, Filled(_left, left)))
        {
            Place(_block + 1, rightKey, rightContent);
            return;
        }

        // Until both are placed, no separator may come between them.
        Span<byte> leftKey = TakeOut(_block);
        _placer.PlaceAnyway(leftKey, Filled(_left, left), LastOf(rightContent));
        _placer.PlaceAnyway(rightKey, rightContent, LastOf(rightContent));
    }

    /// <summary>Removes entries from the one that was found on; false if blocks have left the leaf.</summary>
    private bool RemoveFound(int count, bool mayJoin)
    {
        int before = _span.Columns(Node.Read(_pages, LeafPage), _block).Count;
        if (count == before)
        {
            NodeEdit.Open(_pages, LeafPage).RemoveAt(_block);
            return true;
        }

        FixedEdit edit = Open(_block);
        edit.Remove(_offset, count);
        if (edit.Count > edit.Capacity / 2)
        {
            return true;
        }

        return mayJoin && TryJoin(out bool isInPlace) ? isInPlace : Tighten();
    }

    /// <summary>Joins a block that has become short with a neighbour in its leaf; false, with nothing changed, if none is short.</summary>
    private bool TryJoin(out bool isInPlace)
    {
        Node leaf = Node.Read(_pages, LeafPage);
        isInPlace = true;
        return _span.Columns(leaf, _block).Count < _most / 4
            && ((_block + 1 < leaf.Count && TryJoin(leaf, _block, out isInPlace))
                || (_block > 0 && TryJoin(leaf, _block - 1, out isInPlace)));
    }

    private bool TryJoin(in Node leaf, int first, out bool isInPlace)
    {
        isInPlace = true;
        FixedColumns left = _span.Columns(leaf, first);
        FixedColumns right = _span.Columns(leaf, first + 1);
        int count = left.Count + right.Count;
        if (count > _most / 4 * 3)
        {
            return false;
        }

        FixedEdit edit = New(_left, Places(count));
        edit.Add(left, 0, left.Count);
        edit.Add(right, 0, right.Count);
        NodeEdit.Open(_pages, LeafPage).RemoveAt(first + 1);
        isInPlace = Replace(first, Filled(_left, edit));
        return true;
    }

    /// <summary>Takes most of the free places from a block; false if blocks have left the leaf.</summary>
    private bool Tighten()
    {
        FixedColumns block = _span.Columns(Node.Read(_pages, LeafPage), _block);
        int places = Places(block.Count);
        if (places >= block.Capacity)
        {
            return true;
        }

        FixedEdit edit = New(_left, places);
        edit.Add(block, 0, block.Count);
        return Replace(_block, Filled(_left, edit));
    }

    /// <summary>Replaces the block of a row; false if its leaf had no room without a rebuild.</summary>
    private bool Replace(int index, ReadOnlySpan<byte> content)
    {
        if (NodeEdit.Open(_pages, LeafPage).TryReplace(index, content))
        {
            return true;
        }

        Span<byte> key = TakeOut(index);
        _placer.PlaceAnyway(key, content, LastOf(content));
        _block = _placer.Index;
        return false;
    }

    private void Place(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> content)
    {
        if (!NodeEdit.Open(_pages, LeafPage).TryInsert(index, key, content))
        {
            _placer.PlaceAnyway(key, content, LastOf(content));
        }
        else
        {
            _placer.Index = index;
        }
    }

    /// <summary>Removes a row from the leaf, to be placed anew, and returns its key.</summary>
    private Span<byte> TakeOut(int index)
    {
        int bytes = Node.Read(_pages, LeafPage).CopyKey(index, _takenKey);
        NodeEdit.Open(_pages, LeafPage).RemoveAt(index);
        return _takenKey.AsSpan(0, bytes);
    }

    private ReadOnlySpan<byte> LastOf(ReadOnlySpan<byte> content)
    {
        FixedColumns.TryOpen(content, _shape, out FixedColumns block);
        return _span.LastOf(block);
    }

    private bool IsRowKey(in Node leaf, int index, ReadOnlySpan<byte> key) =>
        leaf.CopyKey(index, _rowKey) == key.Length && _rowKey.AsSpan(0, key.Length).SequenceEqual(key);

    /// <summary>Lets the leaf of the key that was searched join a neighbour if it has become sparse.</summary>
    private void Settle(bool isInPlace)
    {
        if (isInPlace)
        {
            _placer.Settle(_shrink, Key);
        }
    }
}
