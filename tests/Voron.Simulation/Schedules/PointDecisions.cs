using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Switches often at a few kinds of points, chosen by chance for the run, and hardly ever at others: windows between two steps of a
/// protocol are few among thousands of locks and disk calls.
/// </summary>
internal sealed class PointDecisions : IDecisions
{
    private const int OneInElsewhere = 30;

    private static readonly SchedulingPoint[] Points =
    [
        SchedulingPoint.Leave, SchedulingPoint.Wait, SchedulingPoint.Publish, SchedulingPoint.Register, SchedulingPoint.Reclaim,
        SchedulingPoint.Disk, SchedulingPoint.Caller,
    ];

    private readonly SimRandom _random;
    private readonly HashSet<SchedulingPoint> _chosen = [];
    private readonly int _oneIn;

    private static readonly SchedulingPoint[] ChainPoints =
    [
        .. Points, SchedulingPoint.Lookup, SchedulingPoint.Chain, SchedulingPoint.Chain, SchedulingPoint.Chain,
    ];

    internal PointDecisions(ulong seed, bool exploresChains = false)
    {
        SchedulingPoint[] points = exploresChains ? ChainPoints : Points;
        _random = new SimRandom(seed);
        _oneIn = _random.Between(1, 3);
        int kinds = _random.Between(1, 4);
        for (int i = 0; i < kinds; i++)
        {
            _chosen.Add(points[_random.Below(points.Length)]);
        }
    }

    public int Choose(IReadOnlyList<ScheduledThread> ready, bool lastCanGoOn)
    {
        if (!lastCanGoOn)
        {
            return _random.Below(ready.Count);
        }

        int oneIn = _chosen.Contains(ready[0].Point) ? _oneIn : OneInElsewhere;
        return _random.OneIn(oneIn) ? 1 + _random.Below(ready.Count - 1) : 0;
    }
}
