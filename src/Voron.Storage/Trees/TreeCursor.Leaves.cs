// Unsafe fence. Bounds: as in TreeCursor.cs.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <content>Steps from leaf to leaf, and the branches above the leaf, which the buffer holds after the key.</content>
internal unsafe partial struct TreeCursor
{
    /// <summary>Cache lines of slots to prefetch when a leaf is entered; the entries are prefetched with each step.</summary>
    private const int SlotLinesAhead = 6;

    /// <summary>Moves to the next (or previous) leaf that has rows; returns false if there is none.</summary>
    private bool StepToLeaf(bool forward)
    {
        _state = CursorState.Lost;
        int level = _leafLevel - 1;
        while (level >= 0)
        {
            ref CursorLevel branch = ref Level(level);
            int next = forward ? branch.Index + 1 : branch.Index - 1;
            if (next < 0 || next >= branch.Count)
            {
                level--;
                continue;
            }

            branch.Index = next;
            long child = NodeSearch.Child(branch.View, _source.PageBytes, branch.Page, next);
            if (DescendToEnd(child, level + 1, forward))
            {
                if (forward)
                {
                    PrefetchLeafBehind();
                }

                return true;
            }

            level = _leafLevel - 1;
        }

        return false;
    }

    /// <summary>Descends to the first (or last) leaf below a page; returns false if that leaf has no rows.</summary>
    private bool DescendToEnd(long page, int level, bool forward)
    {
        int pageBytes = _source.PageBytes;
        for (; level < TreePath.MaxDepth; level++)
        {
            PageView view = _source.Read(page, _snapshot);
            if (NodeSearch.Enter(view, pageBytes, page) == PageKind.Leaf)
            {
                StandInLeaf(view, page, level);
                return _count > 0;
            }

            int index = forward ? 0 : NodeSearch.Count(view) - 1;
            StandInBranch(view, page, level, index);
            page = NodeSearch.Child(view, pageBytes, page, index);
        }

        Throw.TooDeep(_root, page);
        return false;
    }

    private void StandInLeaf(PageView view, long page, int level)
    {
        _leaf = view;
        _page = page;
        _count = NodeSearch.Count(view);
        _leafLevel = level;
        _ahead = null;
    }

    /// <summary>The key part of the buffer only, so that a damaged key that is too long cannot overwrite the levels.</summary>
    private readonly Span<byte> KeyRoom => _buffer.AsSpan(0, TreeWriter.MaxKeyBytesOf(_source.PageBytes));

    private readonly ref CursorLevel Level(int level) =>
        ref MemoryMarshal.Cast<byte, CursorLevel>(_buffer.AsSpan(TreeWriter.MaxKeyBytesOf(_source.PageBytes)))[level];

    private void StandInBranch(PageView view, long page, int level, int index)
    {
        ref CursorLevel branch = ref Level(level);
        branch.View = view;
        branch.Page = page;
        branch.Index = index;
        branch.Count = NodeSearch.Count(view);
    }

    /// <summary>
    /// Prefetches the next leaf while this one is read: its slots now, its entries with each step, from the page's end downward without
    /// reading its header, which is not in the cache yet. Does not report a damaged page: the rows before it are sound.
    /// </summary>
    private void PrefetchLeafBehind()
    {
        if (!CacheLine.CanFetch || _leafLevel == 0)
        {
            return;
        }

        ref CursorLevel parent = ref Level(_leafLevel - 1);
        if (parent.Index + 1 == parent.Count)
        {
            return;
        }

        try
        {
            PageView next = _source.Read(NodeSearch.Child(parent.View, _source.PageBytes, parent.Page, parent.Index + 1), _snapshot);
            for (int line = 0; line < SlotLinesAhead; line++)
            {
                CacheLine.Fetch(next.Slots + (line * CacheLine.Bytes));
            }

            _ahead = next.Heap + _source.PageBytes - CacheLine.Bytes;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            _ahead = null;
        }
    }
}
