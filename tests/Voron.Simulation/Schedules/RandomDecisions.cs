namespace Voron.Simulation.Schedules;

/// <summary>
/// Switches by chance, each run with its own inclination to stay: from a switch at nearly every point to a few in the whole run.
/// </summary>
internal sealed class RandomDecisions : IDecisions
{
    private static readonly int[] SwitchOneIn = [1, 2, 4, 12, 40];

    private readonly SimRandom _random;
    private readonly int _oneIn;

    internal RandomDecisions(ulong seed)
    {
        _random = new SimRandom(seed);
        _oneIn = SwitchOneIn[_random.Below(SwitchOneIn.Length)];
    }

    public int Choose(IReadOnlyList<ScheduledThread> ready, bool lastCanGoOn) =>
        lastCanGoOn && !_random.OneIn(_oneIn) ? 0 : _random.Below(ready.Count);
}
