using Voron.Simulation.Crashes;

namespace Voron.Simulation.Toys;

/// <summary>
/// The smallest engine that can keep its promises: one log of checksummed, chained transactions, read whole at open. It exists to show
/// that the crash tests pass what is right
/// and catch what is not.
/// </summary>
internal sealed class ToyLogSubject(ToySabotage sabotage = ToySabotage.None) : ICrashSubject
{
    public ICrashSession Open(SimDisk disk) => new ToyLogSession(disk, sabotage);

    public string? FindLitter(IReadOnlyList<string> paths) =>
        paths.FirstOrDefault(path => path.EndsWith(".new", StringComparison.Ordinal));
}
