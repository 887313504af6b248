using Voron.Bench.Peers.NuGet;
using Voron.Storage;

namespace Voron.Bench.Peers;

/// <summary>All stores, each set so that a commit is on the device before it returns.</summary>
internal static class StoreKinds
{
    internal const int MostInFlight = 64;

    /// <summary>RocksDB as most programs of .NET have it; its gates are against this one.</summary>
    internal const string RocksPackageName = "rocksdb (nuget)";

    private const string SqliteCache = "cache_size=-262144;mmap_size=2147483648";
    private const string Wal = "journal_mode=WAL;synchronous=FULL";
    internal const string SqliteSettings = $"{Wal};{SqliteCache}";
    private const string LsmSynced = "sync = true: log written and synced; the rest default";
    private const string LsmDefault = "sync = false: log written, not synced";
    private const string SqliteDefault = "journal_mode=DELETE, synchronous=FULL";

    private static readonly StoreOrigin SqliteOrigin = StoreOrigin.Debian("libsqlite3-0", SqliteCalls.Library);

    internal static readonly StoreKind Ours = new(
        OurStore.Name, "CommitMode.Durable, all options default", null, SharesCommits: true, static folder => new OurStore(folder));

    /// <summary>Confirmed later; a row of its own, never compared with a peer that waits.</summary>
    internal static readonly StoreKind OursAsync = Ours with
    {
        Name = OurStore.Name + " async",
        Durability = "CommitMode.Durable through CommitAsync, at most 64 not yet confirmed; the clock stops when all are",
        Open = static folder => new OurStore(folder, CommitMode.Durable, MostInFlight),
    };

    internal static readonly StoreKind Lmdb = new(
        LmdbStore.Name, "default: pages written, fdatasync, meta page written through", StoreOrigin.Debian("liblmdb0", LmdbCalls.Library),
        SharesCommits: false, static folder => new LmdbStore(folder));

    /// <summary>As its documentation asks for where a tree is larger than memory and is read at random.</summary>
    internal static readonly StoreKind LmdbWithoutReadAhead = Lmdb with
    {
        Name = "lmdb, no read-ahead",
        Durability = $"{Lmdb.Durability}; MDB_NORDAHEAD",
        Open = static folder => new LmdbStore(folder, LmdbCalls.NoReadAhead),
    };

    internal static readonly IReadOnlyList<StoreKind> Peers =
    [
        Lmdb,
        Lmdb with
        {
            Name = "lmdb writemap",
            Durability = "MDB_WRITEMAP: stores into the map, msync at commit",
            Open = static folder => new LmdbStore(folder, LmdbCalls.WriteMap),
        },
        Sqlite("sqlite wal", Wal),
        Sqlite("sqlite rollback", "journal_mode=DELETE;synchronous=FULL"),
        Sqlite("sqlite rollback extra", "journal_mode=DELETE;synchronous=EXTRA"),
        Lsm<LevelCalls>(LevelCalls.EngineName, StoreOrigin.Debian("libleveldb1d", LevelCalls.Library)),
        Lsm<RocksCalls>(RocksCalls.EngineName, StoreOrigin.Debian("librocksdb7.8", RocksCalls.Library)),
        new(
            BerkeleyStore.Name, "DB_TXN_SYNC (the default): log written and synced; cache 256 MiB",
            StoreOrigin.Debian("libdb5.3", BerkeleyCalls.Library), SharesCommits: true, static folder => new BerkeleyStore(folder)),
        new(
            RocksPackageName, LsmSynced, StoreOrigin.NuGet("RocksDB"), SharesCommits: true,
            static folder => new RocksPackage(folder, syncs: true))
        {
            Default = (LsmDefault, static folder => new RocksPackage(folder, syncs: false)),
        },
        new(
            "lightningdb (nuget)", "default: pages written, fdatasync, meta page written through", LightningPackage.Origin,
            SharesCommits: false, static folder => new LightningPackage(folder)),
        new(
            "microsoft.data.sqlite (nuget)", PragmasOf(Wal), StoreOrigin.NuGet("Microsoft.Data.Sqlite", "SQLite"),
            SharesCommits: false, static folder => new SqlitePackage(folder, SqliteSettings))
        {
            Default = (SqliteDefault, static folder => new SqlitePackage(folder, string.Empty)),
        },
        new(
            "litedb (nuget)", "its log is synced by the bench when a commit has returned; LiteDB itself never syncs it",
            StoreOrigin.NuGet("LiteDB"), SharesCommits: false, static folder => new LiteDbPackage(folder, syncsLog: true))
        {
            Default = ("log written, not synced", static folder => new LiteDbPackage(folder, syncsLog: false)),
        },
        new(
            "zonetree (nuget)", "WriteAheadLogMode.Sync, and SyncWALAsync after 100 upserts, which are no transaction",
            StoreOrigin.NuGet("ZoneTree"), SharesCommits: false, static folder => new ZoneTreePackage(folder, syncs: true))
        {
            Default = ("AsyncCompressed: log written some time later", static folder => new ZoneTreePackage(folder, syncs: false)),
        },
        new(
            "faster (nuget)", "a fold-over checkpoint of the log after 100 upserts, which are no transaction; a hash table, without order",
            StoreOrigin.NuGet("Microsoft.FASTER.Core"), SharesCommits: false,
            static folder => new FasterPackage(folder, takesCheckpoints: true))
        {
            Default = ("in memory until a checkpoint is asked for", static folder => new FasterPackage(folder, takesCheckpoints: false)),
            IsOrdered = false,
        },
        new(
            "dbreeze (nuget)", "default: rollback file and table written and synced", StoreOrigin.NuGet("DBreeze"), SharesCommits: false,
            static folder => new DBreezePackage(folder)),
    ];

    /// <summary>Ours first, then the peers.</summary>
    internal static readonly IReadOnlyList<StoreKind> All = [Ours, .. Peers];

    /// <summary>One of each library: how a peer commits changes nothing in how it reads.</summary>
    internal static readonly IReadOnlyList<StoreKind> Readers = [Ours, .. Peers.DistinctBy(static kind => kind.Origin)];

    /// <summary>The store of a name in a row.</summary>
    internal static StoreKind Find(string name) => All.Append(LmdbWithoutReadAhead).Single(kind => kind.Name == name);

    private static StoreKind Sqlite(string name, string settings) => new(
        name, PragmasOf(settings), SqliteOrigin, SharesCommits: false, folder => new SqliteStore(folder, $"{settings};{SqliteCache}"))
    {
        Default = (SqliteDefault, static folder => new SqliteStore(folder, string.Empty)),
    };

    private static string PragmasOf(string settings) =>
        $"PRAGMA {settings.Replace(";", ", ", StringComparison.Ordinal)}; cache 256 MiB, mapped reads";

    private static StoreKind Lsm<TCalls>(string name, StoreOrigin origin)
        where TCalls : ILsmCalls => new(
            name, LsmSynced, origin, SharesCommits: true, static folder => new LsmStore<TCalls>(folder, syncs: true))
        {
            Default = (LsmDefault, static folder => new LsmStore<TCalls>(folder, syncs: false)),
        };
}
