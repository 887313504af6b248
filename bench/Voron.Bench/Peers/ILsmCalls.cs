namespace Voron.Bench.Peers;

/// <summary>The calls that LevelDB and RocksDB have in common. A call that can fail leaves a text at the address of its error.</summary>
internal interface ILsmCalls
{
    static abstract string Name { get; }

    static abstract nint CreateOptions();

    static abstract void CreateIfMissing(nint options, byte isOn);

    static abstract nint Open(nint options, string path, ref nint error);

    static abstract void Close(nint database);

    static abstract nint CreateWriteOptions();

    static abstract void SetSync(nint writeOptions, byte isOn);

    static abstract nint CreateReadOptions();

    static abstract nint CreateBatch();

    static abstract void ClearBatch(nint batch);

    static abstract void DestroyBatch(nint batch);

    static abstract void Put(nint batch, nint key, nint keyBytes, nint value, nint valueBytes);

    static abstract void Delete(nint batch, nint key, nint keyBytes);

    static abstract void Write(nint database, nint writeOptions, nint batch, ref nint error);

    /// <summary>Gets a value; the handle holds its memory until <see cref="Release"/>, and is 0 when there is none.</summary>
    static abstract nint Get(nint database, nint readOptions, nint key, nint keyBytes, out nint value, out nint valueBytes, ref nint error);

    static abstract void Release(nint handle);

    static abstract nint CreateIterator(nint database, nint readOptions);

    static abstract void DestroyIterator(nint iterator);

    static abstract byte IsValid(nint iterator);

    static abstract void MoveFirst(nint iterator);

    static abstract void MoveNext(nint iterator);

    static abstract void Seek(nint iterator, nint key, nint keyBytes);

    static abstract nint KeyOf(nint iterator, out nint bytes);

    static abstract nint ValueOf(nint iterator, out nint bytes);
}
