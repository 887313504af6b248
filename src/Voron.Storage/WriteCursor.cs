using System.Buffers;
using System.IO.Pipelines;

namespace Voron.Storage;

/// <summary>
/// A cursor of a write transaction: moves like <see cref="Cursor"/> and changes the tree at its position. Any number of them may be open
/// while the tree changes. Pass it by reference, like <see cref="Cursor"/>.
/// </summary>
public ref struct WriteCursor : IDisposable
{
    private readonly Tree _tree;
    private Cursor _cursor;

    internal WriteCursor(Tree tree)
    {
        _tree = tree;
        _cursor = new Cursor(tree);
    }

    /// <inheritdoc cref="Cursor.HasRow"/>
    public bool HasRow => _cursor.HasRow;

    /// <summary>The key of the row, valid until the next change or move.</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public ReadOnlySpan<byte> Key => _cursor.Key;

    /// <summary>The value of the row, valid until the next change.</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    /// <exception cref="ValueInPiecesException">No span can hold the value; use <see cref="OpenValueReader"/>.</exception>
    public ReadOnlySpan<byte> Value => _cursor.Value;

    /// <inheritdoc cref="Cursor.ValueBytes"/>
    public long ValueBytes => _cursor.ValueBytes;

    /// <inheritdoc cref="Cursor.OpenValueReader"/>
    public PipeReader OpenValueReader() => _cursor.OpenValueReader();

    /// <inheritdoc cref="Cursor.MoveFirst"/>
    public bool MoveFirst() => _cursor.MoveFirst();

    /// <inheritdoc cref="Cursor.MoveLast"/>
    public bool MoveLast() => _cursor.MoveLast();

    /// <inheritdoc cref="Cursor.MoveNext"/>
    public bool MoveNext() => _cursor.MoveNext();

    /// <inheritdoc cref="Cursor.MovePrevious"/>
    public bool MovePrevious() => _cursor.MovePrevious();

    /// <inheritdoc cref="Cursor.Seek"/>
    public bool Seek(scoped ReadOnlySpan<byte> key) => _cursor.Seek(key);

    /// <inheritdoc cref="Cursor.SeekFloor"/>
    public bool SeekFloor(scoped ReadOnlySpan<byte> key) => _cursor.SeekFloor(key);

    /// <summary>Inserts the key or replaces its value, and moves to it (after an error: to where it would be).</summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        if (!_cursor.HasInBuffer(value))
        {
            PutThere(key, value);
            return;
        }

        // The value is (part of) this cursor's key, and the new key will overwrite that buffer.
        byte[] copy = ArrayPool<byte>.Shared.Rent(value.Length);
        value.CopyTo(copy);
        PutThere(key, copy.AsSpan(0, value.Length));
        ArrayPool<byte>.Shared.Return(copy);
    }

    /// <summary>Replaces the value of the row.</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public void SetValue(scoped ReadOnlySpan<byte> value) => _tree.Put(_cursor.Key, value);

    /// <summary>
    /// Deletes the row. Afterwards the cursor has no row: <see cref="MoveNext"/> moves to the following row, <see cref="MovePrevious"/> to
    /// the row before it.
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public void DeleteCurrent() => _tree.Delete(_cursor.Key);

    /// <inheritdoc cref="Cursor.Dispose"/>
    public void Dispose() => _cursor.Dispose();

    private void PutThere(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        // The key may be in a page that the put moves, so use the cursor's copy from here on.
        bool isPlaced = _cursor.TryPlaceAt(key);
        _tree.Put(isPlaced ? _cursor.PlacedKey : key, value);
    }
}
