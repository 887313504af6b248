using System.Buffers;
using System.IO.Pipelines;

namespace Voron.Storage;

/// <summary>
/// A cursor of a write transaction: moves like <see cref="Cursor"/>, and changes the tree where it stands. Any number of them may be
/// open, and the tree may change under them. Pass it by reference, as <see cref="Cursor"/>.
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
    /// <exception cref="ValueInPiecesException">No span can hold the value; <see cref="OpenValueReader"/> reads it.</exception>
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

    /// <summary>Inserts the key or replaces its value, and stands on it (after an error: where it would stand).</summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        if (!_cursor.HasInBuffer(value))
        {
            PutThere(key, value);
            return;
        }

        // The value is a key of this cursor, or part of one: the new key comes to the same place.
        byte[] copy = ArrayPool<byte>.Shared.Rent(value.Length);
        value.CopyTo(copy);
        PutThere(key, copy.AsSpan(0, value.Length));
        ArrayPool<byte>.Shared.Return(copy);
    }

    /// <summary>Replaces the value of the row.</summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public void SetValue(scoped ReadOnlySpan<byte> value) => _tree.Put(_cursor.Key, value);

    /// <summary>
    /// Deletes the row. The cursor has no row then: <see cref="MoveNext"/> goes to its successor, <see cref="MovePrevious"/> to the row
    /// before it.
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no current row.</exception>
    public void DeleteCurrent() => _tree.Delete(_cursor.Key);

    /// <inheritdoc cref="Cursor.Dispose"/>
    public void Dispose() => _cursor.Dispose();

    private void PutThere(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        // The key may lie in a page that the put moves: the cursor's copy is used from here on.
        bool isPlaced = _cursor.TryPlaceAt(key);
        _tree.Put(isPlaced ? _cursor.PlacedKey : key, value);
    }
}
