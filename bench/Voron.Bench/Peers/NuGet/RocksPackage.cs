using RocksDbSharp;

namespace Voron.Bench.Peers.NuGet;

/// <summary>RocksDB through the package RocksDB: write batches, each one write of the log.</summary>
internal sealed class RocksPackage : PeerStore<RocksPackage.Reader>
{
    private readonly RocksDb _database;
    private readonly WriteOptions _options;

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="syncs">Whether each write of the log is synced, which it is not when nothing is set.</param>
    internal RocksPackage(string folder, bool syncs)
    {
        Directory.CreateDirectory(folder);
        _database = RocksDb.Open(new DbOptions().SetCreateIfMissing(), folder);
        _options = new WriteOptions().SetSync(syncs);
    }

    public override IStoreWriter OpenWriter() => new Writer(_database, _options);

    public override void Dispose() => _database.Dispose();

    protected override Reader OpenReader() => new(_database);

    internal struct Reader(RocksDb database) : IStoreReader
    {
        private Iterator? _iterator;

        public readonly ReadOnlySpan<byte> Key => _iterator!.GetKeySpan();

        public readonly ReadOnlySpan<byte> Value => _iterator!.GetValueSpan();

        public readonly bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
        {
            byte[]? found = database.Get(key);
            value = found;
            return found is not null;
        }

        public bool MoveFirst()
        {
            _iterator ??= database.NewIterator();
            return _iterator.SeekToFirst().Valid();
        }

        public readonly bool MoveNext() => _iterator!.Next().Valid();

        public bool Seek(ReadOnlySpan<byte> key)
        {
            _iterator ??= database.NewIterator();
            return _iterator.Seek(key).Valid();
        }

        public readonly void Dispose() => _iterator?.Dispose();
    }

    private sealed class Writer(RocksDb database, WriteOptions options) : IStoreWriter
    {
        private readonly WriteBatch _batch = new();

        public void Begin() => _batch.Clear();

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _batch.Put(key, value);

        public void Delete(ReadOnlySpan<byte> key) => _batch.Delete(key);

        public void Commit() => database.Write(_batch, options);

        public void Finish()
        {
        }

        public void Dispose() => _batch.Dispose();
    }
}
