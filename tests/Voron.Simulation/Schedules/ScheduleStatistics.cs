namespace Voron.Simulation.Schedules;

/// <summary>What a lane of schedules tried. Schedules are distinct when their threads ran in another order of points.</summary>
internal sealed class ScheduleStatistics
{
    private readonly HashSet<Hash128> _paths = [];

    internal long Schedules { get; private set; }

    internal long Distinct => _paths.Count;

    internal long Cuts { get; private set; }

    internal long Opens { get; private set; }

    internal long Switches { get; private set; }

    internal long Decisions { get; private set; }

    internal void Add(ScheduleOutcome outcome)
    {
        Schedules++;
        _paths.Add(outcome.Path);
        Cuts += outcome.Tape.Cuts.Count;
        Opens += outcome.Opens;
        Switches += outcome.Switches;
        Decisions += outcome.Decisions;
    }

    public override string ToString() =>
        $"schedules {Schedules}, distinct {Distinct}, cuts inside {Cuts}, databases opened after cuts and kills {Opens}, "
        + $"context switches {Switches}, decisions {Decisions}";
}
