using System.Buffers;
using System.IO.Pipelines;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>
/// A position in a tree that moves in both directions. Opening and moving it allocate nothing. In a write transaction it follows changes
/// of the tree: it stays on its key; if the key is deleted it has no row, and moves lead to the neighbours.
/// <para>Pass it by reference: a copy shares its buffer. After one copy is moved or disposed, the others throw
/// <see cref="InvalidOperationException"/> on their next use.</para>
/// </summary>
public ref struct Cursor : IDisposable
{
    private readonly ReadTree _tree;
    private readonly bool _canChange;
    private byte[]? _buffer;

    /// <summary>
    /// Incremented by every move, here and at the end of the buffer; the two differ if a copy of this cursor was moved or disposed.
    /// </summary>
    private long _stamp;
    private RowCursor _cursor;

    internal Cursor(ReadTree tree)
    {
        SnapshotScope scope = tree.LiveScope();
        _tree = tree;
        _canChange = scope is WriteSession;
        _buffer = ArrayPool<byte>.Shared.Rent(TreeCursor.BufferBytes(scope.Source.PageBytes) + CursorStamps.Bytes);
        _stamp = CursorStamps.Take();
        CursorStamps.Of(_buffer) = _stamp;
        _cursor = new RowCursor(scope.Source, scope.Snapshot, tree.Root, _buffer, _canChange);
    }

    /// <summary>True if the cursor is on a row.</summary>
    public bool HasRow => Position().State == CursorState.OnRow;

    /// <summary>The key of the row, valid until the cursor moves (in a write transaction: until the next change).</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public ReadOnlySpan<byte> Key => Position().Key;

    /// <summary>The value of the row, valid until the transaction ends (in a write transaction: until the next change).</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use <see cref="OpenValueReader"/>.</exception>
    public ReadOnlySpan<byte> Value => Position().Value;

    /// <summary>The length in bytes of the row's value, of any kind; does not read a large value.</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public long ValueBytes => Entry.ValueBytes;

    /// <summary>
    /// Opens the row's value, of any length, for reading. The reader does not follow the cursor; it is valid until the transaction ends
    /// (in a write transaction: until the next change of the tree).
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public PipeReader OpenValueReader() => Entry.OpenValueReader();

    /// <summary>Moves to the first row; returns false if the tree is empty.</summary>
    public bool MoveFirst() => Moving().MoveFirst();

    /// <summary>Moves to the last row; returns false if the tree is empty.</summary>
    public bool MoveLast() => Moving().MoveLast();

    /// <summary>
    /// Moves to the next row, or to the first row with a new cursor. Returns false at the end; <see cref="MovePrevious"/> then returns to
    /// the last row.
    /// </summary>
    public bool MoveNext() => Moving().MoveNext();

    /// <summary>
    /// Moves to the previous row, or to the last row with a new cursor. Returns false at the start; <see cref="MoveNext"/> then returns to
    /// the first row.
    /// </summary>
    public bool MovePrevious() => Moving().MovePrevious();

    /// <summary>Moves to the first row with a key ≥ <paramref name="key"/>; returns false if there is none.</summary>
    public bool Seek(scoped ReadOnlySpan<byte> key) => Moving().Seek(key);

    /// <summary>Moves to the last row with a key ≤ <paramref name="key"/>; returns false if there is none.</summary>
    public bool SeekFloor(scoped ReadOnlySpan<byte> key) => Moving().SeekFloor(key);

    /// <summary>Returns the cursor's buffer; the cursor cannot be used afterwards.</summary>
    public void Dispose()
    {
        if (CursorStamps.TryReturn(ref _buffer, _stamp))
        {
            _cursor.Dispose();
        }
    }

    private TreeEntry Entry
    {
        get
        {
            bool isOverflow = Position().IsOverflow(out ReadOnlySpan<byte> stored);
            return new TreeEntry(_tree, default, stored, isOverflow);
        }
    }

    /// <summary>The cursor's copy of the key that it was placed at.</summary>
    internal readonly ReadOnlySpan<byte> PlacedKey => _cursor.PlacedKey;

    /// <summary>
    /// True if the bytes are in the buffer, which the next move or the next key overwrites. Longer ones are not, wherever they begin: what
    /// is in the buffer is copied before its length is checked.
    /// </summary>
    internal readonly bool HasInBuffer(scoped ReadOnlySpan<byte> bytes) =>
        bytes.Length <= (_buffer?.Length ?? 0) && bytes.Overlaps(_buffer);

    /// <summary>Moves to a key that is about to be put; returns false, without moving, if the key is too long.</summary>
    internal bool TryPlaceAt(scoped ReadOnlySpan<byte> key) => Moving().TryPlaceAt(key);

    /// <summary>Returns the position in the tree's present state; checks that the cursor and the transaction are live.</summary>
    [System.Diagnostics.CodeAnalysis.UnscopedRef]
    private ref RowCursor Position()
    {
        CursorStamps.Check(_buffer, _stamp);
        if (_canChange)
        {
            _tree.LiveScope();
            _cursor.Revalidate(_tree.Version);
        }
        else
        {
            _tree.Scope();
        }

        return ref _cursor;
    }

    /// <summary>Like <see cref="Position"/>, for a move: makes copies of this cursor stale.</summary>
    [System.Diagnostics.CodeAnalysis.UnscopedRef]
    private ref RowCursor Moving()
    {
        ref RowCursor position = ref Position();
        CursorStamps.Of(_buffer!) = ++_stamp;
        return ref position;
    }
}
