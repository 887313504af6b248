using System.Diagnostics;
using Voron.Bench.Measuring;
using Voron.Simulation.Blocks;
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Simulation.Fuzz;
using Voron.Simulation.Kills;
using Voron.Simulation.Schedules;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Tests.Stress;

namespace Voron.Soak;

/// <summary>
/// Tries fresh seeds until the time is over: in each round every part once. What it tried is one line of the ledger, so that sums over
/// many runs survive.
/// </summary>
internal static class Soak
{
    /// <summary>Seeds of one round; the lanes take them one after another and never as many.</summary>
    private const ulong SeedsPerRound = 100_000;

    /// <summary>Many, for a lane stops between workloads, and what the last of them tried beyond its number counts for nothing.</summary>
    private const long StatesPerRound = 24_000;
    private const int SchedulesPerRound = 3_000;
    private const int KillsPerRound = 20;
    private const int FileSetsPerRound = 20_000;
    private const int CutsPerRound = 200;
    private const long OperationsPerRound = 2_000_000;
    private const int OperationsPerSeed = 100_000;
    private const int LivesPerRound = 10;
    private static readonly TimeSpan StressLifeTime = TimeSpan.FromSeconds(2);

    /// <summary>What a round is made of. Another kind of trial is one more line.</summary>
    private static readonly SoakPart[] Parts =
    [
        .. EngineLanes.All.Select(static lane => new SoakPart(lane.Name, (_, tally) => CrashLane(lane, tally))),
        .. Enum.GetValues<ScheduleKind>().Select(static kind => new SoakPart($"schedules {kind}", (_, tally) => Schedules(kind, tally))),
        new("kills", KillProcesses),
        new("fuzz", FuzzFiles),
        new("operations", Operate),
        new("stress", Stress),
        .. BlockFileSystem.All.Where(static _ => BlockTools.ArePossible)
            .Select(static system => new SoakPart($"blocks {system.Name}", (seed, tally) => CutPower(system, seed, tally))),
    ];

    /// <param name="time">How long; a part that has begun ends.</param>
    /// <param name="ledger">The file that gets a line.</param>
    /// <param name="only">How the names of the parts begin that are to be tried.</param>
    internal static int Run(TimeSpan time, string ledger, string only = "")
    {
        long start = Stopwatch.GetTimestamp();
        ulong first = (ulong)Random.Shared.NextInt64(1, 1L << 40) * SeedsPerRound;
        ulong seed = first;
        SoakTally tally = new();
        SoakPart[] parts = [.. Parts.Where(part => part.Name.StartsWith(only, StringComparison.Ordinal))];
        if (parts.Length == 0)
        {
            Console.Error.WriteLine($"No part begins with '{only}', or this machine cannot run it.");
            return 2;
        }

        while (tally.Findings == 0 && Stopwatch.GetElapsedTime(start) < time)
        {
            foreach (SoakPart part in parts.TakeWhile(_ => Stopwatch.GetElapsedTime(start) < time))
            {
                Try(part, seed, tally);
            }

            seed += SeedsPerRound;
        }

        if (!File.Exists(ledger))
        {
            File.WriteAllText(ledger, SoakTally.Head + "\n");
        }

        string line = tally.LineOf(SourceCommit.Read(), first, seed - 1);
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
            Console.WriteLine($"{part.Name}: {tally.Counts} so far");
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

    private static void FuzzFiles(ulong seed, SoakTally tally)
    {
        FuzzCrew crew = new(seed, FileSetsPerRound);
        crew.Run();
        tally.FileSets += crew.Tally.Sets;
        if (crew.Findings.Count > 0)
        {
            throw new InvalidDataException(string.Join("\n\n", crew.Findings));
        }
    }

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

    /// <summary>All operations of trees against a sorted dictionary, as in OperationTests, which repeats a seed.</summary>
    private static void Operate(ulong seed, SoakTally tally)
    {
        int[] pages = [4096, 8192, 16384, 32768, 65536];
        int trials = (int)(OperationsPerRound / OperationsPerSeed);
        Parallel.For(0, trials, trial =>
        {
            int number = (int)((seed + (ulong)trial) % int.MaxValue);
            int pageBytes = pages[trial % pages.Length];
            using OperationRun run = new(number, pageBytes);
            try
            {
                run.Run(OperationsPerSeed);
            }
            catch (Exception error)
            {
                string where = $"VORON_SEED={number} VORON_OPERATIONS={OperationsPerSeed}, pages of {pageBytes}";
                throw new InvalidDataException($"{where}: {error.Message}", error);
            }

            tally.AddOperations(run.Operations);
        });
    }

    /// <summary>Snapshots under real threads, as in StressTests, which repeats a seed as far as threads repeat.</summary>
    private static void Stress(ulong seed, SoakTally tally)
    {
        for (int i = 0; i < LivesPerRound; i++)
        {
            using StressLife life = new((int)((seed + (ulong)i) % int.MaxValue));
            life.Run(StressLifeTime);
            tally.StressReads += life.Reads;
            tally.StressSnapshots += life.Snapshots;
        }
    }

    private static void CutPower(BlockFileSystem system, ulong seed, SoakTally tally) =>
        tally.Cuts += BlockLane.Run(system, CutsPerRound, seed).Cuts;
}
