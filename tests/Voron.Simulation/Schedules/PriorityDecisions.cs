namespace Voron.Simulation.Schedules;

/// <summary>
/// Probabilistic concurrency testing: every thread has a priority by chance, the highest one that can run does, and at a few points by
/// chance the running thread falls below all others. A bug that needs d orderings to meet is found with a probability that does not shrink
/// with the length of the run to the power of anything but d − 1.
/// </summary>
internal sealed class PriorityDecisions : IDecisions
{
    private const int LeastChanges = 2, MostChanges = 5;
    private const int LeastLength = 5, MostLength = 9;

    private readonly SimRandom _random;
    private readonly HashSet<int> _changes = [];
    private readonly Dictionary<int, long> _priorities = [];
    private int _decision;
    private long _lowest;

    internal PriorityDecisions(ulong seed)
    {
        _random = new SimRandom(seed);
        int length = 1 << _random.Between(LeastLength, MostLength);
        int changes = _random.Between(LeastChanges, MostChanges);
        for (int i = 0; i < changes; i++)
        {
            _changes.Add(_random.Below(length));
        }
    }

    public int Choose(IReadOnlyList<ScheduledThread> ready, bool lastCanGoOn)
    {
        if (_changes.Contains(_decision++) && lastCanGoOn)
        {
            _priorities[ready[0].Number] = --_lowest;
        }

        int best = 0;
        for (int i = 1; i < ready.Count; i++)
        {
            best = PriorityOf(ready[i]) > PriorityOf(ready[best]) ? i : best;
        }

        return best;
    }

    private long PriorityOf(ScheduledThread thread)
    {
        if (!_priorities.TryGetValue(thread.Number, out long priority))
        {
            _priorities.Add(thread.Number, priority = (long)(_random.Next() >> 2));
        }

        return priority;
    }
}
