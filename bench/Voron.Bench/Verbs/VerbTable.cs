namespace Voron.Bench.Verbs;

/// <summary>All verbs in the order in which the usage tells of them.</summary>
internal static class VerbTable
{
    internal static readonly IReadOnlyList<Verb> All =
    [
        new("headline", "the raw limit, and 10,000 transactions of 100 puts: random synced and buffered, ascending synced (default)",
            HeadlineVerb.Run),
        new("raw", "the device alone: synced writes of all sizes, several in flight, growing files; the raw limits of 2013", RawVerb.Run),
        new("matrix", "every row of the matrix of 2013, in its order and line format", MatrixVerb.Run),
        new("io", "how they do it: write calls, syncs, bytes and seeks of a commit, by engine, from a trace of system calls", IoVerb.Run),
        new("durability", "how often a commit waits for the device, by default and as compared, of each store; from a trace",
            DurabilityVerb.Run),
        new("windows-sync", "1,000 transactions of one put on 0, 1 and 3 GB, beside LMDB: time and processor time", WindowsSyncVerb.Run),
        new("latency", "one put at fixed rates: latencies from when each ought to have begun; checkpoints, a reader held", LatencyVerb.Run),
        new("soak", "the same load for --minutes, with a line each minute and a whole check at the end", SoakVerb.Run),
        new("dotnet", "FileStream, RandomAccess and MemoryMappedFile for the bytes of the headline, and ours beside them", DotnetVerb.Run),
        new("peers", "ours beside LMDB, SQLite, LevelDB, RocksDB, Berkeley DB and stores of NuGet; workloads of all kinds", PeersVerb.Run),
        new("all", "all of these in one run that can be broken off and goes on (--json FILE)", AllVerb.Run),
        new("quick", "a little of it in three minutes; --counts-only: what is exact, demanded", QuickVerb.Run),
        new("report", "pages and charts of docs/results, and the README's block, from the file of a run (--json FILE)", ReportVerb.Run),
        new("reads", "random gets with one and two threads and of eight at once, full scan, positions, beside LMDB; managed bytes",
            ReadsVerb.Run),
        new("fills", "one transaction of random or ascending puts, or a bulk load, beside LMDB; pages over what was put in", FillsVerb.Run),
        new("commits", "asynchronous, shared and lazy commits, and those of many callers, against one caller and the limit",
            CommitsVerb.Run),
        new("readers", "beginning and ending snapshots; the headline beside one that is held", ReadersVerb.Run),
        new("server", "the sample server on loopback: 64 connections, one small durable put after another; rate and p99", ServerVerb.Run),
        new("sustain", "random puts that go on for minutes, beside RocksDB and LMDB: a line every 5 s; --kill: ours, and its recovery",
            SustainVerb.Run),
        new("multi", "multi-value trees beside LMDB's sorted duplicates: adds, room, lookups, walks; what they must reach", MultiVerb.Run),
        new("fixed", "fixed-size trees beside an ordered tree and LMDB's integer keys: appends, room, gets, sums; what they must reach",
            FixedVerb.Run),
        new("tables", "tables with three indexes beside SQLite and LiteDB: inserts, gets by an index, an index build beside a writer",
            TablesVerb.Run),
        new("cold", "gets, puts and a scan of a tree of four times the memory, beside LMDB: time and bytes read of each", ColdVerb.Run),
        new("checkpoint", "commits beside checkpoints, bytes to the device, a growing database, opening, memory, rest", CheckpointVerb.Run),
        new("huge", "transactions far beyond their memory, and a reader held while everything is overwritten: memory and files",
            HugeVerb.Run),
        new("history", "backup, restore, feed, dump and load of 4 M items, each with what it must reach", HistoryVerb.Run),
        new("replica", "a leader on NATS and on etcd beside the carrier and an engine alone, a follower, a leader that is killed",
            ReplicaVerb.Run),
        new("compact", "1 GB of which 90 % is deleted, compacted beside commits: length of the file, latency of the commits",
            CompactVerb.Run),
    ];

    internal static Verb? Find(string name) => All.FirstOrDefault(verb => verb.Name == name);
}
