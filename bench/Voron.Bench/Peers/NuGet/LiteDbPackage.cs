using LiteDB;
using Microsoft.Win32.SafeHandles;

namespace Voron.Bench.Peers.NuGet;

/// <summary>
/// LiteDB: a collection of documents with the key as their id. It has no setting that makes a commit wait for the device: a commit is in
/// its log, which it never syncs. Where a commit has to wait, the log is synced from here when the commit returns.
/// </summary>
internal sealed class LiteDbPackage : PeerStore<LiteDbPackage.Reader>
{
    private readonly LiteDatabase _database;
    private readonly ILiteCollection<BsonDocument> _entries;
    private readonly SafeFileHandle? _log;

    internal LiteDbPackage(string folder, bool syncsLog)
    {
        Directory.CreateDirectory(folder);
        _database = new LiteDatabase(new ConnectionString { Filename = Path.Combine(folder, "entries.db") });
        _entries = _database.GetCollection("entries");
        if (syncsLog)
        {
            // Made by the library when it needs it first, and kept until the database is closed.
            _log = File.OpenHandle(
                Path.Combine(folder, "entries-log.db"), FileMode.OpenOrCreate, FileAccess.ReadWrite,
                FileShare.ReadWrite | FileShare.Delete);
        }
    }

    public override IStoreWriter OpenWriter() => new Writer(_database, _entries, _log);

    public override void Dispose()
    {
        _log?.Dispose();
        _database.Dispose();
    }

    protected override Reader OpenReader() => new(_entries);

    internal struct Reader(ILiteCollection<BsonDocument> entries) : IStoreReader
    {
        private IEnumerator<BsonDocument>? _found;

        public readonly ReadOnlySpan<byte> Key => _found!.Current["_id"].AsBinary;

        public readonly ReadOnlySpan<byte> Value => ValueOf(_found!.Current);

        public readonly bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
        {
            BsonDocument? found = entries.FindById(key.ToArray());
            value = found is null ? default : ValueOf(found);
            return found is not null;
        }

        public bool MoveFirst() => Open(entries.FindAll());

        public readonly bool MoveNext() => _found!.MoveNext();

        public bool Seek(ReadOnlySpan<byte> key) => Open(entries.Find(Query.GTE("_id", key.ToArray())));

        public readonly void Dispose() => _found?.Dispose();

        private static byte[] ValueOf(BsonDocument document) => document["value"].AsBinary;

        private bool Open(IEnumerable<BsonDocument> found)
        {
            _found?.Dispose();
            _found = found.GetEnumerator();
            return _found.MoveNext();
        }
    }

    private sealed class Writer(LiteDatabase database, ILiteCollection<BsonDocument> entries, SafeFileHandle? log) : IStoreWriter
    {
        public void Begin() => database.BeginTrans();

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
            entries.Upsert(new BsonDocument { ["_id"] = key.ToArray(), ["value"] = value.ToArray() });

        public void Delete(ReadOnlySpan<byte> key) => entries.Delete(key.ToArray());

        public void Commit()
        {
            database.Commit();
            if (log is not null)
            {
                RandomAccess.FlushToDisk(log);
            }
        }

        public void Finish()
        {
        }

        public void Dispose()
        {
        }
    }
}
