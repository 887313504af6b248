namespace Voron.Bench.Peers;

/// <summary>A transactional database of Berkeley DB, a B-tree. Durable: a commit writes the log and syncs it.</summary>
internal sealed class BerkeleyStore : PeerStore<BerkeleyReader>
{
    internal const string Name = "berkeley db";

    private const uint CacheBytes = 256 << 20;
    private const uint MostLocks = 200_000;
    private const int ModeOfNewFiles = 0x1A4; // 0644

    private readonly nint _environment;
    private readonly nint _database;

    internal BerkeleyStore(string folder)
    {
        Directory.CreateDirectory(folder);
        Demand("create an environment", BerkeleyCalls.CreateEnvironment(out _environment, 0));
        Demand("set its cache", BerkeleyCalls.SetCacheBytes(_environment, 0, CacheBytes, 1));
        Demand("set its locks", BerkeleyCalls.SetMostLocks(_environment, MostLocks));
        Demand("set its locks", BerkeleyCalls.SetMostLockedObjects(_environment, MostLocks));
        Demand("set its deadlock detection", BerkeleyCalls.SetDeadlockDetection(_environment, BerkeleyCalls.DetectDeadlocks));
        Demand("configure its log", BerkeleyCalls.ConfigureLog(_environment, BerkeleyCalls.RemoveOldLogs, 1));
        const uint Flags = BerkeleyCalls.Create | BerkeleyCalls.Transactional | BerkeleyCalls.Private | BerkeleyCalls.Threads
            | BerkeleyCalls.Recover;
        Demand("open an environment", BerkeleyCalls.OpenEnvironment(_environment, folder, Flags, ModeOfNewFiles));
        Demand("create a database", BerkeleyCalls.CreateDatabase(out _database, _environment, 0));
        const uint TreeFlags = BerkeleyCalls.Create | BerkeleyCalls.AutoCommit | BerkeleyCalls.Threads;
        Demand("open a database", BerkeleyCalls.OpenDatabase(_database, 0, "entries.db", 0, BerkeleyCalls.BTree, TreeFlags, 0));
    }

    public override IStoreWriter OpenWriter() => new BerkeleyWriter(_environment, _database);

    public override void Dispose()
    {
        Demand("close a database", BerkeleyCalls.CloseDatabase(_database, 0));
        Demand("make a checkpoint", BerkeleyCalls.Checkpoint(_environment, 0, 0, BerkeleyCalls.Force));
        Demand("close an environment", BerkeleyCalls.CloseEnvironment(_environment, 0));
    }

    internal static void Demand(string what, int error) => PeerException.Demand(Name, what, error);

    protected override BerkeleyReader OpenReader() => new(_database);
}
