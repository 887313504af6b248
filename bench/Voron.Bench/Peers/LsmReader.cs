namespace Voron.Bench.Peers;

/// <summary>Gets from LevelDB or RocksDB at its newest state, and an iterator, which is a snapshot, once one is wanted.</summary>
internal struct LsmReader<TCalls>(nint database, nint readOptions) : IStoreReader
    where TCalls : ILsmCalls
{
    private nint _iterator;
    private nint _held;

    public readonly ReadOnlySpan<byte> Key => Pinned.Span(TCalls.KeyOf(_iterator, out nint bytes), bytes);

    public readonly ReadOnlySpan<byte> Value => Pinned.Span(TCalls.ValueOf(_iterator, out nint bytes), bytes);

    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        Release();
        nint error = 0;
        _held = TCalls.Get(database, readOptions, Pinned.Address(key), key.Length, out nint found, out nint bytes, ref error);
        LsmStore<TCalls>.Demand("get", error);
        value = _held != 0 ? Pinned.Span(found, bytes) : default;
        return _held != 0;
    }

    public bool MoveFirst()
    {
        Open();
        TCalls.MoveFirst(_iterator);
        return TCalls.IsValid(_iterator) != 0;
    }

    public readonly bool MoveNext()
    {
        TCalls.MoveNext(_iterator);
        return TCalls.IsValid(_iterator) != 0;
    }

    public bool Seek(ReadOnlySpan<byte> key)
    {
        Open();
        TCalls.Seek(_iterator, Pinned.Address(key), key.Length);
        return TCalls.IsValid(_iterator) != 0;
    }

    public void Dispose()
    {
        Release();
        if (_iterator != 0)
        {
            TCalls.DestroyIterator(_iterator);
        }
    }

    private void Open()
    {
        if (_iterator == 0)
        {
            _iterator = TCalls.CreateIterator(database, readOptions);
        }
    }

    private void Release()
    {
        if (_held != 0)
        {
            TCalls.Release(_held);
            _held = 0;
        }
    }
}
