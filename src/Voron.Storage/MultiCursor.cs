using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// A position among the pairs of a multi-value tree that moves in both directions, from pair to pair, from key to key, and within the
/// values of a key. Opening and moving it allocate nothing. In a write transaction it follows changes of the tree: it stays on its pair; if
/// the pair is deleted it has no row, and moves lead to the neighbours.
/// <para>Pass it by reference: a copy shares its buffer. After one copy is moved or disposed, the others throw
/// <see cref="InvalidOperationException"/> on their next use.</para>
/// </summary>
public ref struct MultiCursor : IDisposable
{
    private readonly ReadMultiTree _tree;
    private readonly bool _canChange;
    private byte[]? _buffer;
    private long _stamp;
    private MultiPosition _position;

    internal MultiCursor(ReadMultiTree tree)
    {
        SnapshotScope scope = tree.LiveScope();
        _tree = tree;
        _canChange = scope is WriteSession;
        _buffer = ArrayPool<byte>.Shared.Rent(MultiPosition.BufferBytes(scope.Source.PageBytes) + CursorStamps.Bytes);
        _stamp = CursorStamps.Take();
        CursorStamps.Of(_buffer) = _stamp;
        _position = tree.Walk(_buffer, _canChange);
    }

    /// <summary>True if the cursor is on a pair.</summary>
    public bool HasRow => Position().State == MultiState.OnPair;

    /// <summary>The key of the pair, valid until the cursor moves (in a write transaction: until the next change).</summary>
    /// <exception cref="InvalidOperationException">There is no current pair.</exception>
    public ReadOnlySpan<byte> Key => Position().Key;

    /// <summary>The value of the pair, valid until the cursor moves (in a write transaction: until the next change).</summary>
    /// <exception cref="InvalidOperationException">There is no current pair.</exception>
    public ReadOnlySpan<byte> Value => Position().Value;

    /// <summary>Moves to the first pair; returns false if the tree is empty.</summary>
    public bool MoveFirst() => Moving().MoveFirst();

    /// <summary>Moves to the last pair; returns false if the tree is empty.</summary>
    public bool MoveLast() => Moving().MoveLast();

    /// <summary>
    /// Moves to the next pair, or to the first one with a new cursor. Returns false at the end; <see cref="MovePrevious"/> then returns to
    /// the last pair.
    /// </summary>
    public bool MoveNext() => Moving().MoveNext();

    /// <summary>
    /// Moves to the previous pair, or to the last one with a new cursor. Returns false at the start; <see cref="MoveNext"/> then returns to
    /// the first pair.
    /// </summary>
    public bool MovePrevious() => Moving().MovePrevious();

    /// <summary>Moves to the first value of the next key, whatever values of this one follow. Returns false at the last key.</summary>
    public bool MoveNextKey() => Moving().MoveNextKey();

    /// <summary>Moves to the last value of the key before, whatever values of this one precede. Returns false at the first key.</summary>
    public bool MovePreviousKey() => Moving().MovePreviousKey();

    /// <summary>Moves to the first value of the key; false if it has none any more.</summary>
    /// <exception cref="InvalidOperationException">The cursor is at no key.</exception>
    public bool MoveFirstValue() => Moving().MoveFirstValue();

    /// <summary>Moves to the last value of the key; false if it has none any more.</summary>
    /// <exception cref="InvalidOperationException">The cursor is at no key.</exception>
    public bool MoveLastValue() => Moving().MoveLastValue();

    /// <summary>Moves to the next value of the same key. If there is none, returns false, and the cursor stays where it is.</summary>
    /// <exception cref="InvalidOperationException">The cursor is at no key.</exception>
    public bool MoveNextValue() => Moving().MoveNextValue();

    /// <summary>Moves to the previous value of the same key. If there is none, returns false, and the cursor stays where it is.</summary>
    /// <exception cref="InvalidOperationException">The cursor is at no key.</exception>
    public bool MovePreviousValue() => Moving().MovePreviousValue();

    /// <summary>Moves to the first value of the first key ≥ <paramref name="key"/>; returns false if there is none.</summary>
    public bool Seek(scoped ReadOnlySpan<byte> key) => Moving().SeekKey(key);

    /// <summary>
    /// Moves to the first value ≥ <paramref name="value"/> of exactly this key. If there is none, returns false; then the cursor has no
    /// row, and the moves lead to the neighbours of the pair.
    /// </summary>
    public bool Seek(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) => Moving().SeekValue(key, value);

    /// <summary>
    /// Moves to exactly this pair. If it does not exist, returns false; then the cursor has no row, and the moves lead to the neighbours of
    /// the pair.
    /// </summary>
    public bool SeekPair(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) => Moving().SeekPair(key, value);

    /// <summary>Returns the cursor's buffer; the cursor cannot be used afterwards.</summary>
    public void Dispose() => CursorStamps.TryReturn(ref _buffer, _stamp);

    /// <summary>Returns the position in the tree's present state; checks that the cursor and the transaction are live.</summary>
    [UnscopedRef]
    private ref MultiPosition Position()
    {
        CursorStamps.Check(_buffer, _stamp);
        if (_canChange)
        {
            _tree.LiveScope();
            _position.Revalidate(_tree.Version);
        }
        else
        {
            _tree.Scope();
        }

        return ref _position;
    }

    /// <summary>Like <see cref="Position"/>, for a move: makes copies of this cursor stale.</summary>
    [UnscopedRef]
    private ref MultiPosition Moving()
    {
        ref MultiPosition position = ref Position();
        CursorStamps.Of(_buffer!) = ++_stamp;
        return ref position;
    }
}
