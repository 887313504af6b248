using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// The entries of a pending tree, deletions included: those of its layers merged, of each key that of the upper layer. A move that meets a
/// damaged page leaves it lost, as a <see cref="TreeCursor"/>.
/// <para>While it is on an entry, each layer's cursor is on its nearest entry that is not before that one, in the direction of the last
/// move.</para>
/// </summary>
internal sealed class LayerRows
{
    /// <summary>Rows of all layers together that are prefetched with a search.</summary>
    private const int RowsAhead = 8;

    private TreeCursor[] _layers = [];
    private byte[][] _buffers = [];
    private byte[] _key = [];

    /// <summary>
    /// The head of each layer's key: see <see cref="KeyHead"/>. Of a layer without another entry in this direction, the head that is
    /// behind all others. Empty if there is only one layer.
    /// </summary>
    private ulong[] _heads = [];
    private int _on;

    /// <summary>Whether another layer may be on the same key.</summary>
    private bool _isTied;
    private bool _isForward;

    internal CursorState State { get; private set; }

    internal ReadOnlySpan<byte> Key => _layers[_on].Key;

    /// <summary>The entry of the key; see <see cref="PendingEntry"/>.</summary>
    internal ReadOnlySpan<byte> Stored
    {
        get
        {
            _layers[_on].IsOverflow(out ReadOnlySpan<byte> stored);
            return stored;
        }
    }

    /// <summary>
    /// Begins with these layers, as a snapshot sees them; allocates only if their number is another than before, or pages are larger.
    /// </summary>
    internal void Begin(PageSource source, TransactionId snapshot, PendingLayers layers)
    {
        int count = layers.Count;
        if (_layers.Length != count)
        {
            _layers = new TreeCursor[count];
            _heads = count == 1 ? [] : new ulong[count];
        }

        Reserve(count, source.PageBytes);
        State = CursorState.Unset;
        int ahead = Math.Max(1, RowsAhead / count);
        for (int i = 0; i < count; i++)
        {
            _layers[i] = new TreeCursor(source, snapshot, layers[i], _buffers[i], remembersKey: false) { RowsAhead = ahead };
        }
    }

    /// <summary>Ends the use of these layers. The entries must not be used after it, until <see cref="Begin"/>.</summary>
    internal void End() => Array.Clear(_layers);

    /// <summary>Compares the key of the entry with that of a row.</summary>
    internal int CompareKey(in TreeCursor row) => KeyHead.Compare(_layers[_on], row);

    internal ReadOnlySpan<byte> LastingKey(KeyMemory memory) => _layers[_on].LastingKey(memory);

    internal bool MoveFirst()
    {
        State = CursorState.Lost;
        foreach (ref TreeCursor layer in _layers.AsSpan())
        {
            layer.MoveFirst();
        }

        return SettleAll(forward: true);
    }

    internal bool MoveLast()
    {
        State = CursorState.Lost;
        foreach (ref TreeCursor layer in _layers.AsSpan())
        {
            layer.MoveLast();
        }

        return SettleAll(forward: false);
    }

    internal bool Seek(scoped ReadOnlySpan<byte> key)
    {
        State = CursorState.Lost;
        foreach (ref TreeCursor layer in _layers.AsSpan())
        {
            layer.Seek(key);
        }

        return SettleAll(forward: true);
    }

    /// <summary>Asks for the leaves behind those that a search has found.</summary>
    internal void ReadAhead(PageSource source, TransactionId snapshot)
    {
        foreach (ref TreeCursor layer in _layers.AsSpan())
        {
            LeafReadAhead.Next(source, snapshot, layer.Parent);
        }
    }

    /// <summary>Begins a search: <see cref="JointSeek"/> descends with these cursors, and <see cref="EndSeek"/> ends it.</summary>
    internal Span<TreeCursor> BeginSeek()
    {
        State = CursorState.Lost;
        return _layers;
    }

    internal bool EndSeek(bool forward)
    {
        foreach (ref TreeCursor layer in _layers.AsSpan())
        {
            _ = forward ? layer.EndSeek() : layer.EndSeekFloor();
        }

        return SettleAll(forward);
    }

    internal bool SeekFloor(scoped ReadOnlySpan<byte> key)
    {
        State = CursorState.Lost;
        foreach (ref TreeCursor layer in _layers.AsSpan())
        {
            layer.SeekFloor(key);
        }

        return SettleAll(forward: false);
    }

