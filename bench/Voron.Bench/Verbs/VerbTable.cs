namespace Voron.Bench.Verbs;

/// <summary>All verbs in the order in which the usage tells of them.</summary>
internal static class VerbTable
{
    internal static readonly IReadOnlyList<Verb> All =
    [
        new("headline", "the raw limit, and 10,000 transactions of 100 puts: random synced and buffered, ascending synced (default)",
            HeadlineVerb.Run),
        new("raw", "the device alone: one synced write after another, 4 to 64 KiB", RawVerb.Run),
        new("peers", "ours beside LMDB, SQLite, LevelDB, RocksDB and Berkeley DB; workloads of all kinds", PeersVerb.Run),
        new("reads", "random gets with one and two threads and of eight at once, full scan, positions, beside LMDB; managed bytes",
            ReadsVerb.Run),
        new("fills", "one transaction of random or ascending puts, or a bulk load, beside LMDB; pages over what was put in", FillsVerb.Run),
        new("checkpoint", "commits beside checkpoints, bytes to the device, a growing database, opening, memory, rest", CheckpointVerb.Run),
        new("huge", "transactions far beyond their memory, and a reader held while everything is overwritten: memory and files", HugeVerb.Run),
    ];

    internal static Verb? Find(string name) => All.FirstOrDefault(verb => verb.Name == name);
}
