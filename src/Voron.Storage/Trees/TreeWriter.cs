// Unsafe fence. Bounds that callers guarantee: roots are those of trees that the transaction sees, and no other code uses the page writer
// meanwhile. Addresses come from NodeEdit and are written only within the payload length that was requested.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Changes trees through the pages of the one write transaction. The writer has buffers of its own, so keys and values may point into pages
/// of the transaction: they are read before the memory that holds them changes. After an exception other than one about arguments the tree
/// may be half changed, and the transaction is void.
/// </summary>
internal sealed unsafe partial class TreeWriter
{
    private readonly PageWriter _pages;
    private readonly TreeSplit _split;
    private readonly TreeShrink _shrink;
    private readonly TreeCut _cut;
    private readonly byte[] _key;
    private readonly byte[] _value;
    private readonly OverflowReference[] _reference = new OverflowReference[1];
    private TreePath _path;

    /// <summary>The level and leaf at the end of the path after <see cref="FindPlace"/>.</summary>
    private int _foundLevel;
    private Node _foundLeaf;

    /// <summary>
    /// The overflow run of a replaced value. It is freed only after the new value is written, because the new value may be a part of it.
    /// First page 0: none.
    /// </summary>
    private OverflowReference _replaced;

    internal TreeWriter(PageWriter pages)
    {
        _pages = pages;
        TreeBalance balance = new(pages);
        _split = new TreeSplit(pages, balance);
        _shrink = new TreeShrink(pages, _split, balance);
        _cut = new TreeCut(pages, _shrink);
        _key = new byte[TreeCursor.BufferBytes(pages.PageBytes)];
        _value = new byte[pages.PageBytes / 2];
    }

    internal int MaxKeyBytes => MaxKeyBytesOf(_pages.PageBytes);

    internal static int MaxKeyBytesOf(int pageBytes) => pageBytes / 4;

    /// <summary>
    /// Creates a tree, an empty leaf, and returns its page, which remains the tree's root. All other pages of the tree will be where this
    /// one is: in the data file or only in memory.
    /// </summary>
    internal PageNumber CreateRoot(bool inMemory = false) => NodeEdit.Create(_pages, PageKind.Leaf, inMemory).Page;

    /// <summary>Frees all pages of a tree, including its root and overflow runs.</summary>
    internal void DropTree(PageNumber root)
    {
        Forget();
        TreeDrop.Drop(_pages, root);
    }

    /// <summary>
    /// Deletes the entries with from ≤ key &lt; to, frees pages that become empty, and returns the number of entries deleted.
    /// </summary>
    internal long DeleteRange(PageNumber root, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to, bool mayBeSparse = false)
    {
        Forget();
        return _cut.DeleteRange(root, from, to, mayBeSparse);
    }

    /// <summary>Inserts or replaces an entry; returns true if the key was new.</summary>
    internal bool Put(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckKey(key);
        int level = Find(root, key, out Node leaf, out bool exists);
        Place(root, level, leaf, exists, key, value);
        return !exists;
    }

    /// <summary>
    /// Searches for a key and returns whether it exists. The caller may then call <see cref="DeleteFound"/> or <see cref="InsertFound"/>,
    /// provided that nothing else is done in between. This lets the caller record a change between the search and the change.
    /// </summary>
    internal bool FindPlace(PageNumber root, ReadOnlySpan<byte> key)
    {
        _foundLevel = Find(root, key, out _foundLeaf, out bool exists);
        return exists;
    }

    /// <summary>The value of the key that <see cref="FindPlace"/> found, or the reference to it.</summary>
    internal ReadOnlySpan<byte> FoundValue
    {
        get
        {
            _foundLeaf.IsOverflow(_path[_foundLevel].Index, out ReadOnlySpan<byte> stored);
            return stored;
        }
    }

