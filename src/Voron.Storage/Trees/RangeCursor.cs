using System.Buffers;
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Walks the rows of a range in one direction. The bounds must stay unchanged meanwhile; <see cref="Dispose"/> returns the rented buffer.
/// </summary>
internal ref struct RangeCursor
{
    private readonly ReadOnlySpan<byte> _low;
    private readonly ReadOnlySpan<byte> _high;
    private readonly RangeEnds _ends;
    private readonly bool _reversed;

    /// <summary>Whether rows must be compared with a bound; false for a range without an end in the direction of the walk.</summary>
    private readonly bool _isBounded;
    private RowCursor _cursor;
    private byte[]? _buffer;
    private bool _started;

    internal RangeCursor(
        PageSource source,
        TransactionId snapshot,
        PageNumber root,
        ReadOnlySpan<byte> low,
        ReadOnlySpan<byte> high,
        RangeEnds ends,
        bool reversed)
    {
        _low = low;
        _high = high;
        _ends = ends;
        _reversed = reversed;
        _isBounded = (ends & ((reversed ? RangeEnds.From : RangeEnds.To) | RangeEnds.Prefix)) != 0;
        _buffer = TreeCursor.RentBuffer(source);
        _cursor = new RowCursor(source, snapshot, root, _buffer, remembersKey: false);
    }

    internal readonly ReadOnlySpan<byte> Key => _cursor.Key;

    /// <summary>Like <see cref="TreeCursor.IsOverflow"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsOverflow(out ReadOnlySpan<byte> stored) => _cursor.IsOverflow(out stored);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool MoveNext()
    {
        if (!_started)
        {
            return MoveToStart();
        }

        bool moved = _reversed ? _cursor.MovePrevious() : _cursor.MoveNext();
        return moved && (!_isBounded || IsInside());
    }

    internal void Dispose()
    {
        if (_buffer is not null)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = null;
            _cursor.Dispose();
        }
    }

    private bool MoveToStart()
    {
        _started = true;
        bool found = _reversed ? MoveToLastInside() : MoveToFirstInside();
        return found && (!_isBounded || IsInside());
    }

    private bool MoveToFirstInside()
    {
        if ((_ends & RangeEnds.From) == 0)
        {
            return _cursor.MoveFirst();
        }

        return _cursor.Seek(_low)
            && ((_ends & RangeEnds.FromOpen) == 0 || !_cursor.Key.SequenceEqual(_low) || _cursor.MoveNext());
    }

    private bool MoveToLastInside()
    {
        if ((_ends & RangeEnds.To) != 0)
        {
            return (_ends & RangeEnds.ToClosed) != 0 ? _cursor.SeekFloor(_high) : MoveBelow(_high);
        }

        return (_ends & RangeEnds.Prefix) != 0 ? MoveBelowSuccessor() : _cursor.MoveLast();
    }

    private bool MoveBelow(scoped ReadOnlySpan<byte> bound) =>
        _cursor.SeekFloor(bound) && (!_cursor.Key.SequenceEqual(bound) || _cursor.MovePrevious());

    /// <summary>
    /// Moves to the last key below the prefix's successor: the prefix cut after its last byte that is not 0xFF, with that byte incremented.
    /// If there is no such byte, moves to the last row.
    /// </summary>
    private bool MoveBelowSuccessor()
    {
        int length = _high.LastIndexOfAnyExcept((byte)0xFF) + 1;
        if (length == 0)
        {
            return _cursor.MoveLast();
        }

        byte[] successor = ArrayPool<byte>.Shared.Rent(length);
        _high[..length].CopyTo(successor);
        successor[length - 1]++;
        bool found = MoveBelow(successor.AsSpan(0, length));
        ArrayPool<byte>.Shared.Return(successor);
        return found;
    }

    private readonly bool IsInside()
    {
        ReadOnlySpan<byte> key = _cursor.Key;
        return (!_reversed || IsAboveLow(key)) && (_reversed || IsBelowHigh(key))
            && ((_ends & RangeEnds.Prefix) == 0 || key.StartsWith(_high));
    }

    private readonly bool IsAboveLow(ReadOnlySpan<byte> key) =>
        (_ends & RangeEnds.From) == 0 || key.SequenceCompareTo(_low) >= ((_ends & RangeEnds.FromOpen) == 0 ? 0 : 1);

    private readonly bool IsBelowHigh(ReadOnlySpan<byte> key) =>
        (_ends & RangeEnds.To) == 0 || key.SequenceCompareTo(_high) < ((_ends & RangeEnds.ToClosed) == 0 ? 0 : 1);
}
