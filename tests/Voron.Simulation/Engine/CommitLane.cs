using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>Commits in every mode and in every way, mixed: what they promise is different, what they leave is not.</summary>
internal static class CommitLane
{
    internal static CrashStatistics Run(long states)
    {
        WorkloadOptions mixed = EngineLanes.Small with
        {
            BufferedOneIn = 4, LazyOneIn = 3, BigTransactionBytes = 20 << 10, OverflowPuts = 2,
        };
        WorkloadOptions lazy = mixed with { BufferedOneIn = 0, LazyOneIn = 2 };
        WorkloadOptions durable = mixed with { BufferedOneIn = 0, LazyOneIn = 0 };
        return EngineLanes.RunSeeds(
            states,
            EngineLanes.Options,
            seed => Workload.Generate(seed, (seed % 3) switch { 0 => mixed, 1 => lazy, _ => durable }),
            new EngineSubject(variesCommits: true, isCold: true));
    }
}
