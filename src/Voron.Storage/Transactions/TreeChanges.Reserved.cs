using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <content>
/// Values that the caller writes in place. Its span refers to a separate buffer, from which the next call copies the entry and puts it
/// like any other: late writes to the span change neither the redo nor a page.
/// </content>
internal sealed partial class TreeChanges
{
    private const int NoTree = -1;
    private const int LeastReservedBytes = 4 << 10;

    /// <summary>Longer arrays are not kept, so that a single long value does not hold memory forever.</summary>
    private const int MostKeptBytes = 1 << 20;

    /// <summary>The key of the reserved entry, followed by its value.</summary>
    private byte[] _reserved = [];
    private int _reservedTree = NoTree;
    private int _reservedKeyBytes;
    private int _reservedValueBytes;

    private bool HasReserved => _reservedTree != NoTree;

    /// <summary>The value reserved last, for the caller to write.</summary>
    internal Span<byte> ReservedValue => _reserved.AsSpan(_reservedKeyBytes, _reservedValueBytes);

    /// <summary>Begins a put of a zero-filled value, which the caller fills in before its next call.</summary>
    private void Reserve(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        PutReserved();
        SendFragmentIfLong();
        if (_noted.Count >= DeferredPuts.Capacity - 1)
        {
            ApplyDeferred();
        }

        byte[] room = _reserved;
        int bytes = key.Length + valueBytes;
        if (room.Length < bytes)
        {
            room = GC.AllocateUninitializedArray<byte>(Math.Max(bytes, LeastReservedBytes));
        }

        // The key may be part of the previously reserved value.
        key.CopyTo(room);
        _reserved = room;
        _reservedKeyBytes = key.Length;
        _reservedValueBytes = valueBytes;
        ReservedValue.Clear();
        _open[index].Version++;
        _reservedTree = index;
    }

    /// <summary>Puts the reserved entry with the value that the caller has written, if there is one.</summary>
    private void PutReserved()
    {
        if (!HasReserved)
        {
            return;
        }

        int index = _reservedTree;
        ReadOnlySpan<byte> key = _reserved.AsSpan(0, _reservedKeyBytes);
        ReadOnlySpan<byte> value = ReservedValue;
        if (IsPlaced(value.Length))
        {
            _reservedTree = NoTree;
            PutPlaced(index, key, value);
        }
        else
        {
            Note(index, _open[index].Root, key.Length, value.Length, _redo.Put(index, key, value));
            _reservedTree = NoTree;
        }

        if (_reserved.Length > MostKeptBytes)
        {
            _reserved = [];
        }
    }
}
