namespace Voron.Simulation.Schedules;

/// <summary>What a search tried.</summary>
internal sealed class SearchStatistics
{
    internal long Schedules { get; private set; }

    internal long Cuts { get; private set; }

    internal long Opens { get; private set; }

    internal long MostDecisions { get; private set; }

    /// <summary>Nothing is left to try.</summary>
    internal bool IsComplete { get; set; }

    internal void Add(ScheduleOutcome outcome)
    {
        Schedules++;
        Cuts += outcome.Tape.Cuts.Count;
        Opens += outcome.Opens;
        MostDecisions = Math.Max(MostDecisions, outcome.Decisions);
    }

    public override string ToString() =>
        $"schedules {Schedules}, distinct disks cut {Cuts}, databases opened after cuts and kills {Opens}, "
        + $"decisions up to {MostDecisions}, "
        + (IsComplete ? "complete" : "not complete");
}