    /// <summary>Whether the value of the key that <see cref="FindPlace"/> found has pages of its own.</summary>
    internal bool IsFoundLong => _foundLeaf.IsOverflow(_path[_foundLevel].Index, out _);

    /// <summary>Inserts the key that <see cref="FindPlace"/> did not find.</summary>
    internal void InsertFound(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckKey(key);
        Place(root, _foundLevel, _foundLeaf, exists: false, key, value);
    }

    /// <summary>Deletes a key; returns true if it existed.</summary>
    internal bool Delete(PageNumber root, ReadOnlySpan<byte> key)
    {
        bool exists = FindPlace(root, key);
        if (exists)
        {
            DeleteFound(key);
        }

        return exists;
    }

    /// <summary>Deletes the key that <see cref="FindPlace"/> found.</summary>
    internal void DeleteFound(ReadOnlySpan<byte> key)
    {
        int level = _foundLevel;
        PageNumber page = _path[level].Page;
        int index = _path[level].Index;
        bool isOverflow = _foundLeaf.IsOverflow(index, out ReadOnlySpan<byte> value);
        OverflowReference reference = isOverflow ? Node.Reference(value) : default;
        NodeEdit node = NodeEdit.Open(_pages, page);
        node.RemoveAt(index);
        if (level > 0 && TreeShrink.ShouldCheckFill(node.Count) && _shrink.IsSparse(node.Node))
        {
            key.CopyTo(_key);
            _movedLeaves.AddAll(); // Keys go from and to neighbours, and leaves are freed.
            _shrink.Settle(ref _path, level, _key.AsSpan(0, key.Length));
        }

        if (isOverflow)
        {
            FreeOverflow(reference);
        }
    }

    internal void CheckKey(ReadOnlySpan<byte> key)
    {
        if (key.Length > MaxKeyBytes)
        {
            Throw.KeyTooLong(key.Length, MaxKeyBytes);
        }
    }

    /// <summary>Places an entry at the position that a search found.</summary>
    private void Place(PageNumber root, int level, in Node leaf, bool exists, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int flag = FlagOf(key.Length, value.Length);
        PlacePayload(root, level, leaf, exists, key, Payload(value, flag), flag);
    }

    /// <summary>
    /// Returns the bytes that a leaf stores for a value: the value itself, or the reference to a new overflow run that holds it.
    /// </summary>
    private ReadOnlySpan<byte> Payload(ReadOnlySpan<byte> value, int flag)
    {
        if (flag == 0)
        {
            return value;
        }

        _reference[0] = _pages.AllocateOverflow(value.Length, out Span<byte> content);
        value.CopyTo(content);
        return MemoryMarshal.AsBytes(_reference.AsSpan());
    }

    private static int PayloadBytes(int valueBytes, int flag) => flag == 0 ? valueBytes : OverflowReference.SizeBytes;

    /// <summary>Returns the overflow flag if a value of this length gets an overflow run, else 0.</summary>
    private int FlagOf(int keyBytes, int valueBytes) => Node.HoldsValue(_pages.PageBytes, keyBytes, valueBytes) ? 0 : Node.OverflowFlag;

    private void PlacePayload(
        PageNumber root, int level, in Node leaf, bool exists, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, int flag)
    {
        byte* target = TryPlace(level, leaf, exists, key, value.Length, flag);
        if (target == null)
        {
            value.CopyTo(_value);
            value = _value.AsSpan(0, value.Length);
            target = PlaceAnyway(root, key, value.Length, flag);
        }

        value.CopyTo(new Span<byte>(target, value.Length));
        FreeReplaced();
    }

    /// <summary>
    /// Descends to the leaf of a key; the last step of the path is the position of the first key ≥ it. Returns the leaf's level.
    /// </summary>
    private int Find(PageNumber root, ReadOnlySpan<byte> key, out Node leaf, out bool exact)
    {
        Forget();
        return TreePath.Descend(ref _path, _pages.Source, _pages.TransactionId, root, key, out leaf, out exact);
    }

