namespace Voron.Simulation.Schedules;

/// <summary>
/// The decisions of a tape, and after its end no switch without need. A number that is too large for the threads at hand counts as the last
/// of them, so every tape is a schedule.
/// </summary>
internal sealed class TapeDecisions(IReadOnlyList<int> choices) : IDecisions
{
    private int _next;

    public int Choose(IReadOnlyList<ScheduledThread> ready, bool lastCanGoOn) =>
        _next < choices.Count ? Math.Min(choices[_next++], ready.Count - 1) : 0;
}
