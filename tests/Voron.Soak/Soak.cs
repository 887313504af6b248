using System.Diagnostics;
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Simulation.Kills;
using Voron.Simulation.Schedules;

namespace Voron.Soak;

/// <summary>
/// Tries fresh seeds until the time is over: in each round every part once. What it tried is one line of the ledger, so that sums over
/// many runs survive.
/// </summary>
internal static class Soak
{
    /// <summary>Seeds of one round; the lanes take them one after another and never as many.</summary>
    private const ulong SeedsPerRound = 100_000;

    private const long StatesPerRound = 6_000;
    private const int SchedulesPerRound = 3_000;
    private const int KillsPerRound = 20;

    /// <summary>What a round is made of. Another kind of trial is one more line.</summary>
    private static readonly SoakPart[] Parts =
    [
        .. EngineLanes.All.Select(static lane => new SoakPart(lane.Name, (_, tally) => CrashLane(lane, tally))),
        .. Enum.GetValues<ScheduleKind>().Select(static kind => new SoakPart($"schedules {kind}", (_, tally) => Schedules(kind, tally))),
        new("kills", KillProcesses),
    ];

    internal static int Run(TimeSpan time, string ledger)
    {
        long start = Stopwatch.GetTimestamp();
        ulong first = (ulong)Random.Shared.NextInt64(1, 1L << 40) * SeedsPerRound;
        ulong seed = first;
        SoakTally tally = new();
        while (tally.Findings == 0 && Stopwatch.GetElapsedTime(start) < time)
        {
            foreach (SoakPart part in Parts.TakeWhile(_ => Stopwatch.GetElapsedTime(start) < time))
            {
                Try(part, seed, tally);
            }

            seed += SeedsPerRound;
        }

        if (!File.Exists(ledger))
        {
            File.WriteAllText(ledger, SoakTally.Head + "\n");
        }

        string line = tally.LineOf(Commit(), first, seed - 1);
        File.AppendAllText(ledger, line + "\n");
        Console.WriteLine(SoakTally.Head);
        Console.WriteLine(line);
        return tally.Findings == 0 ? 0 : 1;
    }

    private static void Try(SoakPart part, ulong seed, SoakTally tally)
    {
        SimSeed.Offset = seed;
        try
        {
            part.Run(seed, tally);
            Console.WriteLine($"{part.Name}: {tally.States} states, {tally.Schedules} schedules, {tally.Kills} kills so far");
        }
        catch (Exception error)
        {
            // Whatever it was, a person has to look at it: assertions of the test library as well as the lanes' own failures.
            tally.Findings++;
            Console.WriteLine($"FOUND by {part.Name}, seeds from {seed + 1}: {error}");
        }
    }

    private static void CrashLane(EngineLane lane, SoakTally tally)
    {
        CrashStatistics statistics = lane.Run(lane.OwnStates(StatesPerRound));
        tally.States += statistics.Counted;
    }

    private static void Schedules(ScheduleKind kind, SoakTally tally) =>
        tally.Schedules += ScheduleLane.Run(kind, SchedulesPerRound).Distinct;

    private static void KillProcesses(ulong seed, SoakTally tally)
    {
        string folder = Directory.CreateTempSubdirectory("voron-soak-").FullName;
        try
        {
            KillLoop loop = new(folder, seed);
            while (loop.Kills < KillsPerRound)
            {
                loop.KillOnce();
                tally.Kills++;
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>The commit that is tried; a plus says that the working copy differs from it.</summary>
    private static string Commit()
    {
        string commit = Git("rev-parse", "--short", "HEAD");
        return commit + (Git("status", "--porcelain", "--untracked-files=no").Length > 0 ? "+" : string.Empty);
    }

    private static string Git(params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo("git", arguments) { RedirectStandardOutput = true })!;
        string said = process.StandardOutput.ReadToEnd().Trim();
        process.WaitForExit();
        return process.ExitCode == 0 ? said : "unknown";
    }
}