    /// <summary>
    /// Places an entry if its leaf has room without a rebuild, and returns the address for the payload. Otherwise returns null; at most a
    /// private version of the unchanged leaf was made.
    /// </summary>
    private byte* TryPlace(int level, in Node leaf, bool exists, ReadOnlySpan<byte> key, int payloadBytes, int flag)
    {
        PageNumber page = _path[level].Page;
        int index = _path[level].Index;
        if (!exists)
        {
            return NodeEdit.Open(_pages, page).TryInsert(index, key, Node.LeafHeadBytes, payloadBytes, flag);
        }

        bool isOverflow = leaf.IsOverflow(index, out ReadOnlySpan<byte> old);
        OverflowReference reference = isOverflow ? Node.Reference(old) : default;
        byte* target = NodeEdit.Open(_pages, page).TryReplace(index, payloadBytes, flag);
        if (target != null)
        {
            _replaced = reference;
        }

        return target;
    }

    /// <summary>Places an entry in a leaf that must be rebuilt or divided first.</summary>
    private byte* PlaceAnyway(PageNumber root, ReadOnlySpan<byte> callersKey, int payloadBytes, int flag)
    {
        callersKey.CopyTo(_key);
        ReadOnlySpan<byte> key = _key.AsSpan(0, callersKey.Length);
        bool isNew = true;
        for (int step = 0; ; step++)
        {
            int level = Find(root, key, out Node leaf, out bool exists);
            PageNumber page = _path[level].Page;
            int index = _path[level].Index;
            if (exists)
            {
                // Remove the old entry, so that only an insertion is left. Its bytes are dead now and make room for the new entry.
                isNew = false;
                RemoveOld(leaf, index);
            }

            NodeEdit node = NodeEdit.Open(_pages, page);
            if (node.EnsureRoom(index, key, Node.LeafHeadBytes, payloadBytes))
            {
                byte* target = node.TryInsert(index, key, Node.LeafHeadBytes, payloadBytes, flag);
                if (target == null)
                {
                    // The rebuilt node has a prefix that this key does not share, although it belongs between two of the node's keys.
                    Throw.OutOfOrder(page, index);
                }

                return target;
            }

            if (step == TreeSplit.MostSteps)
            {
                Throw.NoProgress(root, page);
            }

            bool append = isNew && IsBehindAll(level);
            if (!append && step == 0 && _split.TryGive(ref _path, level, out PageNumber neighbour))
            {
                _movedLeaves.Add(page);
                _movedLeaves.Add(neighbour);
                continue;
            }

            _movedLeaves.Add(page);
            _split.MakeRoom(ref _path, level, index, key, Node.LeafHeadBytes + payloadBytes, append);
        }
    }

    private void RemoveOld(in Node leaf, int index)
    {
        if (leaf.IsOverflow(index, out ReadOnlySpan<byte> old))
        {
            FreeOverflow(Node.Reference(old));
        }

        NodeEdit.Open(_pages, leaf.Page).RemoveAt(index);
    }

    /// <summary>Returns whether the path leads past the last entry of the whole tree.</summary>
    private bool IsBehindAll(int leafLevel)
    {
        for (int level = 0; level < leafLevel; level++)
        {
            if (_path[level].Index != _path[level].Count - 1)
            {
                return false;
            }
        }

        return _path[leafLevel].Index == _path[leafLevel].Count;
    }

    private void FreeReplaced()
    {
        if (_replaced.FirstPage != default)
        {
            OverflowReference reference = _replaced;
            _replaced = default;
            FreeOverflow(reference);
        }
    }

    /// <summary>
    /// Frees a run by its reference without reading the value (only a list of pieces is read), so a damaged value can be replaced or
    /// deleted.
    /// </summary>
    private void FreeOverflow(OverflowReference reference) => _pages.FreeOverflow(reference);
}
