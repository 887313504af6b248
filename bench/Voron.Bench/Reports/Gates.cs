using System.Globalization;
using System.Text;
using Voron.Bench.Peers;
using Voron.Bench.Workloads;

namespace Voron.Bench.Reports;

/// <summary>What a whole run must reach, from its rows. Ratios are of rows that were measured together.</summary>
internal static class Gates
{
    private const string Ours = OurStore.Name;
    private const string Async = OurStore.Name + " async";
    private const string Headline = WorkloadTable.Headline;
    private const string Ascending = "fill seq sync 10,000 tx";
    private const string OnePut = "one put per tx";
    private const string Writers = "16 writers, one put per tx";
    private const string ManyPuts = "16 writers, 100 puts per tx";
    private const string RandomOnce = "1,000,000 rnd in one tx";
    private const string AscendingOnce = "1,000,000 seq in one tx";
    private const string Get = "read rnd, 1 thread";
    private const string Gets = "read rnd, 2 threads";
    private const string Scan = ReadKinds.Scan;
    private const string Seek = ReadKinds.Position;

    internal static readonly IReadOnlyList<Gate> All =
    [
        Floor("random fill, of the raw limit", 0.45, 0.55, static rows => Find(rows, Headline, Ours)?.RatioToLimit),
        Floor("random fill, times LMDB", 4, 8, static rows => Ratio(rows, Headline, Ours, Headline, LmdbStore.Name)),
        Floor("random fill, times LevelDB", 1.6, 2.5, static rows => Ratio(rows, Headline, Ours, Headline, LevelCalls.EngineName)),
        Floor("random fill, times RocksDB", 1.6, 2.5, static rows => Ratio(rows, Headline, Ours, Headline, RocksCalls.EngineName)),
        Floor("random fill, times RocksDB of NuGet", 2.5, 3.2,
            static rows => Ratio(rows, Headline, Ours, Headline, StoreKinds.RocksPackageName)),
        Floor("asynchronous, of the raw limit", 1, 2, static rows => Find(rows, Headline, Async)?.RatioToLimit),
        Floor("asynchronous, times LMDB", 8, 8, static rows => Ratio(rows, Headline, Async, Headline, LmdbStore.Name)),
        Floor("asynchronous, times LevelDB with 16 writers", 1.6, 4,
            static rows => Ratio(rows, Headline, Async, ManyPuts, LevelCalls.EngineName)),
        Floor("asynchronous, times RocksDB with 16 writers", 1.6, 4,
            static rows => Ratio(rows, Headline, Async, ManyPuts, RocksCalls.EngineName)),
        Floor("ascending fill, of the raw limit", 0.65, 0.8, static rows => Find(rows, Ascending, Ours)?.RatioToLimit),
        Floor("ascending fill, times the best peer", 1.6, 1.6, static rows => OverBestPeer(rows, Ascending)),
        Floor("one put, of the raw 4 KiB limit", 0.75, 0.9, static rows => Find(rows, OnePut, Ours)?.RatioToLimit),
        Floor("16 callers, times one", 6, 8, static rows => Ratio(rows, Writers, Ours, OnePut, Ours)),
        Floor("random, all in one transaction, times LMDB", 1.2, 2,
            static rows => Ratio(rows, RandomOnce, Ours, RandomOnce, LmdbStore.Name)),
        Floor("ascending, all in one transaction, times LMDB", 1, 2,
            static rows => Ratio(rows, AscendingOnce, Ours, AscendingOnce, LmdbStore.Name)),
        Floor("random get, times LMDB", 1.3, 2.5, static rows => Ratio(rows, Get, Ours, Get, LmdbStore.Name)),
        Floor("random gets a second", 2e6, 3e6, static rows => Find(rows, Get, Ours)?.ItemsPerSecond),
        Floor("two threads, times one", 1.9, 2.1, static rows => Ratio(rows, Gets, Ours, Get, Ours)),
        Floor("full scan, times LMDB", 1.5, 3, static rows => Ratio(rows, Scan, Ours, Scan, LmdbStore.Name)),
        Floor("scanned items a second", 25e6, 60e6, static rows => Find(rows, Scan, Ours)?.ItemsPerSecond),
        Floor("positions a second", 5e5, 2e6, static rows => Find(rows, Seek, Ours)?.ItemsPerSecond),
        Ceiling("bytes to the device a random insert", 1024, 614, static rows => Find(rows, Headline, Ours)?.DeviceBytesPerItem),
        Ceiling("the same, of LMDB's", 0.125, 0.125, static rows =>
            Find(rows, Headline, Ours)?.DeviceBytesPerItem / Find(rows, Headline, LmdbStore.Name)?.DeviceBytesPerItem),
        Ceiling("commit on the largest database, of an empty one", 1.2, 1.05, Growth),
        Floor("headline beside a held reader, of without", 0.9, 0.97,
            static rows => Ratio(rows, "headline, a reader held", Ours, "headline", Ours)),
        Ceiling("bytes of the largest commit write, random GUID", 16_384, 12_288, static rows =>
            rows.FirstOrDefault(static row => row is { Section: "io", Group: "random GUID, 100 B", Engine: Ours })?.LargestWriteBytes),
    ];

    /// <summary>All of them as a table.</summary>
    internal static string Table(IReadOnlyList<Row> rows)
    {
        StringBuilder text = new("| gate | must | goal | reached | verdict |\n|---|---:|---:|---:|---|\n");
        foreach (Gate gate in All)
        {
            double? figure = gate.Figure(rows);
            string bound = gate.IsCeiling ? "≤" : "≥";
            text.Append(CultureInfo.InvariantCulture, $"| {gate.Name} | {bound} {gate.Must:#,0.###} | {bound} {gate.Goal:#,0.###} | ");
            text.Append(CultureInfo.InvariantCulture, $"{figure:#,0.####} | {gate.Verdict(figure)} |\n");
        }

        return text.ToString();
    }

    private static Gate Floor(string name, double must, double goal, Func<IReadOnlyList<Row>, double?> figure) =>
        new(name, must, goal, IsCeiling: false, figure);

    private static Gate Ceiling(string name, double must, double goal, Func<IReadOnlyList<Row>, double?> figure) =>
        new(name, must, goal, IsCeiling: true, figure);

    /// <summary>A row that was measured beside those that it is compared with; other sections have rows of the same names.</summary>
    private static Row? Find(IReadOnlyList<Row> rows, string name, string engine) => rows.FirstOrDefault(
        row => row.Section is "peers" or "readers" && row.Name == name && row.Engine == engine && row.Seconds > 0);

    private static double? Ratio(IReadOnlyList<Row> rows, string name, string engine, string otherName, string otherEngine) =>
        Find(rows, name, engine)?.ItemsPerSecond / Find(rows, otherName, otherEngine)?.ItemsPerSecond;

    private static double? OverBestPeer(IReadOnlyList<Row> rows, string name)
    {
        double best = rows
            .Where(row => row.Name == name && row.Section == "peers" && !row.Engine.StartsWith(Ours, StringComparison.Ordinal))
            .Select(static row => row.ItemsPerSecond).DefaultIfEmpty(0).Max();
        return best == 0 ? null : Find(rows, name, Ours)?.ItemsPerSecond / best;
    }

    private static double? Growth(IReadOnlyList<Row> rows)
    {
        List<Row> sizes = [.. rows.Where(static row => row is { Section: "windows-sync", Engine: Ours })];
        return sizes.Count < 2 ? null : sizes[^1].Seconds / sizes[0].Seconds;
    }
}
