using Voron.Storage;

namespace Voron.Bench.Peers;

/// <summary>All stores, each set so that a commit is on the device before it returns.</summary>
internal static class StoreKinds
{
    internal const int MostInFlight = 64;

    private const string SqliteCache = "cache_size=-262144;mmap_size=2147483648";

    internal static readonly StoreKind Ours = new(
        OurStore.Name, "CommitMode.Durable, all options default", null, null, SharesCommits: true, static folder => new OurStore(folder));

    /// <summary>Confirmed later; a row of its own, never compared with a peer that waits.</summary>
    internal static readonly StoreKind OursAsync = Ours with
    {
        Name = OurStore.Name + " async",
        Durability = "CommitMode.Durable through CommitAsync, at most 64 not yet confirmed; the clock stops when all are",
        Open = static folder => new OurStore(folder, CommitMode.Durable, MostInFlight),
    };

    internal static readonly StoreKind Lmdb = new(
        LmdbStore.Name, "default: pages written, fdatasync, meta page written through", "liblmdb0", LmdbCalls.Library, SharesCommits: false,
        static folder => new LmdbStore(folder, writesThroughMap: false));

    internal static readonly IReadOnlyList<StoreKind> Peers =
    [
        Lmdb,
        Lmdb with
        {
            Name = "lmdb writemap",
            Durability = "MDB_WRITEMAP: stores into the map, msync at commit",
            Open = static folder => new LmdbStore(folder, writesThroughMap: true),
        },
        Sqlite("sqlite wal", "journal_mode=WAL;synchronous=FULL"),
        Sqlite("sqlite rollback", "journal_mode=DELETE;synchronous=FULL"),
        Sqlite("sqlite rollback extra", "journal_mode=DELETE;synchronous=EXTRA"),
        new(
            LevelCalls.Name, "sync = true: log written and synced; the rest default", "libleveldb1d", LevelCalls.Library,
            SharesCommits: true, static folder => new LsmStore<LevelCalls>(folder)),
        new(
            RocksCalls.Name, "sync = true: write-ahead log written and synced; the rest default", "librocksdb7.8", RocksCalls.Library,
            SharesCommits: true, static folder => new LsmStore<RocksCalls>(folder)),
        new(
            BerkeleyStore.Name, "DB_TXN_SYNC: log written and synced; cache 256 MiB", "libdb5.3", BerkeleyCalls.Library,
            SharesCommits: true, static folder => new BerkeleyStore(folder)),
    ];

    /// <summary>Ours first, then the peers.</summary>
    internal static readonly IReadOnlyList<StoreKind> All = [Ours, .. Peers];

    /// <summary>One of each library: how a peer commits changes nothing in how it reads.</summary>
    internal static readonly IReadOnlyList<StoreKind> Readers =
        [Ours, .. Peers.DistinctBy(static kind => kind.Library)];

    private static StoreKind Sqlite(string name, string settings) => new(
        name, $"PRAGMA {settings.Replace(";", ", ", StringComparison.Ordinal)}; cache 256 MiB, mapped reads", "libsqlite3-0",
        SqliteCalls.Library, SharesCommits: false, folder => new SqliteStore(folder, $"{settings};{SqliteCache}"));
}
