using Spectre.Console;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>The raw limit, the headline synced and buffered with one caller, and the ascending fill.</summary>
internal static class HeadlineVerb
{
    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        AnsiConsole.WriteLine("making keys and values, and the file of the probe");
        FillRow synced = new(new FillWorkload(KeyOrder.Random, CommitMode.Durable, arguments.Transactions));
        FillRow buffered = new(new FillWorkload(KeyOrder.Random, CommitMode.Buffered, arguments.Transactions));
        FillRow ascending = new(new FillWorkload(KeyOrder.Ascending, CommitMode.Durable, arguments.Transactions));
        DataSet data = new(synced.Workload.Items, arguments.Seed);
        using RawLimit limit = new(workspace.Root);
        RawVerb.WarnAboutCache(limit);
        limit.Measure();

        RoundRunner runner = new(workspace, limit, data);
        runner.Run([synced, buffered, ascending], arguments.Rounds);

        Row syncedRow = synced.ToRow();
        Row bufferedRow = buffered.ToRow();
        Row[] rows = [RawRow(runner.Probes), syncedRow, bufferedRow, ascending.ToRow()];
        RowTable.WriteFills(rows);
        Explain();
        AnsiConsole.WriteLine(ResultLine.Of(bufferedRow));
        AnsiConsole.WriteLine(ResultLine.Of(syncedRow));
        JsonReport.Write(arguments.JsonPath, rows);
        return 0;
    }

    /// <summary>All probes, before and after in turn, as one row: its items are those that the writes would have carried.</summary>
    private static Row RawRow(List<Probe> probes)
    {
        Spread seconds = Spread.Of(probes.Select(probe => probe.Seconds));
        return new Row
        {
            Name = "raw limit, 100 items a write",
            Engine = "device",
            Mode = "sync",
            Items = RawLimit.WritesPerProbe * RawLimit.ItemsPerWrite,
            Seconds = seconds.Median,
            SecondsMin = seconds.Min,
            SecondsMax = seconds.Max,
            P50Microseconds = Spread.Of(probes.Select(probe => probe.P50Microseconds)).Median,
            P99Microseconds = Spread.Of(probes.Select(probe => probe.P99Microseconds)).Median,
            BytesPerCommit = RawLimit.HeadlineWriteBytes,
            WritesPerCommit = 1,
            SyncsPerCommit = 0,
            RatioToLimit = 1,
            LimitItemsPerSecond = RawLimit.WritesPerProbe * RawLimit.ItemsPerWrite / seconds.Median,
            ProbeBeforeMicroseconds = Spread.Of(probes.Where((_, place) => place % 2 == 0).Select(probe => probe.Microseconds)).Median,
            ProbeAfterMicroseconds = Spread.Of(probes.Where((_, place) => place % 2 == 1).Select(probe => probe.Microseconds)).Median,
            Rounds = probes.Count,
        };
    }

    private static void Explain() => AnsiConsole.WriteLine(
        """
        limit     write-through writes of 12,288 bytes, one in flight, 100 items in each; before and after each round, the faster counts
        p50, p99  a whole transaction, from its begin to the return of its commit
        bytes, writes, syncs   of the journal, per commit
        close     milliseconds of the closing checkpoint, not part of the time; each database was then reopened and compared
        sync      CommitMode.Durable, the default: on the device when the commit returns
        buff      CommitMode.Buffered: out of the process when the commit returns, the device is not asked to flush
        2013      fill rnd buff 10,000 tx 161,812 ms 6,180 ops / sec; tuned 6,340, then 8,078 (history, on hardware of that time)
        2013      its device alone 147,201 ops / sec: one sequential write and flush of 11,600 bytes for each 100 items

        """);
}
