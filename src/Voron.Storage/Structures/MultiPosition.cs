using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Structures;

/// <summary>
/// A position among the pairs of a multi-value tree as one snapshot sees it. After changes of the tree <see cref="Revalidate"/> comes
/// before any other call; only a position that remembers its pair can be revalidated.
/// </summary>
internal ref struct MultiPosition
{
    private readonly PageNumber _root;
    private readonly int _valueBytes;
    private readonly bool _remembers;

    /// <summary>The pair of a position between others; on a pair, that one if it is remembered.</summary>
    private readonly Span<byte> _pair;

    private readonly Span<byte> _keyRoom;
    private TreeCursor _cursor;
    private int _pairBytes;
    private int _pairKeyBytes;
    private int _version;

    /// <summary>The key of the entry, and how many bytes of it are the key of its pairs with the end.</summary>
    private ReadOnlySpan<byte> _entryKey;
    private int _keyBytes;
    private ReadOnlySpan<byte> _rest;

    /// <summary>The value, and where it begins and ends in the further values of the entry; −1 and 0 for the first one.</summary>
    private ReadOnlySpan<byte> _value;
    private int _begin;
    private int _behind;

    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The registered snapshot, or the id of the write transaction.</param>
    /// <param name="root">The root of the tree.</param>
    /// <param name="valueBytes">Length of its values.</param>
    /// <param name="buffer">Has <see cref="BufferBytes"/> for this position alone.</param>
    /// <param name="remembers">Whether the position can be revalidated.</param>
    internal MultiPosition(
        PageSource source, TransactionId snapshot, PageNumber root, int valueBytes, byte[] buffer, bool remembers)
    {
        _root = root;
        _valueBytes = valueBytes;
        _remembers = remembers;
        _cursor = new TreeCursor(source, snapshot, root, buffer, remembersKey: false);
        int cursorBytes = TreeCursor.BufferBytes(source.PageBytes);
        int pairBytes = BoundBytes(source.PageBytes);
        _pair = buffer.AsSpan(cursorBytes, pairBytes);
        Sought = buffer.AsSpan(cursorBytes + pairBytes, pairBytes);
        _keyRoom = buffer.AsSpan(cursorBytes + (2 * pairBytes), pairBytes);
    }

    internal MultiState State { get; private set; }

    internal readonly PageNumber Root => _root;

    /// <summary>Room for the pair that a call is looking for.</summary>
    internal readonly Span<byte> Sought { get; }

    /// <summary>The key, with its end, of the pair or, between pairs, of the one that would be there.</summary>
    internal readonly ReadOnlySpan<byte> AnyKeyWithEnd
    {
        get
        {
            if (State == MultiState.Between)
            {
                return _pair[.._pairKeyBytes];
            }

            RequirePair();
            return KeyWithEnd;
        }
    }

    /// <summary>The value that belongs to <see cref="AnyKeyWithEnd"/>.</summary>
    internal readonly ReadOnlySpan<byte> AnyValue => State == MultiState.Between ? _pair[_pairKeyBytes.._pairBytes] : _value;

    /// <summary>The key of the pair, valid until the next move.</summary>
    internal readonly ReadOnlySpan<byte> Key
    {
        get
        {
            RequirePair();
            return MultiKey.Read(_entryKey[.._keyBytes], _keyRoom);
        }
    }

    /// <summary>The value of the pair, valid until the next move.</summary>
    internal readonly ReadOnlySpan<byte> Value
    {
        get
        {
            RequirePair();
            return _value;
        }
    }

    /// <summary>The key of the pair as it is in entries, with its end.</summary>
    internal readonly ReadOnlySpan<byte> KeyWithEnd => _entryKey[.._keyBytes];

    /// <summary>Whether the pair of the position has this key, given with its end.</summary>
    internal readonly bool IsOfKey(scoped ReadOnlySpan<byte> keyWithEnd) => KeyWithEnd.SequenceEqual(keyWithEnd);

    internal readonly bool IsFirstOfEntry => _begin < 0;

    internal readonly bool IsLastOfEntry => _behind == _rest.Length;

    /// <summary>The further values of the entry that has the pair.</summary>
    internal readonly PackedValues Rest => new(_rest, _valueBytes, _root);

    /// <summary>Bytes of a bound: one more than of the longest pair, so that what is cut off makes no difference.</summary>
    internal static int BoundBytes(int pageBytes) => TreeWriter.MaxKeyBytesOf(pageBytes) + 1;

    internal static int BufferBytes(int pageBytes) => TreeCursor.BufferBytes(pageBytes) + (3 * BoundBytes(pageBytes));

    internal bool MoveFirst() => _cursor.MoveFirst() ? ToFirst() : Leave(MultiState.BehindLast);

    internal bool MoveLast() => _cursor.MoveLast() ? ToLast() : Leave(MultiState.BeforeFirst);

    internal bool MoveNext()
    {
        switch (State)
        {
            case MultiState.BehindLast:
                return false;
            case MultiState.Unset or MultiState.BeforeFirst:
                return MoveFirst();
            case MultiState.Between:
                return SeekCeiling(_pair[.._pairBytes], _pairKeyBytes);
            default:
                return IsLastOfEntry ? MoveNextEntry() : MoveInEntry();
        }
    }

    internal bool MovePrevious()
    {
        switch (State)
        {
            case MultiState.BeforeFirst:
                return false;
            case MultiState.Unset or MultiState.BehindLast:
                return MoveLast();
            case MultiState.Between:
                return SeekFloor(_pair[.._pairBytes], _pairKeyBytes);
            default:
                return _begin >= 0 ? ToValueBefore(_begin) : _cursor.MovePrevious() ? ToLast() : Leave(MultiState.BeforeFirst);
        }
    }

    /// <summary>Moves to the next pair of the entry, of which this is not the last.</summary>
    internal bool MoveInEntry() => ToValue(_behind);

    /// <summary>Moves to the first pair of the next entry, which may have the same key.</summary>
    internal bool MoveNextEntry() => _cursor.MoveNext() ? ToFirst() : Leave(MultiState.BehindLast);

    /// <summary>Moves to the first pair that is not below a bound, which no entry has pairs on both sides of.</summary>
    internal bool SeekEntry(scoped ReadOnlySpan<byte> bound) => _cursor.Seek(bound)
        ? ToFirst() && RequireOrder(_entryKey.SequenceCompareTo(bound) >= 0)
        : Leave(MultiState.BehindLast);

    /// <summary>Moves to the last pair below such a bound.</summary>
    internal bool SeekBelow(scoped ReadOnlySpan<byte> bound)
    {
        bool isThere = _cursor.SeekFloor(bound) && (!_cursor.Key.SequenceEqual(bound) || _cursor.MovePrevious());
        return isThere ? ToLast() && RequireOrder(_entryKey.SequenceCompareTo(bound) < 0) : Leave(MultiState.BeforeFirst);
    }

    /// <summary>
    /// After a move: refuses a tree whose keys are out of order, which damage alone makes; moves that jump could go round in it for ever.
    /// </summary>
    internal readonly bool RequireOrder(bool isInOrder)
    {
        if (!isInOrder)
        {
            Throw.BadBlock(_root);
        }

        return true;
    }

    /// <summary>Moves to the first pair ≥ this one, of which the first bytes are a key with its end.</summary>
    internal bool SeekCeiling(scoped ReadOnlySpan<byte> pair, int keyBytes)
    {
        if (TryEnterBlockOf(pair, keyBytes))
        {
            int at = IsFirst(pair) ? -1 : Rest.Find(pair[keyBytes..], out _);
            if (at < _rest.Length)
            {
                return at < 0 ? ToFirst() : ToValue(at);
            }
        }

        return MoveNextEntry();
    }

    /// <summary>Moves to the last pair ≤ this one.</summary>
    internal bool SeekFloor(scoped ReadOnlySpan<byte> pair, int keyBytes)
    {
        if (!TryEnterBlockOf(pair, keyBytes))
        {
            return _cursor.State == CursorState.OnRow ? ToLast() : Leave(MultiState.BeforeFirst);
        }

        bool isThere = IsFirst(pair);
        int at = isThere ? 0 : Rest.Find(pair[keyBytes..], out isThere);
        return isThere && !IsFirst(pair) ? ToValue(at) : ToValueBefore(at);
    }

    /// <summary>Moves to exactly this pair, or between its neighbours.</summary>
    internal bool SeekExactly(scoped ReadOnlySpan<byte> pair, int keyBytes)
    {
        if (TryEnterBlockOf(pair, keyBytes))
        {
            if (IsFirst(pair))
            {
                return ToFirst();
            }

            int at = Rest.Find(pair[keyBytes..], out bool isThere);
            if (isThere)
            {
                return ToValue(at);
            }
        }

        return LeaveBetween(pair, keyBytes);
    }

    /// <summary>Makes a pair to look for; what is too long to exist is cut off. Returns its length.</summary>
    internal readonly int Compose(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value, out int keyBytes)
    {
        keyBytes = MultiKey.Write(key, Sought);
        int valueBytes = Math.Min(value.Length, Sought.Length - keyBytes);
        value[..valueBytes].CopyTo(Sought[keyBytes..]);
        return keyBytes + valueBytes;
    }

    /// <summary>Returns to the remembered pair if the tree has changed, or between its neighbours if it is gone.</summary>
    internal void Revalidate(int version)
    {
        if (version != _version)
        {
            _version = version;
            if (State == MultiState.OnPair)
            {
                SeekExactly(_pair[.._pairBytes], _pairKeyBytes);
            }
        }
    }

    /// <summary>
    /// Goes to the last entry that begins at a pair or before it; whether that has the key of the pair. No other entry can have it.
    /// </summary>
    private bool TryEnterBlockOf(scoped ReadOnlySpan<byte> pair, int keyBytes)
    {
        if (!_cursor.SeekFloor(pair))
        {
            return false;
        }

        Enter();
        return _keyBytes == keyBytes && _entryKey.StartsWith(pair[..keyBytes]);
    }

    private readonly bool IsFirst(scoped ReadOnlySpan<byte> pair) => _entryKey.SequenceEqual(pair);

    private void Enter()
    {
        _entryKey = _cursor.Key;
        _keyBytes = MultiKey.LengthIn(_entryKey, _root);
        bool isOfLength = _valueBytes == TreeShape.AnyLength || _entryKey.Length - _keyBytes == _valueBytes;
        if (_cursor.IsOverflow(out _rest) || !isOfLength)
        {
            Throw.BadBlock(_root);
        }
    }

    private bool ToFirst()
    {
        Enter();
        return ToFirstOfEntry();
    }

    private bool ToFirstOfEntry()
    {
        _value = _entryKey[_keyBytes..];
        _begin = -1;
        _behind = 0;
        return Arrive();
    }

    private bool ToLast()
    {
        Enter();
        return ToValueBefore(_rest.Length);
    }

    private bool ToValue(int at)
    {
        _begin = at;
        _behind = at;
        _value = Rest.Take(ref _behind);
        return Arrive();
    }

    private bool ToValueBefore(int at) => at == 0 ? ToFirstOfEntry() : ToValue(Rest.Before(at));

    private bool Arrive()
    {
        if (_remembers)
        {
            Remember(_entryKey[.._keyBytes], _value);
        }

        State = MultiState.OnPair;
        return true;
    }

    private void Remember(scoped ReadOnlySpan<byte> keyWithEnd, scoped ReadOnlySpan<byte> value)
    {
        keyWithEnd.CopyTo(_pair);
        value.CopyTo(_pair[keyWithEnd.Length..]);
        _pairKeyBytes = keyWithEnd.Length;
        _pairBytes = keyWithEnd.Length + value.Length;
    }

    /// <summary>Leaves the position where a pair would be.</summary>
    internal bool LeaveBetween(scoped ReadOnlySpan<byte> pair, int keyBytes)
    {
        Remember(pair[..keyBytes], pair[keyBytes..]);
        State = MultiState.Between;
        return false;
    }

    internal bool Leave(MultiState state)
    {
        State = state;
        return false;
    }

    private readonly void RequirePair()
    {
        if (State != MultiState.OnPair)
        {
            Throw.NoRow();
        }
    }
}
