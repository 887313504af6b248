using Voron.Simulation.Tapes;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Small programs, a few for each protocol, whose schedules of two switches without need are few enough to try them all. As tapes, so that
/// what fails is repeated like any other schedule.
/// </summary>
internal static class SearchScenes
{
    private static readonly (ScheduleKind Kind, string Tape)[] Tapes =
    [
        (ScheduleKind.Commit, "commit 0;thread durable 1=40#1;thread buffered 2=40#2"),
        (ScheduleKind.Commit, "commit 0;thread durable 1=40#1;thread read 1"),
        (ScheduleKind.Commit, "commit 0;thread durable 1=40#1, durable 3=40#3;thread durable 2=40#2"),
        (ScheduleKind.Flush, "flush 2;thread checkpoint;thread read 1"),
        (ScheduleKind.Release, "release 1;thread durable 1=40#1, durable 1=30#2;thread read 1"),
        (ScheduleKind.Release, "release 2;thread checkpoint;thread lazy 1=40#1, lazy 1=30#2"),
        (ScheduleKind.Recycle, "recycle 2;thread checkpoint;thread durable 1=200#1"),
        (ScheduleKind.Dispose, "dispose 1;thread read 1;thread read 1"),
        (ScheduleKind.Grow, "grow 3;thread checkpoint;thread durable 4=200000#1"),
        (ScheduleKind.Grow, "grow 1;thread durable 4=200000#1;thread read 1"),
        (ScheduleKind.Chain, "chain 3;thread read 2;thread rollbackmoved -1"),
    ];

    internal static IEnumerable<ScheduleProgram> Of(ScheduleKind kind) =>
        Tapes.Where(scene => scene.Kind == kind).Select(static scene => DecisionTape.Parse(scene.Tape).Program);

    /// <summary>The protocols that are searched.</summary>
    internal static IEnumerable<ScheduleKind> Kinds => Tapes.Select(static scene => scene.Kind).Distinct();
}
