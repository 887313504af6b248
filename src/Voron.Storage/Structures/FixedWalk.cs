using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Structures;

/// <summary>
/// A position among the entries of a fixed-size tree as one snapshot sees it, for one walk. Keys of calls are in their ordered form. Each
/// next block must begin behind the one before, so that a walk through forged pages ends.
/// </summary>
internal ref struct FixedWalk
{
    private readonly TreeShape _shape;
    private readonly PageNumber _root;

    /// <summary>The key at the end of the block that was left.</summary>
    private readonly Span<byte> _edge;
    private readonly Span<byte> _next;
    private TreeCursor _cursor;
    private FixedColumns _block;
    private int _index;

    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="root">The root of the tree.</param>
    /// <param name="shape">Its shape.</param>
    /// <param name="buffer">From <see cref="Rent"/>, for this walk alone.</param>
    internal FixedWalk(PageSource source, TransactionId snapshot, PageNumber root, TreeShape shape, byte[] buffer)
    {
        _shape = shape;
        _root = root;
        _cursor = new TreeCursor(source, snapshot, root, buffer, remembersKey: false);
        int cursorBytes = TreeCursor.BufferBytes(source.PageBytes);
        _edge = buffer.AsSpan(cursorBytes, FixedKey.MostBytes);
        _next = buffer.AsSpan(cursorBytes + FixedKey.MostBytes, FixedKey.MostBytes);
    }

    /// <summary>Rents a buffer for one walk; the caller returns it to the shared array pool.</summary>
    internal static byte[] Rent(PageSource source) =>
        ArrayPool<byte>.Shared.Rent(TreeCursor.BufferBytes(source.PageBytes) + (2 * FixedKey.MostBytes));

    /// <summary>The block of the entry.</summary>
    internal readonly FixedColumns Block => _block;

    /// <summary>Where in its block the entry is.</summary>
    internal readonly int Index => _index;

    internal readonly ReadOnlySpan<byte> Value => _block.Value(_index);

    /// <summary>Returns the key of the entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly TKey Key<TKey>()
        where TKey : unmanaged => MemoryMarshal.Cast<byte, TKey>(_block.Keys)[_index];

    /// <summary>Writes the key of the entry in its ordered form and returns its length.</summary>
    internal readonly int WriteKey(Span<byte> ordered) => _block.WriteKey(_index, ordered);

    internal bool MoveFirst()
    {
        _index = 0;
        return _cursor.MoveFirst() && Enter();
    }

    internal bool MoveLast() => _cursor.MoveLast() && EnterAtEnd();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool MoveNext()
    {
        if (_index + 1 < _block.Count)
        {
            _index++;
            return true;
        }

        return MoveNextBlock();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool MovePrevious()
    {
        if (_index > 0)
        {
            _index--;
            return true;
        }

        return MovePreviousBlock();
    }

    /// <summary>Moves to the first entry of the next block.</summary>
    internal bool MoveNextBlock()
    {
        int edge = _block.WriteKey(_block.Count - 1, _edge);
        _index = 0;
        return _cursor.MoveNext() && Enter() && RequireOrder(_edge[..edge], _next[.._block.WriteKey(0, _next)]);
    }

    /// <summary>Moves to the first entry with a key ≥ this one.</summary>
    internal bool Seek(scoped ReadOnlySpan<byte> key)
    {
        if (!_cursor.SeekFloor(key))
        {
            return MoveFirst();
        }

        Enter();
        _index = _block.Find(key, out _);
        return _index < _block.Count || MoveNextBlock();
    }

    /// <summary>Moves to the last entry with a key ≤ this one.</summary>
    internal bool SeekFloor(scoped ReadOnlySpan<byte> key)
    {
        if (!_cursor.SeekFloor(key))
        {
            return false;
        }

        Enter();
        _index = _block.Find(key, out bool exact) - (exact ? 0 : 1);
        return _index >= 0 || (_block.Find(key, out _) == 0 && StepBack());
    }

    /// <summary>Moves to the last entry with a key below this one.</summary>
    internal bool SeekBelow(scoped ReadOnlySpan<byte> key)
    {
        if (!SeekFloor(key))
        {
            return false;
        }

        _block.Find(key, out bool exact);
        return !exact || MovePrevious();
    }

    /// <summary>From before the first entry of a block to the last one of the block before.</summary>
    private bool StepBack()
    {
        _index = 0;
        return MovePreviousBlock();
    }

    private bool MovePreviousBlock()
    {
        int edge = _block.WriteKey(0, _edge);
        return _cursor.MovePrevious() && EnterAtEnd()
            && RequireOrder(_next[.._block.WriteKey(_block.Count - 1, _next)], _edge[..edge]);
    }

    private bool EnterAtEnd()
    {
        Enter();
        _index = _block.Count - 1;
        return true;
    }

    private bool Enter()
    {
        if (_cursor.IsOverflow(out ReadOnlySpan<byte> stored) || !FixedColumns.TryOpen(stored, _shape, out _block))
        {
            Throw.BadColumns(_root);
        }

        return true;
    }

    private readonly bool RequireOrder(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        if (left.SequenceCompareTo(right) >= 0)
        {
            Throw.BadColumns(_root);
        }

        return true;
    }
}
