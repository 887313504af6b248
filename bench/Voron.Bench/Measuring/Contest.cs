using System.Globalization;
using Spectre.Console;

namespace Voron.Bench.Measuring;

/// <summary>
/// Runs contenders in turn, A-B-C-A-B-C, so that a slow minute of the machine hits all of them, each between two probes of the device.
/// Progress is one line after each round: a display that moves would take processor time from what is measured.
/// </summary>
internal sealed class Contest(BenchRun run, ProbeSize size)
{
    /// <summary>All probes so far.</summary>
    internal List<Probe> Probes { get; } = [];

    private double BestMicroseconds => Probes.Count == 0 ? 0 : Probes.Min(static probe => probe.Microseconds);

    /// <summary>The rows of all contenders, those that cannot run included.</summary>
    internal List<Row> Run(IReadOnlyList<Contender> contenders, int rounds)
    {
        List<Tally> tallies = [.. contenders.Select(contender => new Tally(contender, size))];
        foreach (Tally tally in tallies.Where(static tally => tally.IsOut))
        {
            AnsiConsole.WriteLine($"{tally.Contender.Name}, {tally.Contender.Engine}: skipped; {tally.Contender.Missing}");
        }

        for (int round = 1; round <= rounds; round++)
        {
            foreach (Tally tally in tallies.Where(static tally => !tally.IsOut && !tally.HasSaidEnough))
            {
                RunRound(tally, $"{round}/{rounds}");
            }
        }

        foreach (Tally tally in tallies.Where(static tally => !tally.IsOut && !tally.HasSaidEnough))
        {
            for (int disturbed = tally.TakeOutDisturbed(BestMicroseconds); disturbed > 0; disturbed--)
            {
                RunRound(tally, "again");
            }
        }

        return [.. tallies.Select(tally => tally.ToRow(BestMicroseconds))];
    }

    private void RunRound(Tally tally, string number)
    {
        run.AwaitCalm();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Probe before = run.Probe(size);
        Measured measured;
        try
        {
            measured = tally.Contender.Work();
        }
        catch (Exception failure) when (tally.Contender.IsPeer)
        {
            // A peer that fails is its own row's trouble; ours ends the run.
            AnsiConsole.WriteLine($"{tally.Contender.Name}, {tally.Contender.Engine}: {failure.Message}");
            tally.Fail(failure.Message);
            return;
        }

        Probe after = run.Probe(size);
        Probes.Add(before);
        Probes.Add(after);
        Round round = new(measured, before, after);
        tally.Add(round);
        double itemsPerSecond = measured.Items / measured.Seconds;
        string disturbed = round.IsDisturbed(BestMicroseconds) ? "  disturbed" : string.Empty;
        string ofLimit = size.ItemsPerWrite == 0
            ? string.Empty
            : string.Create(
                CultureInfo.InvariantCulture, $"{itemsPerSecond / round.WritesPerSecond / size.ItemsPerWrite,5:0.00} of the limit  ");
        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{number,5}  {tally.Contender.Name,-28} {tally.Contender.Engine,-22} {measured.Seconds * 1e3,9:N0} ms "
            + $"{itemsPerSecond,11:N0}/s  {ofLimit}probe {before.Microseconds:0} > {after.Microseconds:0} us"
            + $"{disturbed}{(measured.Note is null ? string.Empty : "  " + measured.Note)}"));
    }
}