    /// <summary>Moves to the next entry in a direction; from beyond an end, to the entry at that end.</summary>
    internal bool Move(bool forward)
    {
        CursorState end = forward ? CursorState.BehindLast : CursorState.BeforeFirst;
        if (State == end)
        {
            return false;
        }

        if (State == CursorState.Lost)
        {
            Throw.CursorLost();
        }

        if (State != CursorState.OnRow)
        {
            return forward ? MoveFirst() : MoveLast();
        }

        State = CursorState.Lost;
        if (_isForward != forward || _isTied)
        {
            MoveAll(forward);
        }
        else
        {
            Step(ref _layers[_on], forward);
            if (_heads.Length > 0)
            {
                NoteHead(_on, forward);
            }
        }

        return Settle(forward);
    }

    private void Reserve(int layers, int pageBytes)
    {
        int bytes = TreeCursor.BufferBytes(pageBytes);
        if (_buffers.Length < layers || _key.Length < bytes)
        {
            _key = new byte[bytes];
            _buffers = new byte[Math.Max(layers, _buffers.Length)][];
            for (int i = 0; i < _buffers.Length; i++)
            {
                _buffers[i] = new byte[bytes];
            }
        }
    }

    /// <summary>Moves all layers that are on the current key; if the direction changes, the others first go to its other side.</summary>
    private void MoveAll(bool forward)
    {
        ReadOnlySpan<byte> here = _layers[_on].Key;
        here.CopyTo(_key);
        ReadOnlySpan<byte> key = _key.AsSpan(0, here.Length);
        for (int i = 0; i < _layers.Length; i++)
        {
            if (i != _on && _isForward != forward)
            {
                _ = forward ? _layers[i].Seek(key) : _layers[i].SeekFloor(key);
            }

            if (i == _on || IsOn(i, key))
            {
                Step(ref _layers[i], forward);
            }
        }

        NoteHeads(forward);
    }

    /// <summary>Whether a layer is on the entry of a key.</summary>
    private bool IsOn(int layer, ReadOnlySpan<byte> key) =>
        _layers[layer].State == CursorState.OnRow && _layers[layer].Key.SequenceEqual(key);

    private static void Step(ref TreeCursor layer, bool forward)
    {
        if (forward)
        {
            layer.MoveNext();
        }
        else
        {
            layer.MovePrevious();
        }
    }

    private void NoteHead(int layer, bool forward)
    {
        ref TreeCursor rows = ref _layers[layer];
        _heads[layer] = rows.State == CursorState.OnRow ? KeyHead.Of(rows.Key) : forward ? ulong.MaxValue : 0;
    }

    private void NoteHeads(bool forward)
    {
        for (int i = 0; i < _heads.Length; i++)
        {
            NoteHead(i, forward);
        }
    }

    private bool SettleAll(bool forward)
    {
        NoteHeads(forward);
        return Settle(forward);
    }

    /// <summary>Chooses the nearest entry; of several with one key, that of the upper layer.</summary>
    private bool Settle(bool forward)
    {
        _isForward = forward;
        _isTied = false;
        int nearest = 0;
        ulong least = _heads.Length > 0 ? _heads[0] : 0;
        for (int i = 1; i < _heads.Length; i++)
        {
            ulong head = _heads[i];
            if (head == least)
            {
                _isTied = true;
                nearest = IsNearer(i, nearest, forward) ? i : nearest;
            }
            else if (head < least == forward)
            {
                _isTied = false;
                nearest = i;
                least = head;
            }
        }

        _on = nearest;
        bool isOnRow = _layers[nearest].State == CursorState.OnRow;
        State = isOnRow ? CursorState.OnRow : forward ? CursorState.BehindLast : CursorState.BeforeFirst;
        return isOnRow;
    }

    /// <summary>Whether a layer has an entry that is nearer than that of another one, whose key has the same head.</summary>
    private bool IsNearer(int layer, int other, bool forward)
    {
        if (_layers[layer].State != CursorState.OnRow || _layers[other].State != CursorState.OnRow)
        {
            return _layers[layer].State == CursorState.OnRow;
        }

        int order = _layers[layer].Key.SequenceCompareTo(_layers[other].Key);
        return forward ? order < 0 : order > 0;
    }
}
