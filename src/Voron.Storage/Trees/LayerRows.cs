using System.Buffers;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// The entries of a pending tree, deletions included: those of its layers merged, of each key that of the upper layer. A move that meets a
/// damaged page leaves it lost, as a <see cref="TreeCursor"/>.
/// <para>While it is on an entry, each layer's cursor is on its nearest entry that is not before that one, in the direction of the last
/// move.</para>
/// </summary>
internal sealed class LayerRows : IDisposable
{
    /// <summary>Rows of all layers together that are prefetched with a search.</summary>
    private const int RowsAhead = 8;

    private readonly TreeCursor[] _layers;
    private readonly byte[][] _buffers;
    private readonly byte[] _key;

    /// <summary>The head of each layer's key: see <see cref="KeyHead"/>.</summary>
    private readonly ulong[] _heads;
    private int _on;
    private bool _isForward;

    internal LayerRows(PageSource source, TransactionId snapshot, PendingLayers layers)
    {
        _layers = new TreeCursor[layers.Count];
        _buffers = new byte[layers.Count][];
        _heads = layers.Count == 1 ? [] : new ulong[layers.Count];
        _key = layers.Count == 1 ? [] : ArrayPool<byte>.Shared.Rent(TreeWriter.MaxKeyBytesOf(source.PageBytes));
        int ahead = Math.Max(1, RowsAhead / layers.Count);
        for (int i = 0; i < _layers.Length; i++)
        {
            _buffers[i] = TreeCursor.RentBuffer(source);
            _layers[i] = new TreeCursor(source, snapshot, layers[i], _buffers[i], remembersKey: false) { RowsAhead = ahead };
        }
    }

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
        if (_layers.Length == 1)
        {
            Step(ref _layers[0], forward);
            return Settle(forward);
        }

        ReadOnlySpan<byte> here = _layers[_on].Key;
        here.CopyTo(_key);
        ReadOnlySpan<byte> key = _key.AsSpan(0, here.Length);
        ulong head = _heads[_on];
        for (int i = 0; i < _layers.Length; i++)
        {
            ref TreeCursor layer = ref _layers[i];
            if (_isForward != forward && i != _on)
            {
                Turn(ref layer, key, forward);
                NoteHead(i);
            }

            if (layer.State == CursorState.OnRow && (i == _on || (_heads[i] == head && layer.Key.SequenceEqual(key))))
            {
                Step(ref layer, forward);
                NoteHead(i);
            }
        }

        return Settle(forward);
    }

    public void Dispose()
    {
        foreach (byte[] buffer in _buffers)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        if (_key.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_key);
        }
    }

    private static void Turn(ref TreeCursor layer, ReadOnlySpan<byte> key, bool forward)
    {
        if (forward)
        {
            layer.Seek(key);
        }
        else
        {
            layer.SeekFloor(key);
        }
    }

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

    private void NoteHead(int layer) =>
        _heads[layer] = _layers[layer].State == CursorState.OnRow ? KeyHead.Of(_layers[layer].Key) : 0;

    private bool SettleAll(bool forward)
    {
        for (int i = 0; i < _heads.Length; i++)
        {
            NoteHead(i);
        }

        return Settle(forward);
    }

    /// <summary>Chooses the nearest entry; of several with one key, that of the upper layer.</summary>
    private bool Settle(bool forward)
    {
        const int None = -1;
        _isForward = forward;
        int nearest = None;
        for (int i = 0; i < _layers.Length; i++)
        {
            if (_layers[i].State == CursorState.OnRow && (nearest == None || IsNearer(i, nearest, forward)))
            {
                nearest = i;
            }
        }

        State = nearest != None ? CursorState.OnRow : forward ? CursorState.BehindLast : CursorState.BeforeFirst;
        _on = Math.Max(nearest, 0);
        return nearest != None;
    }

    private bool IsNearer(int layer, int other, bool forward)
    {
        int order = _heads[layer].CompareTo(_heads[other]);
        order = order != 0 ? order : _layers[layer].Key.SequenceCompareTo(_layers[other].Key);
        return forward ? order < 0 : order > 0;
    }
}
