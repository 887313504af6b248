// Unsafe fence. Bounds: as in TreeCursor.cs.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <content>Steps from leaf to leaf, and the branches above the leaf, which the buffer holds after the key.</content>
internal unsafe partial struct TreeCursor
{
    /// <summary>Moves to the next (or previous) leaf that has rows; returns false if there is none.</summary>
    private bool StepToLeaf(bool forward)
    {
        _state = CursorState.Lost;
        int level = _leafLevel - 1;
        while (level >= 0)
        {
            ref CursorLevel branch = ref Level(level);
            int next = forward ? branch.Index + 1 : branch.Index - 1;
            if (next < 0 || next >= branch.Node.Count)
            {
                level--;
                continue;
            }

            branch.Index = next;
            if (DescendToEnd(branch.Node.Child(next), level + 1, forward))
            {
                ref CursorLevel parent = ref Level(_leafLevel - 1);
                _readAhead.Step(_source, _snapshot, parent, forward);
                _ahead = forward ? LeafPrefetch.Next(_source, _snapshot, parent) : _ahead;
                return true;
            }

            level = _leafLevel - 1;
        }

        return false;
    }

    /// <summary>The branch above the leaf of a cursor that was placed; its default value if there is none.</summary>
    internal CursorLevel Parent => _leafLevel > 0 ? Level(_leafLevel - 1) : default;

    /// <summary>Descends to the first (or last) leaf below a page; returns false if that leaf has no rows.</summary>
    private bool DescendToEnd(PageNumber page, int level, bool forward)
    {
        Descent descent = new(_source, _snapshot, _root, page, level);
        while (descent.EnterBranch())
        {
            int index = forward ? 0 : descent.Node.Count - 1;
            StandInBranch(descent.Node, descent.Level, index);
            descent.Follow(index);
        }

        StandInLeaf(descent.Node, descent.Level);
        return _count > 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void StandInLeaf(in Node leaf, int level)
    {
        _leaf = leaf;
        _count = leaf.Count;
        _leafLevel = level;
        _ahead = null;
    }

    /// <summary>The key part of the buffer only, so that a damaged key that is too long cannot overwrite the levels.</summary>
    private readonly Span<byte> KeyRoom => _buffer.AsSpan(0, TreeWriter.MaxKeyBytesOf(_source.PageBytes));

    private readonly ref CursorLevel Level(int level) =>
        ref MemoryMarshal.Cast<byte, CursorLevel>(_buffer.AsSpan(TreeWriter.MaxKeyBytesOf(_source.PageBytes)))[level];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly void StandInBranch(in Node node, int level, int index)
    {
        ref CursorLevel branch = ref Level(level);
        branch.Node = node;
        branch.Index = index;
    }
}
