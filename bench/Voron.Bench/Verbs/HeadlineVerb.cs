using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>The raw limit, the headline synced and buffered with one caller, and the ascending fill.</summary>
internal static class HeadlineVerb
{
    private const int WarmUpTransactions = 4_000;

    internal static int Run(Arguments arguments)
    {
        using BenchRun run = new(arguments);
        List<Row> rows = Measure(run);
        RowTable.WriteFills(rows);
        Explain();
        AnsiConsole.WriteLine(ResultLine.Of(rows[2]));
        AnsiConsole.WriteLine(ResultLine.Of(rows[1]));
        JsonReport.Write(arguments.JsonPath, rows);
        return 0;
    }

    internal static List<Row> Measure(BenchRun run)
    {
        int transactions = run.Scaled(run.Arguments.Transactions);
        FillWorkload[] workloads =
        [
            new FillWorkload(KeyOrder.Random, CommitMode.Durable, transactions),
            new FillWorkload(KeyOrder.Random, CommitMode.Buffered, transactions),
            new FillWorkload(KeyOrder.Ascending, CommitMode.Durable, transactions),
        ];
        DataSet data = run.Data(transactions * FillWorkload.ItemsPerTransaction);

        // The first transactions run code that is not compiled to its end yet; they count for nothing.
        AnsiConsole.WriteLine("warming up");
        foreach (FillWorkload workload in workloads)
        {
            Fill(run, workload with { Transactions = Math.Min(WarmUpTransactions, transactions) }, data);
        }

        Contest contest = new(run, ProbeSize.Headline);
        List<Row> rows = contest.Run(
            [.. workloads.Select(workload => new Contender(
                workload.Name, OurStore.Name, workload.ModeName, $"CommitMode.{workload.Mode}", () => Fill(run, workload, data)))],
            run.Arguments.Rounds);
        return [RawRow(contest.Probes), .. rows];
    }

    private static Measured Fill(BenchRun run, FillWorkload workload, DataSet data)
    {
        string folder = run.Workspace.NextDatabase();
        Measured measured = Bench.Fill.Run(folder, workload, data);
        Bench.Fill.Verify(folder, workload, data);
        Workspace.Remove(folder);
        return measured;
    }

    /// <summary>All probes, before and after in turn, as one row: its items are those that the writes would have carried.</summary>
    private static Row RawRow(List<Probe> probes)
    {
        Row row = Row.Timed(
            "raw limit, 100 items a write", "device", "sync", RawLimit.WritesPerProbe * RawLimit.ItemsPerWrite,
            probes.Select(probe => probe.Seconds));
        return row with
        {
            P50Microseconds = Spread.Of(probes.Select(probe => probe.P50Microseconds)).Median,
            P99Microseconds = Spread.Of(probes.Select(probe => probe.P99Microseconds)).Median,
            BytesPerCommit = RawLimit.HeadlineWriteBytes,
            WritesPerCommit = 1,
            SyncsPerCommit = 0,
            RatioToLimit = 1,
            LimitItemsPerSecond = row.ItemsPerSecond,
            ProbeBeforeMicroseconds = Spread.Of(probes.Where((_, place) => place % 2 == 0).Select(probe => probe.Microseconds)).Median,
            ProbeAfterMicroseconds = Spread.Of(probes.Where((_, place) => place % 2 == 1).Select(probe => probe.Microseconds)).Median,
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
