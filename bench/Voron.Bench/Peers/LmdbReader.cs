namespace Voron.Bench.Peers;

/// <summary>A read transaction of LMDB, and a cursor once one is wanted.</summary>
internal struct LmdbReader(nint transaction, uint tree) : IStoreReader
{
    private nint _cursor;
    private LmdbValue _key;
    private LmdbValue _value;

    public readonly ReadOnlySpan<byte> Key => _key.Span;

    public readonly ReadOnlySpan<byte> Value => _value.Span;

    public readonly bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        LmdbValue wanted = new(key);
        int error = LmdbCalls.Get(transaction, tree, ref wanted, out LmdbValue found);
        value = error == 0 ? found.Span : default;
        return error == 0;
    }

    public bool MoveFirst() => Move(LmdbCalls.First);

    public bool MoveNext() => Move(LmdbCalls.Next);

    public bool Seek(ReadOnlySpan<byte> key)
    {
        _key = new LmdbValue(key);
        return Move(LmdbCalls.SetRange);
    }

    public readonly void Dispose()
    {
        if (_cursor != 0)
        {
            LmdbCalls.CloseCursor(_cursor);
        }

        LmdbCalls.Abort(transaction);
    }

    private bool Move(int operation)
    {
        if (_cursor == 0)
        {
            PeerException.Demand(LmdbStore.Name, "open a cursor", LmdbCalls.OpenCursor(transaction, tree, out _cursor));
        }

        return LmdbCalls.Move(_cursor, ref _key, ref _value, operation) == 0;
    }
}
