namespace Voron.Simulation.Schedules;

/// <summary>Who runs next: a strategy, or the tape of an earlier run.</summary>
internal interface IDecisions
{
    /// <summary>
    /// The place in the list of the thread that runs next. The list has two or more threads; the first one is the thread that ran last, if
    /// it still can run, and the others follow in the order of their start. So zero means: no switch without need.
    /// </summary>
    int Choose(IReadOnlyList<ScheduledThread> ready, bool lastCanGoOn);
}
