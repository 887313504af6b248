using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Outside;

/// <summary>
/// Readers in other processes: what they show is always a whole durable transaction, whatever the writer does meanwhile, and also
/// when another writer takes its place.
/// </summary>
internal static class OutsideLane
{
    private const int Steps = 160;

    internal static CrashStatistics Run(long states) => Run(states, compacts: false);

    /// <summary>The same beside a writer that compacts its file.</summary>
    internal static CrashStatistics RunCompacting(long states) => Run(states, compacts: true);

    private static CrashStatistics Run(long states, bool compacts)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List(1_000_000))
        {
            RunOne(seed, compacts, statistics);
            if (statistics.Tried >= states)
            {
                break;
            }
        }

        return statistics;
    }

    private static void RunOne(ulong seed, bool compacts, CrashStatistics statistics)
    {
        using OutsideWorld world = new(new SharedDisk(new SimDisk(seed)), "/db", seed, compacts);
        try
        {
            world.Run(Steps);
        }
        catch (Exception error) when (error is InvalidDataException or StorageException or InvalidOperationException)
        {
            throw new CrashFailureException($"O2: {error.Message} After {world.Story}; seed {seed}", error) { Oracle = "O2", Seed = seed };
        }

        statistics.Workloads++;
        statistics.Opens += world.Between + 1;
        statistics.Kills += world.Refused;
        statistics.Tried += world.Compared;
    }
}
