using System.Diagnostics;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Verbs;

/// <summary>
/// LMDB on Windows once paid for the size of the file in every commit. Here: 1,000 transactions of one put on databases of 0, 1 and 3 GB,
/// time and processor time, ours and LMDB's.
/// </summary>
internal static class WindowsSyncVerb
{
    private const int LargeValueBytes = 1_000;
    private const int ItemsPerTransaction = 10_000;
    private const double Gigabyte = 1e9;

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
        StoreKinds.All
            .Where(static kind => kind.IsOurs || kind.Origin == StoreKinds.Lmdb.Origin)
            .Where(kind => run.Arguments.WantsEngine(kind.Name))
            .Select(static kind => new Group("windows-sync", $"1,000 x 1 put, {kind.Name}", run => Measure(run, kind)));

    /// <summary>
    /// One database that grows; its sizes come one after another, so they are not interleaved, but have probes around them. Between growing
    /// and measuring it is closed: asked for is what the size costs, not what is left to do of the growing.
    /// </summary>
    private static List<Row> Measure(BenchRun run, StoreKind kind)
    {
        if (kind.InstallLine is { } line)
        {
            return [Row.Skipped("1,000 x 1 put", kind.Name, "sync", line)];
        }

        string folder = run.Workspace.NextDatabase();
        List<Row> rows = [];
        long items = 0;
        double full = run.Arguments.Megabytes * 1e6 * Math.Min(1, run.Arguments.Scale);
        DataSet values = run.Data(ItemsPerTransaction, LargeValueBytes);
        DataSet small = run.Data(run.Scaled(1_000, 20));
        foreach (double bytes in (double[])[0, full / 3, full])
        {
            using (IStore growing = kind.Open(folder))
            using (IStoreWriter fill = growing.OpenWriter())
            {
                Grow(fill, values, ref items, bytes);
            }

            using IStore store = kind.Open(folder);
            using IStoreWriter writer = store.OpenWriter();
            Contender contender = new(
                $"1 put at {bytes / Gigabyte:0.0} GB", kind.Name, "sync", kind.Durability, () => PutSingly(folder, writer, small))
            {
                Version = kind.Version,
            };
            contender.Work();
            rows.AddRange(new Contest(run, ProbeSize.OnePut).Run([contender], run.Arguments.Rounds));
        }

        using (IStore store = kind.Open(folder))
        {
            Demands.Count("a grown database", store.Scan().Entries, items + small.Items);
        }

        Workspace.Remove(folder);
        double empty = rows[0].Seconds;
        return [.. rows.Select(row => row with { Note = $"{row.Seconds / empty:0.00} of the time on an empty one" })];
    }

    private static void Grow(IStoreWriter writer, DataSet values, ref long items, double bytes)
    {
        byte[] key = GC.AllocateArray<byte>(DataSet.KeyBytes, pinned: true);
        while (items * LargeValueBytes < bytes)
        {
            writer.Begin();
            for (int i = 0; i < ItemsPerTransaction; i++)
            {
                // Ascending and below every random key that begins with a larger byte; both kinds meet in the same tree.
                System.Buffers.Binary.BinaryPrimitives.WriteInt64BigEndian(key, items++);
                writer.Put(key, values.Value(i));
            }

            writer.Commit();
        }
    }

    private static Measured PutSingly(string folder, IStoreWriter writer, DataSet small)
    {
        Latencies latencies = new(small.Items);
        using Meter meter = new(folder);
        long last = Stopwatch.GetTimestamp();
        for (int item = 0; item < small.Items; item++)
        {
            writer.Begin();
            writer.Put(small.Key(KeyOrder.Random, item), small.Value(item));
            writer.Commit();
            long now = Stopwatch.GetTimestamp();
            latencies.Add(last, now);
            last = now;
        }

        meter.Stop(small.Items, latencies);
        return meter.ToMeasured();
    }
}
