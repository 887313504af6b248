using System.Buffers;
using System.IO.Pipelines;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>
/// A position in a tree that moves both ways. Opened and moved without allocation; not to be copied, since a copy shares its buffer. In
/// a write transaction it follows changes of the tree: it stays on its key, and when that was deleted it has no row and the moves lead to
/// the neighbours.
/// </summary>
public ref struct Cursor : IDisposable
{
    private readonly ReadTree _tree;
    private readonly bool _canChange;
    private byte[]? _buffer;
    private TreeCursor _cursor;

    internal Cursor(ReadTree tree)
    {
        SnapshotScope scope = tree.LiveScope();
        _tree = tree;
        _canChange = scope is WriteSession;
        _buffer = TreeCursor.RentBuffer(scope.Source);
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
    public bool MoveFirst() => Position().MoveFirst();

    /// <summary>Goes to the last row; false when the tree is empty.</summary>
    public bool MoveLast() => Position().MoveLast();

    /// <summary>
    /// Goes to the next row (of a fresh cursor: the first); false when there is none, and then <see cref="MovePrevious"/> returns to the
    /// last one.
    /// </summary>
    public bool MoveNext() => Position().MoveNext();

    /// <summary>
    /// Goes to the row before (of a fresh cursor: the last); false when there is none, and then <see cref="MoveNext"/> returns to the
    /// first one.
    /// </summary>
    public bool MovePrevious() => Position().MovePrevious();

    /// <summary>Goes to the first row with a key ≥ <paramref name="key"/>; false when there is none.</summary>
    public bool Seek(scoped ReadOnlySpan<byte> key) => Position().Seek(key);

    /// <summary>Goes to the last row with a key ≤ <paramref name="key"/>; false when there is none.</summary>
    public bool SeekFloor(scoped ReadOnlySpan<byte> key) => Position().SeekFloor(key);

    /// <summary>Gives the cursor's buffer back; the cursor is of no use afterwards.</summary>
    public void Dispose()
    {
        if (_buffer is not null)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = null;
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
    internal bool TryPlaceAt(scoped ReadOnlySpan<byte> key) => Position().TryPlaceAt(key);

    /// <summary>The position, of a live cursor in a live transaction, as the tree is now.</summary>
    [System.Diagnostics.CodeAnalysis.UnscopedRef]
    private ref TreeCursor Position()
    {
        if (_buffer is null)
        {
            Transactions.Throw.CursorDisposed();
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
}
