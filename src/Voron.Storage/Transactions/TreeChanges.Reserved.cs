using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <content>
/// Values that the caller writes in place. Its span leads to memory of its own, from which the next call copies the entry and puts it as
/// any other: what a late caller writes there changes neither the notes nor a page.
/// </content>
internal sealed partial class TreeChanges
{
    private const int NoTree = -1;
    private const int LeastReservedBytes = 4 << 10;

    /// <summary>A longer array is not kept: a single long value should not take memory for good.</summary>
    private const int MostKeptBytes = 1 << 20;

    /// <summary>The key of the reserved entry and then its value.</summary>
    private byte[] _reserved = [];
    private int _reservedTree = NoTree;
    private int _reservedKeyBytes;
    private int _reservedValueBytes;

    private bool HasReserved => _reservedTree != NoTree;

    /// <summary>The value that was reserved last, for the caller to write.</summary>
    internal Span<byte> ReservedValue => _reserved.AsSpan(_reservedKeyBytes, _reservedValueBytes);

    /// <summary>Begins a put whose value, zeros for now, the caller writes before the next call.</summary>
    private void Reserve(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        PutReserved();
        SendFragmentIfLong();
        if (_noted.Count >= PutBatch.Capacity - 1)
        {
            MakeNotedPuts();
        }

        byte[] room = _reserved;
        int bytes = key.Length + valueBytes;
        if (room.Length < bytes)
        {
            room = GC.AllocateUninitializedArray<byte>(Math.Max(bytes, LeastReservedBytes));
        }

        // The key may be a part of the value that was reserved before.
        key.CopyTo(room);
        _reserved = room;
        _reservedKeyBytes = key.Length;
        _reservedValueBytes = valueBytes;
        ReservedValue.Clear();
        _open[index].Version++;
        _reservedTree = index;
    }

    /// <summary>What the caller has written into the reserved value is put.</summary>
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
