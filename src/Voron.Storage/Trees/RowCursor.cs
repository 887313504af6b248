using System.Buffers;
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// A position among the rows of a tree as one snapshot sees it: those of its leaves and, if it has a pending tree, what that overrides. The
/// moves and rules are those of <see cref="TreeCursor"/>.
/// </summary>
internal struct RowCursor
{
    private readonly PendingRows? _pending;
    private TreeCursor _cursor;

    /// <inheritdoc cref="TreeCursor(PageSource, TransactionId, PageNumber, byte[], bool)"/>
    internal RowCursor(PageSource source, TransactionId snapshot, PageNumber root, byte[] buffer, bool remembersKey)
    {
        _pending = source.Pending.Of(root, snapshot) is { } layers ? PendingRows.Begin(source, snapshot, layers, remembersKey) : null;
        _cursor = new TreeCursor(source, snapshot, root, buffer, remembersKey);
    }

    private RowCursor(TreeCursor cursor) => _cursor = cursor;

    internal readonly CursorState State => _pending is null ? _cursor.State : _pending.State;

    /// <inheritdoc cref="TreeCursor.PlacedKey"/>
    internal readonly ReadOnlySpan<byte> PlacedKey => _pending is null ? _cursor.PlacedKey : _pending.RememberedKey;

    /// <inheritdoc cref="TreeCursor.Key"/>
    internal readonly ReadOnlySpan<byte> Key
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => IsOnPendingRow ? _pending!.Key : _cursor.Key;
    }

    /// <inheritdoc cref="TreeCursor.Value"/>
    internal readonly ReadOnlySpan<byte> Value => IsOnPendingRow ? _pending!.Value : _cursor.Value;

    /// <inheritdoc cref="TreeCursor.IsOverflow"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsOverflow(out ReadOnlySpan<byte> stored)
    {
        if (!IsOnPendingRow)
        {
            return _cursor.IsOverflow(out stored);
        }

        stored = _pending!.Value;
        return false;
    }

    internal bool MoveFirst() => _pending is null ? _cursor.MoveFirst() : _pending.MoveFirst(ref _cursor);

    internal bool MoveLast() => _pending is null ? _cursor.MoveLast() : _pending.MoveLast(ref _cursor);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool MoveNext() => _pending is null ? _cursor.MoveNext() : _pending.MoveNext(ref _cursor);

    internal bool MovePrevious() => _pending is null ? _cursor.MovePrevious() : _pending.MovePrevious(ref _cursor);

    /// <inheritdoc cref="TreeCursor.Seek"/>
    internal bool Seek(scoped ReadOnlySpan<byte> key) => _pending is null ? _cursor.Seek(key) : _pending.Seek(ref _cursor, key);

    /// <inheritdoc cref="TreeCursor.SeekFloor"/>
    internal bool SeekFloor(scoped ReadOnlySpan<byte> key) =>
        _pending is null ? _cursor.SeekFloor(key) : _pending.SeekFloor(ref _cursor, key);

    /// <inheritdoc cref="TreeCursor.Revalidate"/>
    internal void Revalidate(long changes)
    {
        if (_pending is null)
        {
            _cursor.Revalidate(changes);
        }
        else
        {
            _pending.Revalidate(ref _cursor, changes);
        }
    }

    /// <inheritdoc cref="TreeCursor.TryPlaceAt"/>
    internal bool TryPlaceAt(scoped ReadOnlySpan<byte> key) => _pending is null ? _cursor.TryPlaceAt(key) : _pending.TryPlaceAt(key);

    /// <inheritdoc cref="TreeCursor.LastingKey"/>
    internal readonly ReadOnlySpan<byte> LastingKey(KeyMemory memory) =>
        IsOnPendingRow ? _pending!.LastingKey(memory) : _cursor.LastingKey(memory);

    private readonly bool IsOnPendingRow
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _pending is not null && _pending.IsOnRow;
    }

    /// <summary>Returns what the cursor has rented itself; the buffer is the caller's. The cursor is behind all rows then.</summary>
    internal void Dispose()
    {
        if (_pending is not null)
        {
            _pending.Dispose();
            this = new RowCursor(TreeCursor.Ended);
        }
    }
}
