// Unsafe fence. Bounds that callers guarantee: the snapshot is registered and stays so while the cursor is used; in a write transaction
// Revalidate is called before every use, so that no address is followed after a change. The cursor has the buffer to itself, and reads only
// the levels above the current leaf, which the descent to it has written. Prefetching uses addresses only as hints.
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// A position in one tree as one snapshot sees it. A mutable structure: keep it in a field or pass it by reference. After a move has
/// failed at one end, the opposite move leads to the row at that end. A cursor that remembers its key can be revalidated after changes of
/// the tree. A move that meets a damaged page leaves the cursor lost and it must be placed anew: going on would skip rows.
/// <para>The branches above the leaf are in the rented buffer, after the key: this keeps the structure small, and unused levels cost
/// nothing.</para>
/// </summary>
internal unsafe partial struct TreeCursor
{
    private const int LinesPerStep = 2;
    private const long NeverSeen = -1;

    private readonly PageSource _source;
    private readonly TransactionId _snapshot;
    private readonly PageNumber _root;
    private readonly byte[] _buffer;
    private readonly bool _remembersKey;
    private Node _leaf;
    private int _index;
    private int _count;
    private CursorState _state;

    /// <summary>The entries to prefetch with the next step; null in a leaf that was not reached by stepping.</summary>
    private byte* _ahead;
    private LeafReadAhead _readAhead;
    private int _leafLevel;
    private int _keyBytes;
    private long _changes;

    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="root">The tree's root page.</param>
    /// <param name="buffer">From <see cref="RentBuffer"/>; reserved for this cursor during its lifetime.</param>
    /// <param name="remembersKey">Copies the key of each row reached, so that <see cref="Revalidate"/> can return to it.</param>
    internal TreeCursor(PageSource source, TransactionId snapshot, PageNumber root, byte[] buffer, bool remembersKey)
    {
        _source = source;
        _snapshot = snapshot;
        _root = root;
        _buffer = buffer;
        _remembersKey = remembersKey;
    }

    /// <summary>A cursor in no tree, behind all rows.</summary>
    internal static TreeCursor Ended => default(TreeCursor) with { _state = CursorState.BehindLast };

    /// <summary>Size of a buffer for the longest key and all levels of a position.</summary>
    internal static int BufferBytes(int pageBytes) =>
        TreeWriter.MaxKeyBytesOf(pageBytes) + (TreePath.MaxDepth * sizeof(CursorLevel));

    /// <summary>Rents a buffer for one cursor; the caller returns it to the shared array pool.</summary>
    internal static byte[] RentBuffer(PageSource source) => ArrayPool<byte>.Shared.Rent(BufferBytes(source.PageBytes));

    internal readonly CursorState State => _state;

    /// <summary>Rows after the one that a search finds whose entries are prefetched with it: a search often begins a short range.</summary>
    internal int RowsAhead { private readonly get; init; } = 9;

    /// <summary>The copy of the key that was passed to <see cref="TryPlaceAt"/>.</summary>
    internal readonly ReadOnlySpan<byte> PlacedKey => _buffer.AsSpan(0, _keyBytes);

    /// <summary>The key of the row; valid until the next move (in a write transaction: until the next change).</summary>
    internal readonly ReadOnlySpan<byte> Key
    {
        get
        {
            if (_state != CursorState.OnRow)
            {
                Throw.NoRow();
            }

            return !_remembersKey && _leaf.Header->PrefixBytes == 0 ? _leaf.Tail(_index)
                : _buffer.AsSpan(0, _remembersKey ? _keyBytes : _leaf.CopyKey(_index, KeyRoom));
        }
    }

    /// <summary>The value of the row; valid while the snapshot is registered (in a write transaction: until the next change).</summary>
    internal readonly ReadOnlySpan<byte> Value
    {
        get
        {
            if (_state != CursorState.OnRow)
            {
                Throw.NoRow();
            }

            return TreeReader.ValueAt(_source, _snapshot, _leaf, _index);
        }
    }

    /// <summary>
    /// Gets the stored part of the row: its value, or (returns true) the reference to its overflow run, which is not read.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsOverflow(out ReadOnlySpan<byte> stored)
    {
        if (_state != CursorState.OnRow)
        {
            Throw.NoRow();
        }

        return _leaf.IsOverflow(_index, out stored);
    }

    /// <inheritdoc cref="Node.KeyStart"/>
    internal readonly ulong KeyStart(out int bytes) => _leaf.KeyStart(_index, out bytes);

    internal bool MoveFirst() => MoveToEnd(forward: true);

    internal bool MoveLast() => MoveToEnd(forward: false);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool MoveNext()
    {
        int next = _index + 1;
        if (_state == CursorState.OnRow && next < _count && !_remembersKey)
        {
            _index = next;
            if (_ahead != null)
            {
                CacheLine.Fetch(_ahead);
                CacheLine.Fetch(_ahead - CacheLine.Bytes);
                _ahead -= LinesPerStep * CacheLine.Bytes;
            }

            return true;
        }

        return MoveNextFar();
    }

    internal bool MovePrevious()
    {
        switch (_state)
        {
            case CursorState.BeforeFirst:
                return false;
            case CursorState.Lost:
                Throw.CursorLost();
                return false;
            case CursorState.Unset or CursorState.BehindLast:
                return MoveLast();
            default:
                return _index > 0 ? Arrive(_index - 1) : MoveToLeaf(forward: false);
        }
    }

