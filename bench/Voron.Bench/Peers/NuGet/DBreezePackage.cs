using DBreeze;
using DBreeze.DataTypes;
using Transaction = DBreeze.Transactions.Transaction;

namespace Voron.Bench.Peers.NuGet;

/// <summary>DBreeze, a radix trie with one table. It has no setting for how durable a commit is.</summary>
internal sealed class DBreezePackage : PeerStore<DBreezePackage.Reader>
{
    private const string Table = "entries";

    private readonly DBreezeEngine _engine;

    internal DBreezePackage(string folder)
    {
        Directory.CreateDirectory(folder);
        _engine = new DBreezeEngine(folder);
    }

    public override IStoreWriter OpenWriter() => new Writer(_engine);

    public override void Dispose() => _engine.Dispose();

    protected override Reader OpenReader() => new(_engine);

    internal struct Reader(DBreezeEngine engine) : IStoreReader
    {
        private readonly Transaction _transaction = engine.GetTransaction();
        private IEnumerator<Row<byte[], byte[]>>? _rows;

        public readonly ReadOnlySpan<byte> Key => _rows!.Current.Key;

        public readonly ReadOnlySpan<byte> Value => _rows!.Current.Value;

        public readonly bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
        {
            Row<byte[], byte[]> row = _transaction.Select<byte[], byte[]>(Table, key.ToArray());
            value = row.Exists ? row.Value : default;
            return row.Exists;
        }

        public bool MoveFirst() => Open(_transaction.SelectForward<byte[], byte[]>(Table));

        public readonly bool MoveNext() => _rows!.MoveNext();

        public bool Seek(ReadOnlySpan<byte> key) => Open(_transaction.SelectForwardStartFrom<byte[], byte[]>(Table, key.ToArray(), true));

        public readonly void Dispose()
        {
            _rows?.Dispose();
            _transaction.Dispose();
        }

        private bool Open(IEnumerable<Row<byte[], byte[]>> rows)
        {
            _rows?.Dispose();
            _rows = rows.GetEnumerator();
            return _rows.MoveNext();
        }
    }

    private sealed class Writer(DBreezeEngine engine) : IStoreWriter
    {
        private Transaction? _transaction;

        public void Begin() => _transaction = engine.GetTransaction();

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _transaction!.Insert(Table, key.ToArray(), value.ToArray());

        public void Delete(ReadOnlySpan<byte> key) => _transaction!.RemoveKey(Table, key.ToArray());

        public void Commit()
        {
            _transaction!.Commit();
            _transaction.Dispose();
            _transaction = null;
        }

        public void Finish()
        {
        }

        public void Dispose() => _transaction?.Dispose();
    }
}
