using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Holes in what a checkpoint has just freed, cut at each of its calls; and holes beside large values that are placed, and freed again,
/// between the moment at which a checkpoint chose its snapshot and the one at which it looks for holes. Whatever a cut leaves is whole.
/// </summary>
internal static class HoleLane
{
    private const int StatesOfEachSeed = 10;
    private const int LeastBytes = 64 << 10;

    internal static CrashStatistics Run(long states)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List((int)Math.Clamp((states + StatesOfEachSeed - 1) / StatesOfEachSeed, 1, 1000)))
        {
            try
            {
                statistics.Workloads++;
                RunSeed(seed, statistics);
            }
            catch (Exception error)
            {
                string what = $"a hole and a large value, seed {seed}: {error.Message}";
                throw new CrashFailureException(what, error) { Oracle = "O3", Seed = seed };
            }
        }

        return statistics;
    }

    private static void RunSeed(ulong seed, CrashStatistics statistics)
    {
        var random = new SimRandom(SimRandom.Mix(seed, 6));
        if (seed % 3 == 0)
        {
            CutCheckpoint(seed, random, statistics);
            return;
        }

        int bytes = random.Between(LeastBytes, HoleScenario.PlacedBytes * 2);
        bool isFreed = seed % 3 == 2;
        using FaultRig rig = HoleScenario.EmptiedFile(seed);
        int least = rig.Acknowledged + (isFreed ? 0 : 1);
        Action change = isFreed ? () => HoleScenario.PlaceAndFree(rig, bytes) : () => rig.Commit(1, bytes);
        NumberedRows.Require(HoleScenario.DuringCheckpoint(rig, change), "the checkpoint wrote a header slot");
        NumberedRows.Require(NumberedRows.Read(rig.Environment) == least, "what was committed is there");
        SimSnapshot left = rig.Disk.Capture();
        for (int i = 0; i < StatesOfEachSeed; i++)
        {
            Open(left, i, random, least, rig.Acknowledged, statistics);
        }
    }

    /// <summary>Cuts the checkpoint that frees the middle of the file at each of its calls, and the one that gives it back.</summary>
    private static void CutCheckpoint(ulong seed, SimRandom random, CrashStatistics statistics)
    {
        using FaultRig rig = HoleScenario.FreedFile(seed);
        var moments = new List<SimSnapshot>();
        rig.Disk.OnCall = (_, phase) =>
        {
            if (phase == SimPhase.After)
            {
                moments.Add(rig.Disk.Capture());
            }
        };
        rig.Environment.Checkpoint();
        rig.Rewrite();
        rig.Environment.Checkpoint();
        rig.Disk.OnCall = null;
        NumberedRows.Require(rig.Environment.GetReport().PunchedBytes > 0, "there is a hole");
        for (int i = 0; i < moments.Count; i++)
        {
            Open(moments[i], random.Below(4), random, rig.Acknowledged, rig.Acknowledged, statistics);
        }
    }

    private static void Open(SimSnapshot left, int cut, SimRandom random, int least, int most, CrashStatistics statistics)
    {
        statistics.Tried++;
        statistics.Opens++;
        CutChoice choice = cut switch { 0 => CutChoice.None, 1 => CutChoice.All, _ => CutChoice.Random(random.Next()) };
        Open(left.Cut(choice), least, most);
    }

    /// <summary>Without the end of the value it is there, whole: recovery looks at it.</summary>
    private static void Open(SimDisk disk, int least, int most)
    {
        StorageOptions options = new() { Engine = new() { Disk = disk, Background = false } };
        using StorageEnvironment environment = StorageEnvironment.Open(NumberedRows.Folder, options);
        int rows = NumberedRows.Read(environment);
        NumberedRows.Require(rows >= least && rows <= most, $"{rows} rows instead of {least} to {most}");
        IReadOnlyList<CheckFinding> findings = environment.Check().Findings;
        NumberedRows.Require(findings.Count == 0, string.Join("; ", findings));
    }
}
