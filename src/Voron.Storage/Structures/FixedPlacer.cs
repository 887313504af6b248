using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;

namespace Voron.Storage.Structures;

/// <summary>Finds the leaves of blocks of columns, and makes room for blocks in them.</summary>
internal sealed class FixedPlacer(PageWriter pages, TreeSplit split)
{
    private readonly byte[] _last = new byte[FixedKey.MostBytes];
    private TreePath _path;
    private int _level;

    internal PageNumber Root { get; set; }

    /// <summary>The leaf that was found last.</summary>
    internal PageNumber LeafPage => _path[_level].Page;

    /// <summary>The place in it.</summary>
    internal int Index
    {
        get => _path[_level].Index;
        set => _path[_level].Index = value;
    }

    internal bool IsInLastLeaf
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

    /// <summary>Returns how many entries the longest blocks have: two of them fit in a leaf.</summary>
    internal static int MostEntries(int pageBytes, TreeShape shape)
    {
        int half = ((pageBytes - PageHeader.SizeBytes) / 2) - NodeSlot.SizeBytes - Node.LeafHeadBytes - shape.KeyBytes;
        return (half - FixedHead.SizeBytes) / shape.EntryBytes;
    }

    /// <summary>
    /// Returns how many places the next block behind all others gets: as many as its leaf has room for, if it has any; otherwise it begins
    /// a leaf.
    /// </summary>
    internal int PlacesIn(PageNumber page, TreeShape shape, int most)
    {
        int free = pages.PageBytes - Node.Read(pages, page).UsedBytes - NodeSlot.SizeBytes - Node.LeafHeadBytes - shape.KeyBytes;
        int places = (free - FixedHead.SizeBytes) / shape.EntryBytes;
        return places > 0 ? Math.Min(places, most) : most;
    }

    /// <summary>Descends to the leaf of a key, and returns it; <paramref name="exact"/> if a row has this key.</summary>
    internal Node Descend(ReadOnlySpan<byte> key, out bool exact)
    {
        _level = TreePath.Descend(ref _path, pages.Source, pages.TransactionId, Root, key, out Node leaf, out exact);
        return leaf;
    }

    /// <summary>
    /// Inserts a block into a leaf that must be rebuilt or divided first. No separator will be between its key and the last one. None of
    /// the arguments may be in a page.
    /// </summary>
    internal void PlaceAnyway(ReadOnlySpan<byte> key, ReadOnlySpan<byte> content, ReadOnlySpan<byte> lastKey)
    {
        lastKey.CopyTo(_last);
        ReadOnlySpan<byte> last = _last.AsSpan(0, lastKey.Length);
        for (int step = 0; ; step++)
        {
            Descend(key, out _);
            int index = Index;
            NodeEdit node = NodeEdit.Open(pages, LeafPage);
            if (node.EnsureRoom(index, key, Node.LeafHeadBytes, content.Length))
            {
                if (!node.TryInsert(index, key, content))
                {
                    Trees.Throw.OutOfOrder(LeafPage, index);
                }

                return;
            }

            if (step == TreeSplit.MostSteps)
            {
                Trees.Throw.NoProgress(Root, LeafPage);
            }

            bool append = index == node.Count && IsInLastLeaf;
            if (append || step > 0 || !split.TryGive(ref _path, _level, out _, key, last))
            {
                split.MakeRoom(ref _path, _level, index, key, last, Node.LeafHeadBytes + content.Length, append);
            }
        }
    }

    /// <summary>Lets the leaf join a neighbour if it has become sparse.</summary>
    internal void Settle(TreeShrink shrink, ReadOnlySpan<byte> key)
    {
        if (_level > 0 && shrink.IsSparse(Node.Read(pages, LeafPage)))
        {
            shrink.Settle(ref _path, _level, key);
        }
    }
}
