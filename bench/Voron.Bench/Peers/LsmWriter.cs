namespace Voron.Bench.Peers;

/// <summary>Write batches of LevelDB or RocksDB; batches of several threads share a write of the log.</summary>
internal sealed class LsmWriter<TCalls>(nint database, nint writeOptions) : IStoreWriter
    where TCalls : ILsmCalls
{
    private readonly nint _batch = TCalls.CreateBatch();

    public void Begin() => TCalls.ClearBatch(_batch);

    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        TCalls.Put(_batch, Pinned.Address(key), key.Length, Pinned.Address(value), value.Length);

    public void Delete(ReadOnlySpan<byte> key) => TCalls.Delete(_batch, Pinned.Address(key), key.Length);

    public void Commit()
    {
        nint error = 0;
        TCalls.Write(database, writeOptions, _batch, ref error);
        LsmStore<TCalls>.Demand("commit", error);
    }

    public void Finish()
    {
    }

    public void Dispose() => TCalls.DestroyBatch(_batch);
}
