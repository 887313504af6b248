using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Raw;

namespace Voron.Bench.Verbs;

/// <summary>
/// The device alone: synced writes of all sizes, several in flight, growing files; and the raw limits as 2013 measured them.
/// </summary>
internal static class RawVerb
{
    private const string Section = "raw";
    private static readonly int[] SizesInKiB = [4, 8, 12, 16, 24, 32, 48, 64];

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) =>
    [
        new Group(Section, "sizes", MeasureSizes),
        new Group(Section, "device", static run =>
            new Contest(run, ProbeSize.Short).Run(new DeviceFunction(run).Contenders(), run.Arguments.Rounds)),
        .. OperatingSystem.IsLinux()
            ? [new Group(Section, "2013", static run =>
                new Contest(run, ProbeSize.Headline).Run(new OldProbes(run).Contenders(), OldRounds(run)))]
            : Array.Empty<Group>(),
    ];

    internal static void WarnAboutCache(RawLimit limit)
    {
        if (!limit.IsDirect)
        {
            AnsiConsole.MarkupLine("[yellow]warning: this file system does not go past its cache; "
                    + "the limit is that of writes through it.[/]");
        }
    }

    /// <summary>They write gigabytes before they begin; two rounds tell.</summary>
    private static int OldRounds(BenchRun run) => Math.Min(2, run.Arguments.Rounds);

    private static List<Row> MeasureSizes(BenchRun run)
    {
        List<Probe> probes = [];
        for (int round = 1; round <= run.Arguments.Rounds; round++)
        {
            run.AwaitCalm();
            probes.AddRange(SizesInKiB.Select(size => run.Limit.Measure(size << 10, run.Scaled(RawLimit.WritesPerProbe, 20))));
        }

        return [.. probes.GroupBy(probe => probe.WriteBytes).Select(RowOf)];
    }

    private static Row RowOf(IGrouping<int, Probe> probes) => Row.Timed(
        $"raw write {probes.Key >> 10} KiB", "device", "sync", probes.First().Writes, probes.Select(static probe => probe.Seconds)) with
    {
        P50Microseconds = Spread.Of(probes.Select(probe => probe.P50Microseconds)).Median,
        P99Microseconds = Spread.Of(probes.Select(probe => probe.P99Microseconds)).Median,
        BytesPerCommit = probes.Key,
        WritesPerCommit = 1,
        SyncsPerCommit = 0,
    };
}
