using Spectre.Console;

namespace Voron.Bench.Verbs;

/// <summary>The device alone: one synced write after another, in sizes from 4 to 64 KiB.</summary>
internal static class RawVerb
{
    private static readonly int[] SizesInKiB = [4, 8, 12, 16, 24, 32, 48, 64];

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        using RawLimit limit = new(workspace.Root);
        WarnAboutCache(limit);
        limit.Measure();

        List<Probe> probes = [];
        for (int round = 1; round <= arguments.Rounds; round++)
        {
            probes.AddRange(SizesInKiB.Select(size => limit.Measure(size << 10)));
            AnsiConsole.WriteLine($"round {round}/{arguments.Rounds}");
        }

        Row[] rows = [.. probes.GroupBy(probe => probe.WriteBytes).Select(RowOf)];
        RowTable.WriteRaw(rows);
        JsonReport.Write(arguments.JsonPath, rows);
        return 0;
    }

    internal static void WarnAboutCache(RawLimit limit)
    {
        if (!limit.IsDirect)
        {
            AnsiConsole.MarkupLine("[yellow]warning: this file system does not go past its cache; "
                    + "the limit is that of writes through it.[/]");
        }
    }

    private static Row RowOf(IGrouping<int, Probe> probes) => Row.Timed(
        $"raw write {probes.Key >> 10} KiB", "device", "sync", RawLimit.WritesPerProbe, probes.Select(static probe => probe.Seconds)) with
    {
        P50Microseconds = Spread.Of(probes.Select(probe => probe.P50Microseconds)).Median,
        P99Microseconds = Spread.Of(probes.Select(probe => probe.P99Microseconds)).Median,
        BytesPerCommit = probes.Key,
        WritesPerCommit = 1,
        SyncsPerCommit = 0,
    };
}
