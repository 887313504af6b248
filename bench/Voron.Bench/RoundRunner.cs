using System.Globalization;
using Spectre.Console;

namespace Voron.Bench;

/// <summary>
/// Runs fills in turn, A-B-C-A-B-C, so that a slow minute of the machine hits all of them, each between two probes of the device.
/// Progress is one line after each round: a display that moves would take processor time from what is measured.
/// </summary>
internal sealed class RoundRunner(Workspace workspace, RawLimit limit, DataSet data)
{
    private const int WarmUpTransactions = 1_000;

    /// <summary>All probes of the run.</summary>
    internal List<Probe> Probes { get; } = [];

    internal void Run(IReadOnlyList<FillRow> rows, int rounds)
    {
        AnsiConsole.WriteLine("warming up");
        foreach (FillRow row in rows)
        {
            FillWorkload workload = row.Workload;
            WarmUp(workload with { Transactions = Math.Min(WarmUpTransactions, workload.Transactions) });
        }

        for (int round = 1; round <= rounds; round++)
        {
            foreach (FillRow row in rows)
            {
                RunRound(row, $"{round}/{rounds}");
            }
        }

        while (rows.Any(row => row.WantsRepeat))
        {
            foreach (FillRow row in rows.Where(row => row.WantsRepeat))
            {
                row.TakeOutDisturbed();
                RunRound(row, "again");
            }
        }
    }

    /// <summary>The first transactions run code that is not compiled to its end yet; they count for nothing.</summary>
    private void WarmUp(FillWorkload workload)
    {
        string folder = workspace.NextDatabase();
        Fill.Run(folder, workload, data);
        Fill.Verify(folder, workload, data);
        Workspace.Remove(folder);
    }

    private void RunRound(FillRow row, string number)
    {
        FillWorkload workload = row.Workload;
        string folder = workspace.NextDatabase();
        Probe before = limit.Measure();
        FillResult fill = Fill.Run(folder, workload, data);
        Probe after = limit.Measure();
        Probes.Add(before);
        Probes.Add(after);
        Round round = new(fill, before, after);
        row.Add(round);
        Report(workload, round, number);
        Fill.Verify(folder, workload, data);
        Workspace.Remove(folder);
    }

    private static void Report(FillWorkload workload, Round round, string number)
    {
        double itemsPerSecond = workload.Items / round.Fill.Seconds;
        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{number,5}  {workload.Name,-25} {round.Fill.Seconds * 1e3,8:N0} ms {itemsPerSecond,11:N0} ops/s  "
            + $"{itemsPerSecond / round.LimitItemsPerSecond:0.00} of the limit  "
            + $"probe {round.Before.Microseconds:0} > {round.After.Microseconds:0} us  "
            + $"close {round.Fill.CloseSeconds * 1e3:N0} ms{(round.Disturbed ? "  disturbed" : string.Empty)}"));
    }
}
