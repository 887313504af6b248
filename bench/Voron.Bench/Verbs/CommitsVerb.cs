using System.Globalization;
using Spectre.Console;
using Voron.Bench.Commits;
using Voron.Bench.Measuring;

namespace Voron.Bench.Verbs;

/// <summary>
/// Commits of all kinds: asynchronous ones against the limit, many callers against one, one put a transaction against the raw 4 KiB limit,
/// lazy ones, and small writes that share transactions. Every figure is printed with what it has to reach.
/// </summary>
internal static class CommitsVerb
{
    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group("commits", "all kinds", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        int transactions = run.Scaled(run.Arguments.Transactions, 20);
        CommitRow[] rows = [.. CommitRow.All(transactions)];
        CommitWork work = new(run.Workspace, run.Data(transactions * FillWorkload.ItemsPerTransaction));
        AnsiConsole.WriteLine("warming up");
        foreach (CommitRow row in rows)
        {
            WarmUp.Run(run.Arguments, () => work.Run(row));
        }

        for (int round = 1; round <= run.Arguments.Rounds; round++)
        {
            foreach (CommitRow row in rows)
            {
                run.AwaitCalm();
                Probe probe = run.Probe(ProbeSize.Headline with { WriteBytes = row.LimitWriteBytes });
                row.Rounds.Add(work.Run(row) with { LimitSeconds = probe.Seconds / probe.Writes });
            }

            AnsiConsole.WriteLine($"round {round}/{run.Arguments.Rounds}");
        }

        double one = rows.Single(static row => row.Kind == CommitKind.OneCaller).TransactionsPerSecond;
        foreach (CommitRow row in rows)
        {
            AnsiConsole.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{row.Name,-44} {row.TransactionsPerSecond,10:N0} tx/s  {row.OfLimit,5:0.00} of the limit  "
                + $"{row.TransactionsPerSecond / one,5:0.0} × one caller  {row.Group,5:0.0} tx/write  {row.Goal}"));
        }

        return
        [
            .. rows.Select(row => row.ToRow() with
            {
                Note = string.Create(CultureInfo.InvariantCulture, $"{row.TransactionsPerSecond / one:0.0} × one caller {row.Goal}"),
            }),
        ];
    }
}
