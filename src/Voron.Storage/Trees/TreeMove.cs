using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>
/// Moves pages of a tree to free ones nearer to the beginning of the file, in key order, and merges neighbouring leaves that fit in one
/// page. To move a node is to write a copy under a lower page number, to put that number into the parent, and to free the old page, in the
/// transaction of the caller. So to snapshots, checkpoints and recovery it is a change of pages like any other.
/// </summary>
internal sealed class TreeMove
{
    private readonly PageWriter _pages;
    private readonly TreeBalance _balance;
    private readonly TreeShrink _shrink;
    private readonly RunMove _runs;
    private readonly byte[] _key;
    private readonly int _mostMergedBytes;
    private TreePath _path;

    /// <summary>Pages that this step has written, about.</summary>
    private int _spent;
    private int _moved;

    /// <summary>Whether there may be a free page before the goal.</summary>
    private bool _hasRoom;

    internal TreeMove(PageWriter pages)
    {
        _pages = pages;
        _balance = new TreeBalance(pages);
        _shrink = new TreeShrink(pages, new TreeSplit(pages, _balance), _balance);
        _runs = new RunMove(pages);
        _key = new byte[TreeWriter.MaxKeyBytesOf(pages.PageBytes)];
        _mostMergedBytes = MoveSearch.MostMergedBytes(pages.PageBytes);
    }

    /// <summary>Moves the root of a tree, if a lower page is free; returns where it is now.</summary>
    internal PageNumber MoveRoot(PageNumber root)
    {
        NodeEdit moved = NodeEdit.Create(_pages, PageKind.Leaf, inMemory: false);
        if (moved.Page >= root)
        {
            _pages.Free(moved.Page);
            return root;
        }

        moved.BecomeCopyOf(Node.Read(_pages, root));
        _pages.Free(root);
        return moved.Page;
    }

    /// <summary>
    /// Goes through the leaves of a tree from a key on, and moves and merges until the step has done enough or the tree ends.
    /// </summary>
    /// <param name="root">The root of the tree, which stays where it is.</param>
    /// <param name="from">The key to begin with; may be in <paramref name="next"/>.</param>
    /// <param name="bounds">What to move, and how much.</param>
    /// <param name="next">Gets the key to go on with.</param>
    internal MoveResult Some(PageNumber root, ReadOnlySpan<byte> from, in MoveBounds bounds, byte[] next)
    {
        from.CopyTo(next);
        int nextBytes = from.Length;
        int merged = 0;
        (_spent, _moved, _hasRoom) = (0, 0, true);
        _runs.Begin();
        for (int leaves = 0; leaves < bounds.MostLeaves && _spent < bounds.MostPages; leaves++)
        {
            ReadOnlySpan<byte> key = next.AsSpan(0, nextBytes);
            int level = TreePath.Descend(ref _path, _pages.Source, _pages.TransactionId, root, key, out _, out _);
            MoveNodes(level, bounds);
            if (!MoveValues(_path[level].Page, bounds))
            {
                break;
            }

            int absorbed = level == 0 ? 0 : MergeLeaves(level, bounds);
            merged += absorbed;
            int keyBytes = MoveSearch.NextKey(_pages.Source, _pages.TransactionId, ref _path, level, _key);
            if (absorbed > 0)
            {
                _shrink.Settle(ref _path, level - 1, key);
            }

            _key.AsSpan(0, keyBytes).CopyTo(next);
            nextBytes = keyBytes;
            if (keyBytes == 0)
            {
                return new MoveResult(_moved + _runs.Moved, merged, 0, HasMore: false);
            }
        }

        return new MoveResult(_moved + _runs.Moved, merged, nextBytes, HasMore: true);
    }

    /// <summary>Moves the branches below the root and the leaf on the path that are beyond the goal.</summary>
    private void MoveNodes(int leafLevel, in MoveBounds bounds)
    {
        for (int level = 1; level <= leafLevel; level++)
        {
            if (bounds.IsBeyond(_path[level].Page))
            {
                MoveNode(level, bounds);
            }
        }
    }

    private void MoveNode(int level, in MoveBounds bounds)
    {
        PageNumber page = _path[level].Page;
        if (!_hasRoom)
        {
            return;
        }

        NodeEdit moved = NodeEdit.Create(_pages, PageKind.Leaf, inMemory: false);
        if (moved.Page >= page)
        {
            // It was the lowest free page.
            _hasRoom = !bounds.IsBeyond(moved.Page);
            _pages.Free(moved.Page);
            return;
        }

        moved.BecomeCopyOf(Node.Read(_pages, page));
        NodeEdit.Open(_pages, _path[level - 1].Page).ReplaceChild(_path[level - 1].Index, moved.Page);
        _pages.Free(page);
        _path[level].Page = moved.Page;
        _spent++;
        _moved++;
    }

    /// <summary>Moves the runs of the values of a leaf; returns false if there are more than the step may move.</summary>
    private bool MoveValues(PageNumber page, in MoveBounds bounds)
    {
        int count = Node.Read(_pages, page).Count;
        for (int i = 0; i < count; i++)
        {
            if (!Node.Read(_pages, page).IsOverflow(i, out ReadOnlySpan<byte> stored))
            {
                continue;
            }

            OverflowReference reference = Node.Reference(stored);
            OverflowReference moved = _runs.MoveValue(reference, bounds, ref _spent, out bool isCutShort);
            if (moved.FirstPage != reference.FirstPage)
            {
                NodeEdit.Open(_pages, page).ReplaceReference(i, moved);
            }

            if (isCutShort)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Moves the entries of the leaves after the one on the path into it, as long as they fit; returns how many it took.</summary>
    private int MergeLeaves(int level, in MoveBounds bounds)
    {
        int index = _path[level - 1].Index;
        int merged = 0;
        while (true)
        {
            Node parent = Node.Read(_pages, _path[level - 1].Page);
            Node leaf = Node.Read(_pages, _path[level].Page);
            if (index + 1 >= parent.Count
                || !MoveSearch.FitTogether(leaf, Node.Read(_pages, parent.Child(index + 1)), _mostMergedBytes)
                || !_balance.CanMerge(ref _path, level, index, _mostMergedBytes))
            {
                return merged;
            }

            if (!_pages.Source.Versions.HasAny(leaf.Page))
            {
                // It is written in any case: once, where the last checkpoint has nothing, and not first as an image.
                MoveNode(level, bounds);
            }

            _balance.TryMerge(ref _path, level, index, _mostMergedBytes);
            merged++;
            _spent++;
        }
    }
}
