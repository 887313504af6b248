using System.Globalization;
using Voron.Bench.Load;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// Durable transactions of one put at fixed rates: alone, beside checkpoints all the time, and beside a reader that is held. Latencies
/// count from when a transaction ought to have begun.
/// </summary>
internal static class LatencyVerb
{
    private const int Seconds = 6;
    private static readonly int[] Rates = [500, 2_000, 5_000];

    /// <summary>Checkpoints one after another.</summary>
    private static readonly StorageOptions Busy = new() { JournalSoftLimitBytes = 8 << 20 };

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
        [new Group("latency", "one put at fixed rates", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        List<Contender> contenders =
        [
            .. Rates.Select(rate => Of(run, rate, "default options", null, holdsReader: false)),
            .. Rates.Select(rate => Of(run, rate, "checkpoints all the time", Busy, holdsReader: false)),
            .. Rates.Select(rate => Of(run, rate, "reader held", null, holdsReader: true)),
        ];
        return new Contest(run, ProbeSize.OnePut with { Writes = 500 }).Run(contenders, Math.Min(2, run.Arguments.Rounds));
    }

    private static Contender Of(BenchRun run, int rate, string what, StorageOptions? options, bool holdsReader) => new(
        string.Create(CultureInfo.InvariantCulture, $"{rate:N0} tx/s, {what}"), OurStore.Name, "sync", "CommitMode.Durable", () =>
        {
            DataSet data = run.Data(run.Scaled(rate * Seconds, 50));
            string folder = run.Workspace.NextDatabase();
            OurStore store = new(folder, options: options);
            using IStoreWriter writer = store.OpenWriter();
            using ReadTransaction reader = holdsReader ? store.Environment.BeginRead() : default;
            using Meter meter = new(folder);
            OpenLoopResult result = OpenLoop.Real.Run(rate, data.Items, item =>
            {
                writer.Begin();
                writer.Put(data.Key(KeyOrder.Random, item), data.Value(item));
                writer.Commit();
            });
            meter.Stop(data.Items, result.FromSchedule);
            reader.Dispose();
            Demands.Whole("latency", store.Scan(), data);
            meter.Close(store);
            Measured measured = meter.ToMeasured();
            Workspace.Remove(folder);
            return measured with
            {
                Note = string.Create(
                    CultureInfo.InvariantCulture,
                    $"calls alone: p50 {result.CallOnly.Microseconds(0.5):N0} µs, p99 {result.CallOnly.Microseconds(0.99):N0} µs"),
            };
        });
}
