using System.Buffers;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// The rows of a pending tree beside a cursor in the tree below, merged: of two rows with one key only the pending one counts, and a
/// deletion hides both.
/// <para>While the cursor is on a row, the two cursors are on it and on the nearest row beyond it in the direction of the last move, or
/// both on it if both have its key.</para>
/// </summary>
internal sealed class PendingRows : IDisposable
{
    private const long NeverSeen = -1;
    private const int MostIdle = 4;

    /// <summary>Used again by the next cursors of this thread, so that cursors allocate nothing: a stack.</summary>
    [ThreadStatic]
    private static PendingRows? _idle;

    private readonly LayerRows _pending = new();
    private PendingRows? _nextIdle;

    /// <summary>How many are idle with this one, if it is on the top of the stack.</summary>
    private int _idles;
    private PageSource? _source;
    private TransactionId _snapshot;
    private byte[] _key = [];
    private int _keyBytes;
    private bool _remembersKey;
    private long _changes;
    private bool _isForward = true;

    /// <summary>Whether the row is the pending one, and whether the tree below has its key as well.</summary>
    private bool _isPending;
    private bool _isBoth;

    private PendingRows()
    {
    }

    internal CursorState State { get; private set; }

    internal ReadOnlySpan<byte> RememberedKey => _key.AsSpan(0, _keyBytes);

    /// <summary>Whether the row is the pending one, and not that of the tree below. Throws if there is no row.</summary>
    internal bool IsOnRow
    {
        get
        {
            if (State != CursorState.OnRow)
            {
                Throw.NoRow();
            }

            return _isPending;
        }
    }

    internal ReadOnlySpan<byte> Key => _pending.Key;

    internal ReadOnlySpan<byte> Value => PendingEntry.ValueOf(_pending.Stored);

    internal ReadOnlySpan<byte> LastingKey(KeyMemory memory) => _pending.LastingKey(memory);

    /// <summary>Begins with these layers, as a snapshot sees them.</summary>
    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="layers">The layers of the pending tree.</param>
    /// <param name="remembersKey">Copies the key of each row reached, so that <see cref="Revalidate"/> can return to it.</param>
    internal static PendingRows Begin(PageSource source, TransactionId snapshot, PendingLayers layers, bool remembersKey)
    {
        PendingRows rows = _idle ?? new PendingRows();
        _idle = rows._nextIdle;
        rows._nextIdle = null;
        rows._source = source;
        rows._snapshot = snapshot;
        int keyBytes = TreeWriter.MaxKeyBytesOf(source.PageBytes);
        if (rows._key.Length < keyBytes)
        {
            rows._key = new byte[keyBytes];
        }

        rows._keyBytes = 0;
        rows._remembersKey = remembersKey;
        rows._changes = 0;
        rows.State = CursorState.Unset;
        rows._pending.Begin(source, snapshot, layers);
        return rows;
    }

    internal bool MoveFirst(ref TreeCursor below)
    {
        State = CursorState.Lost;
        _pending.MoveFirst();
        below.MoveFirst();
        return SettleForward(ref below);
    }

    internal bool MoveLast(ref TreeCursor below)
    {
        State = CursorState.Lost;
        _pending.MoveLast();
        below.MoveLast();
        return SettleBackward(ref below);
    }

    internal bool Seek(ref TreeCursor below, scoped ReadOnlySpan<byte> key)
    {
        State = CursorState.Lost;
        JointSeek.Descend(_source!, _snapshot, _pending.BeginSeek(), ref below, key);
        _pending.EndSeek(forward: true);
        below.EndSeek();
        return SettleForward(ref below);
    }

    internal bool SeekFloor(ref TreeCursor below, scoped ReadOnlySpan<byte> key)
    {
        State = CursorState.Lost;
        JointSeek.Descend(_source!, _snapshot, _pending.BeginSeek(), ref below, key);
        _pending.EndSeek(forward: false);
        below.EndSeekFloor();
        return SettleBackward(ref below);
    }

    internal bool MoveNext(ref TreeCursor below)
    {
        switch (State)
        {
            case CursorState.BehindLast:
                return false;
            case CursorState.Lost:
                Throw.CursorLost();
                return false;
            case CursorState.Unset or CursorState.BeforeFirst:
                return MoveFirst(ref below);
            case CursorState.BeforeRow:
                return Seek(ref below, RememberedKey);
            default:
                Turn(ref below, forward: true);
                Step(ref below, forward: true);
                return SettleForward(ref below);
        }
    }

