namespace Voron.Bench.Peers;

/// <summary>Reads of Berkeley DB outside of a transaction; a cursor once one is wanted.</summary>
internal struct BerkeleyReader(nint database) : IStoreReader
{
    private const int RoomBytes = 128 << 10;

    private readonly byte[] _keyRoom = GC.AllocateUninitializedArray<byte>(DataSet.KeyBytes, pinned: true);
    private readonly byte[] _valueRoom = GC.AllocateUninitializedArray<byte>(RoomBytes, pinned: true);
    private nint _cursor;
    private BerkeleyItem _key;
    private BerkeleyItem _value;

    public readonly ReadOnlySpan<byte> Key => _key.Span;

    public readonly ReadOnlySpan<byte> Value => _value.Span;

    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        BerkeleyItem wanted = BerkeleyItem.Of(key);
        _value = BerkeleyItem.RoomIn(_valueRoom);
        bool found = Found("get", BerkeleyCalls.Get(database, 0, ref wanted, ref _value, 0));
        value = found ? _value.Span : default;
        return found;
    }

    public bool MoveFirst()
    {
        Prepare();
        return Move(BerkeleyCalls.First);
    }

    public bool MoveNext() => Move(BerkeleyCalls.Next);

    public bool Seek(ReadOnlySpan<byte> key)
    {
        Prepare();
        key.CopyTo(_keyRoom);
        _key.Bytes = (uint)key.Length;
        return Move(BerkeleyCalls.SetRange);
    }

    public readonly void Dispose()
    {
        if (_cursor != 0)
        {
            _ = BerkeleyCalls.CloseCursor(_cursor);
        }
    }

    private static bool Found(string what, int error)
    {
        if (error != BerkeleyCalls.NotFound)
        {
            BerkeleyStore.Demand(what, error);
        }

        return error == 0;
    }

    private void Prepare()
    {
        if (_cursor == 0)
        {
            BerkeleyStore.Demand("open a cursor", BerkeleyCalls.OpenCursor(database, 0, out _cursor, 0));
            _key = BerkeleyItem.RoomIn(_keyRoom);
            _value = BerkeleyItem.RoomIn(_valueRoom);
        }
    }

    private bool Move(uint operation) => Found("move a cursor", BerkeleyCalls.Move(_cursor, ref _key, ref _value, operation));
}
