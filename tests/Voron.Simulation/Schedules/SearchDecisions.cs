namespace Voron.Simulation.Schedules;

/// <summary>
/// The decisions of a search: given ones first, and then no switch without need. What else could have been chosen is kept, to be tried.
/// </summary>
internal sealed class SearchDecisions(IReadOnlyList<byte> given) : IDecisions
{
    private readonly List<(int Ready, bool LastCanGoOn)> _made = [];

    /// <summary>For every decision, how many threads could run, and whether a switch there was one without need.</summary>
    internal IReadOnlyList<(int Ready, bool LastCanGoOn)> Made => _made;

    /// <summary>Whether some of the given decisions are still to come.</summary>
    internal bool Repeats => _made.Count < given.Count;

    public int Choose(IReadOnlyList<ScheduledThread> ready, bool lastCanGoOn)
    {
        int choice = Repeats ? given[_made.Count] : 0;
        if (choice >= ready.Count)
        {
            throw new InvalidOperationException($"Decision {_made.Count} was between more than {choice} threads, and now is not.");
        }

        _made.Add((ready.Count, lastCanGoOn));
        return choice;
    }
}
