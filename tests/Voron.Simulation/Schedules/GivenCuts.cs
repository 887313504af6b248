using Voron.Simulation.Crashes;

namespace Voron.Simulation.Schedules;

/// <summary>The cuts of a tape.</summary>
internal sealed class GivenCuts(SimDisk disk, Func<CrashBounds> bounds, IReadOnlyList<ScheduleCut> given) : ScheduleCuts(disk, bounds)
{
    private readonly Dictionary<long, ulong> _seeds = given.DistinctBy(static cut => cut.Moment)
        .ToDictionary(static cut => cut.Moment, static cut => cut.Seed);

    protected override void Look()
    {
        if (_seeds.TryGetValue(Moment, out ulong seed))
        {
            Copies.Add((new ScheduleCut(Moment, seed), Capture(), Bounds));
        }
    }
}