    internal bool MovePrevious(ref TreeCursor below)
    {
        switch (State)
        {
            case CursorState.BeforeFirst:
                return false;
            case CursorState.Lost:
                Throw.CursorLost();
                return false;
            case CursorState.Unset or CursorState.BehindLast:
                return MoveLast(ref below);
            case CursorState.BeforeRow:
                return SeekFloor(ref below, RememberedKey);
            default:
                Turn(ref below, forward: false);
                Step(ref below, forward: false);
                return SettleBackward(ref below);
        }
    }

    internal void Revalidate(ref TreeCursor below, long changes)
    {
        if (changes == _changes)
        {
            return;
        }

        _changes = changes;
        if (State is CursorState.OnRow or CursorState.BeforeRow)
        {
            // The key is copied: the search remembers the key of the row that it finds.
            bool wasOnRow = State == CursorState.OnRow;
            byte[] sought = ArrayPool<byte>.Shared.Rent(_keyBytes);
            RememberedKey.CopyTo(sought);
            ReadOnlySpan<byte> key = sought.AsSpan(0, _keyBytes);
            bool isThere = Seek(ref below, key) && RememberedKey.SequenceEqual(key);
            key.CopyTo(_key);
            _keyBytes = key.Length;
            State = isThere && wasOnRow ? CursorState.OnRow : CursorState.BeforeRow;
            ArrayPool<byte>.Shared.Return(sought);
        }
    }

    internal bool TryPlaceAt(scoped ReadOnlySpan<byte> key)
    {
        if (key.Length > TreeWriter.MaxKeyBytesOf(_source!.PageBytes))
        {
            return false;
        }

        key.CopyTo(_key);
        _keyBytes = key.Length;
        State = CursorState.OnRow;
        _changes = NeverSeen;
        return true;
    }

    public void Dispose()
    {
        _pending.End();
        _source = null;
        _idles = 1 + (_idle?._idles ?? 0);
        if (_idles <= MostIdle)
        {
            _nextIdle = _idle;
            _idle = this;
        }
    }

    /// <summary>Brings the cursor that is not on the row to the other side of it, if the direction changes.</summary>
    private void Turn(ref TreeCursor below, bool forward)
    {
        State = CursorState.Lost;
        if (_isForward == forward || _isBoth)
        {
            return;
        }

        ReadOnlySpan<byte> key = _isPending ? _pending.Key : below.Key;
        _ = (_isPending, forward) switch
        {
            (true, true) => below.Seek(key),
            (true, false) => below.SeekFloor(key),
            (false, true) => _pending.Seek(key),
            (false, false) => _pending.SeekFloor(key),
        };
    }

    /// <summary>Moves the cursors that are on the row away from it.</summary>
    private void Step(ref TreeCursor below, bool forward)
    {
        if (_isPending)
        {
            _pending.Move(forward);
        }

        if (!_isPending || _isBoth)
        {
            _ = forward ? below.MoveNext() : below.MovePrevious();
        }
    }

    private bool SettleForward(ref TreeCursor below) => Settle(ref below, forward: true);

    private bool SettleBackward(ref TreeCursor below) => Settle(ref below, forward: false);

    /// <summary>Chooses the nearer of the two rows, passing by those that are deleted.</summary>
    private bool Settle(ref TreeCursor below, bool forward)
    {
        _isForward = forward;
        while (true)
        {
            bool hasPending = _pending.State == CursorState.OnRow;
            bool hasBelow = below.State == CursorState.OnRow;
            if (!hasPending && !hasBelow)
            {
                State = forward ? CursorState.BehindLast : CursorState.BeforeFirst;
                return false;
            }

            int order = !hasPending ? 1 : !hasBelow ? -1 : forward ? _pending.CompareKey(below) : -_pending.CompareKey(below);
            _isPending = order <= 0;
            _isBoth = order == 0;
            if (_isPending && PendingEntry.IsDeleted(_pending.Stored))
            {
                Step(ref below, forward);
                continue;
            }

            Remember(below);
            State = CursorState.OnRow;
            return true;
        }
    }

    private void Remember(in TreeCursor below)
    {
        if (_remembersKey)
        {
            ReadOnlySpan<byte> key = _isPending ? _pending.Key : below.Key;
            key.CopyTo(_key);
            _keyBytes = key.Length;
        }
    }
}
