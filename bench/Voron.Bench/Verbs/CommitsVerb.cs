using System.Globalization;
using Spectre.Console;
using Voron.Bench.Commits;

namespace Voron.Bench.Verbs;

/// <summary>
/// Commits of all kinds: asynchronous ones against the limit, many callers against one, one put a transaction against the raw 4 KiB limit,
/// lazy ones, and small writes that share transactions. Every figure is printed with what it has to reach.
/// </summary>
internal static class CommitsVerb
{
    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        using RawLimit limit = new(workspace.Root);
        RawVerb.WarnAboutCache(limit);
        DataSet data = new(arguments.Transactions * FillWorkload.ItemsPerTransaction, arguments.Seed);
        CommitRow[] rows = [.. CommitRow.All(arguments.Transactions)];
        CommitWork work = new(workspace, data);
        AnsiConsole.WriteLine("warming up");
        foreach (CommitRow row in rows)
        {
            work.Run(row with { Transactions = Math.Min(row.Transactions, 500) });
        }

        for (int round = 1; round <= arguments.Rounds; round++)
        {
            foreach (CommitRow row in rows)
            {
                double probe = limit.Measure(row.LimitWriteBytes).Seconds / RawLimit.WritesPerProbe;
                row.Rounds.Add(work.Run(row) with { LimitSeconds = probe });
            }

            AnsiConsole.WriteLine($"round {round}/{arguments.Rounds}");
        }

        double one = rows.Single(static row => row.Kind == CommitKind.OneCaller).TransactionsPerSecond;
        foreach (CommitRow row in rows)
        {
            AnsiConsole.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{row.Name,-44} {row.TransactionsPerSecond,10:N0} tx/s  {row.OfLimit,5:0.00} of the limit  "
                + $"{row.TransactionsPerSecond / one,5:0.0} × one caller  {row.Group,5:0.0} tx/write  {row.Goal}"));
        }

        JsonReport.Write(arguments.JsonPath, [.. rows.Select(static row => row.ToRow())]);
        return 0;
    }
}