    /// <summary>Moves to the first row with a key ≥ <paramref name="key"/>.</summary>
    internal bool Seek(scoped ReadOnlySpan<byte> key)
    {
        SeekGap(key);
        return EndSeek();
    }

    /// <summary>Moves to the last row with a key ≤ <paramref name="key"/>.</summary>
    internal bool SeekFloor(scoped ReadOnlySpan<byte> key)
    {
        SeekGap(key);
        return EndSeekFloor();
    }

    /// <summary>
    /// Begins a search whose descent another type makes, together with those of other cursors. It calls <see cref="StandInBranch"/> and
    /// <see cref="StandInGap"/>, and then <see cref="EndSeek"/> or <see cref="EndSeekFloor"/>.
    /// </summary>
    internal PageNumber BeginSeek()
    {
        _state = CursorState.Lost;
        return _root;
    }

    /// <summary>Stands in the gap of a leaf where a key belongs, or on its row.</summary>
    internal void StandInGap(in Node leaf, int level, int index, bool exact)
    {
        _index = index;
        StandInLeaf(leaf, level);
        _state = exact ? CursorState.OnRow : CursorState.BeforeRow;
    }

    internal bool EndSeek()
    {
        if (_index == _count)
        {
            return MoveToLeaf(forward: true);
        }

        _leaf.PrefetchHeads(_index + 1, RowsAhead);
        return Arrive(_index);
    }

    internal bool EndSeekFloor() => _state == CursorState.OnRow ? Arrive(_index) : MovePrevious();

    /// <summary>
    /// Returns to the remembered key if the tree's change counter differs from the last one seen. If the row was deleted, the cursor is
    /// between its neighbours: it has no current row, and the moves lead to them.
    /// </summary>
    internal void Revalidate(long changes)
    {
        if (changes == _changes)
        {
            return;
        }

        _changes = changes;
        if (_state is CursorState.OnRow or CursorState.BeforeRow)
        {
            bool wasOnRow = _state == CursorState.OnRow;
            SeekGap(_buffer.AsSpan(0, _keyBytes));
            _state = wasOnRow ? _state : CursorState.BeforeRow;
        }
    }

    /// <summary>
    /// Places the cursor on the row of a key that will exist when <see cref="Revalidate"/> is next called. Returns false, without moving,
    /// if the key is longer than any row's key can be.
    /// </summary>
    internal bool TryPlaceAt(scoped ReadOnlySpan<byte> key)
    {
        if (key.Length > _source.PageBytes / 4)
        {
            return false;
        }

        key.CopyTo(_buffer);
        _keyBytes = key.Length;
        _state = CursorState.OnRow;
        _changes = NeverSeen;
        return true;
    }

    /// <summary>Returns the key of the row as one span that is valid until the transaction ends.</summary>
    internal readonly ReadOnlySpan<byte> LastingKey(KeyMemory memory)
    {
        ReadOnlySpan<byte> key = Key;
        if (_leaf.Header->PrefixBytes == 0)
        {
            return _leaf.Tail(_index);
        }

        Span<byte> copy = memory.Take(key.Length);
        key.CopyTo(copy);
        return copy;
    }

    private bool MoveNextFar()
    {
        switch (_state)
        {
            case CursorState.BehindLast:
                return false;
            case CursorState.Lost:
                Throw.CursorLost();
                return false;
            case CursorState.Unset or CursorState.BeforeFirst:
                return MoveFirst();
            case CursorState.BeforeRow:
                return _index < _count ? Arrive(_index) : MoveToLeaf(forward: true);
            default:
                return _index + 1 < _count ? Arrive(_index + 1) : MoveToLeaf(forward: true);
        }
    }

    /// <summary>Moves to a row of the current leaf.</summary>
    private bool Arrive(int index)
    {
        _index = index;
        if (_remembersKey)
        {
            _state = CursorState.Lost;
            _keyBytes = _leaf.CopyKey(index, KeyRoom);
        }

        _state = CursorState.OnRow;
        return true;
    }

    /// <summary>
    /// Moves to the gap of a leaf where <paramref name="key"/> belongs, or to its row. The gap may be after the leaf's last row: only a
    /// move that needs the next leaf reads it, so that damage there affects no other call.
    /// </summary>
    private void SeekGap(scoped ReadOnlySpan<byte> key)
    {
        _state = CursorState.Lost;
        // Written out as in TreeReader, for its speed.
        int pageBytes = _source.PageBytes;
        PageNumber page = _root;
        for (int level = 0; level < TreePath.MaxDepth; level++)
        {
            Node node = new(_source.Read(page, _snapshot), pageBytes, page);
            node.PrefetchSlots();
            if (node.CheckHeader() == PageKind.Leaf)
            {
                int place = NodeSearch.FindInLeaf(node, key, out bool exact);
                StandInGap(node, level, place, exact);
                return;
            }

            int index = NodeSearch.FindInBranch(node, key);
            StandInBranch(node, level, index);
            page = node.Child(index);
        }

        Throw.TooDeep(_root, page);
    }

    private bool MoveToEnd(bool forward)
    {
        _state = CursorState.Lost;
        _leafLevel = 0;
        return DescendToEnd(_root, 0, forward) || StepToLeaf(forward) ? Arrive(forward ? 0 : _count - 1) : Leave(!forward);
    }

    private bool MoveToLeaf(bool forward) => StepToLeaf(forward) ? Arrive(forward ? 0 : _count - 1) : Leave(forward);

    private bool Leave(bool forward)
    {
        _state = forward ? CursorState.BehindLast : CursorState.BeforeFirst;
        return false;
    }
}
