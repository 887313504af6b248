using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Holes beside large values that are placed, and freed again, between the moment at which a checkpoint chose its snapshot and the one at
/// which it looks for holes. Whatever a cut leaves then holds every value whole.
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
        int bytes = random.Between(LeastBytes, HoleScenario.PlacedBytes * 2);
        bool isFreed = seed % 2 == 0;
        using FaultRig rig = HoleScenario.EmptiedFile(seed);
        int least = rig.Acknowledged + (isFreed ? 0 : 1);
        Action change = isFreed ? () => HoleScenario.PlaceAndFree(rig, bytes) : () => rig.Commit(1, bytes);
        NumberedRows.Require(HoleScenario.DuringCheckpoint(rig, change), "the checkpoint wrote a header slot");
        NumberedRows.Require(NumberedRows.Read(rig.Environment) == least, "what was committed is there");
        SimSnapshot left = rig.Disk.Capture();
        for (int i = 0; i < StatesOfEachSeed; i++)
        {
            CutChoice cut = i switch
            {
                0 => CutChoice.None,
                1 => CutChoice.All,
                _ => CutChoice.Random(random.Next()),
            };
            statistics.Tried++;
            statistics.Opens++;
            Open(left.Cut(cut), least, rig.Acknowledged);
        }
    }

    /// <summary>Without the end of the value it is there, whole: recovery looks at it.</summary>
    private static void Open(SimDisk disk, int least, int most)
    {
        StorageOptions options = new() { Storage = disk, Background = false };
        using StorageEnvironment environment = StorageEnvironment.Open(NumberedRows.Folder, options);
        int rows = NumberedRows.Read(environment);
        NumberedRows.Require(rows >= least && rows <= most, $"{rows} rows instead of {least} to {most}");
        IReadOnlyList<CheckFinding> findings = environment.Check().Findings;
        NumberedRows.Require(findings.Count == 0, string.Join("; ", findings));
    }
}
