namespace Voron.Bench.Peers;

/// <summary>Write transactions of LMDB; it lets one thread at a time have one.</summary>
internal sealed class LmdbWriter(nint environment, uint tree, uint putFlags = 0) : IStoreWriter
{
    private nint _transaction;

    public void Begin() => Demand("begin a transaction", LmdbCalls.Begin(environment, 0, 0, out _transaction));

    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        LmdbValue stored = new(value);
        LmdbValue under = new(key);
        Demand("put", LmdbCalls.Put(_transaction, tree, ref under, ref stored, putFlags));
    }

    public void Delete(ReadOnlySpan<byte> key)
    {
        LmdbValue under = new(key);
        Demand("delete", LmdbCalls.Delete(_transaction, tree, ref under, 0));
    }

    public void Commit()
    {
        nint transaction = _transaction;
        _transaction = 0;
        Demand("commit", LmdbCalls.Commit(transaction));
    }

    public void Finish()
    {
    }

    public void Dispose()
    {
        if (_transaction != 0)
        {
            LmdbCalls.Abort(_transaction);
        }
    }

    private static void Demand(string what, int error) => PeerException.Demand(LmdbStore.Name, what, error);
}
