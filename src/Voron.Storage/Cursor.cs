using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>
/// A position in a tree that moves both ways. Opened and moved without allocation. In a write transaction it follows changes of the tree:
/// it stays on its key, and when that was deleted it has no row and the moves lead to the neighbours.
/// <para>Pass it by reference: a copy shares its buffer. When a copy was moved or disposed, the others throw
/// <see cref="InvalidOperationException"/> at their next use.</para>
/// </summary>
public ref struct Cursor : IDisposable
{
    private readonly ReadTree _tree;
    private readonly bool _canChange;
    private byte[]? _buffer;

    /// <summary>
    /// Grows with every move, here and at the end of the buffer; they differ when a copy of this cursor was moved or disposed.
    /// </summary>
    private long _stamp;
    private TreeCursor _cursor;

    /// <summary>
    /// The first stamp of the thread's next cursor. Each thread, and each of its cursors, has a range of its own, so what an earlier
    /// owner has left in a rented buffer is never taken for a present stamp.
    /// </summary>
    [ThreadStatic]
    private static long _nextStamp;

    private static int _threads;

    internal Cursor(ReadTree tree)
    {
        SnapshotScope scope = tree.LiveScope();
        _tree = tree;
        _canChange = scope is WriteSession;
        _buffer = ArrayPool<byte>.Shared.Rent(TreeCursor.BufferBytes(scope.Source.PageBytes) + sizeof(long));
        _stamp = TakeStamps();
        StampOf(_buffer) = _stamp;
        _cursor = new TreeCursor(scope.Source, scope.Snapshot, tree.Root, _buffer, _canChange);
    }

    /// <summary>True when the cursor stands on a row.</summary>
    public bool HasRow => Position().State == CursorState.OnRow;

    /// <summary>The key of the row, valid until the cursor moves (in a write transaction: until the next change).</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public ReadOnlySpan<byte> Key => Position().Key;

    /// <summary>The value of the row, valid until the transaction ends (in a write transaction: until the next change).</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    /// <exception cref="ValueInPiecesException">No span can hold the value; <see cref="OpenValueReader"/> reads it.</exception>
    public ReadOnlySpan<byte> Value => Position().Value;

    /// <summary>Length of the row's value, whatever it is; a long value is not looked at.</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public long ValueBytes => Entry.ValueBytes;

    /// <summary>
    /// Opens the value of the row for reading, of any length. The reader does not follow the cursor; it is good until the transaction ends
    /// (in a write transaction: until the next change of the tree).
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public PipeReader OpenValueReader() => Entry.OpenValueReader();

    /// <summary>Goes to the first row; false when the tree is empty.</summary>
    public bool MoveFirst() => Moving().MoveFirst();

    /// <summary>Goes to the last row; false when the tree is empty.</summary>
    public bool MoveLast() => Moving().MoveLast();

    /// <summary>
    /// Goes to the next row (of a fresh cursor: the first); false when there is none, and then <see cref="MovePrevious"/> returns to the
    /// last one.
    /// </summary>
    public bool MoveNext() => Moving().MoveNext();

    /// <summary>
    /// Goes to the row before (of a fresh cursor: the last); false when there is none, and then <see cref="MoveNext"/> returns to the
    /// first one.
    /// </summary>
    public bool MovePrevious() => Moving().MovePrevious();

    /// <summary>Goes to the first row with a key ≥ <paramref name="key"/>; false when there is none.</summary>
    public bool Seek(scoped ReadOnlySpan<byte> key) => Moving().Seek(key);

    /// <summary>Goes to the last row with a key ≤ <paramref name="key"/>; false when there is none.</summary>
    public bool SeekFloor(scoped ReadOnlySpan<byte> key) => Moving().SeekFloor(key);

    /// <summary>Gives the cursor's buffer back; the cursor is of no use afterwards.</summary>
    public void Dispose()
    {
        if (_buffer is { } buffer)
        {
            _buffer = null;
            if (StampOf(buffer) == _stamp)
            {
                StampOf(buffer) = 0;
                ArrayPool<byte>.Shared.Return(buffer);
            }

            // Otherwise a copy uses the buffer, or has given it back.
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

    /// <summary>The bytes lie in the memory that the next move, or the next key, writes over.</summary>
    internal readonly bool HasInBuffer(scoped ReadOnlySpan<byte> bytes) => bytes.Overlaps(_buffer);

    /// <summary>Stands on a key that is about to be put; false, with nothing moved, when it is too long for that.</summary>
    internal bool TryPlaceAt(scoped ReadOnlySpan<byte> key) => Moving().TryPlaceAt(key);

    /// <summary>The position, of a live cursor in a live transaction, as the tree is now.</summary>
    [System.Diagnostics.CodeAnalysis.UnscopedRef]
    private ref TreeCursor Position()
    {
        if (_buffer is null)
        {
            Transactions.Throw.CursorDisposed();
        }

        if (StampOf(_buffer) != _stamp)
        {
            Transactions.Throw.CursorCopied();
        }

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

    /// <summary>As <see cref="Position"/>, for a move: from here on copies of this cursor are stale.</summary>
    [System.Diagnostics.CodeAnalysis.UnscopedRef]
    private ref TreeCursor Moving()
    {
        ref TreeCursor position = ref Position();
        StampOf(_buffer!) = ++_stamp;
        return ref position;
    }

    private static ref long StampOf(byte[] buffer) =>
        ref MemoryMarshal.AsRef<long>(buffer.AsSpan(buffer.Length - sizeof(long)));

    private static long TakeStamps()
    {
        const int MoveBits = 24;
        const int CursorBits = 20;
        if (_nextStamp == 0)
        {
            _nextStamp = (long)Interlocked.Increment(ref _threads) << (MoveBits + CursorBits);
        }

        return _nextStamp += 1L << MoveBits;
    }
}
