using Voron.Simulation.Crashes;
using Voron.Simulation.Tapes;

namespace Voron.Simulation.Schedules;

/// <summary>Runs one schedule from its first decision to the last oracle.</summary>
internal static class ScheduleRun
{
    private const int Cuts = 2;

    /// <summary>A new schedule of this kind; everything in it follows from the seed.</summary>
    internal static ScheduleOutcome Fresh(ScheduleKind kind, ulong seed)
    {
        ScheduleProgram program = ScheduleProgram.Generate(kind, seed);
        ulong own = SimRandom.Mix(seed, (ulong)kind + 1);
        IDecisions decisions = (own % 3) switch
        {
            0 => new RandomDecisions(own),
            1 => new PriorityDecisions(own),
            _ => new PointDecisions(own, program.ExploresChains),
        };
        return Run(program, decisions, (disk, world) => new ChanceCuts(disk, () => world.Bounds, Cuts, own));
    }

    internal static ScheduleOutcome Replay(DecisionTape tape) => Run(
        tape.Program, new TapeDecisions(tape.Choices), (disk, world) => new GivenCuts(disk, () => world.Bounds, tape.Cuts));

    /// <summary>One schedule of a search, cut wherever that leaves what no schedule before has left.</summary>
    internal static ScheduleOutcome Search(ScheduleProgram program, SearchDecisions decisions, HashSet<Hash128> seen) => Run(
        program,
        decisions,
        (disk, world) => new DistinctCuts(disk, () => world.Bounds, seen, () => decisions.Repeats, () => world.History));

    private static ScheduleOutcome Run(
        ScheduleProgram program, IDecisions decisions, Func<SimDisk, ScheduleWorld, ScheduleCuts> cutsOf)
    {
        (SimDisk disk, Model model) = ScheduleBase.Copy(program.Base);
        var scheduler = new TokenScheduler(decisions, program.ExploresChains);
        var world = new ScheduleWorld(program, disk, model, scheduler);
        ScheduleCuts taken = cutsOf(disk, world);
        scheduler.OnMoment = _ => taken.Note();
        disk.OnCall = (_, phase) =>
        {
            if (phase is SimPhase.Inside or SimPhase.Issued)
            {
                taken.Note();
            }
        };
        CrashFailureException? failure = scheduler.Run(world.Main);
        disk.OnCall = null;
        int opens = 0;
        try
        {
            if (failure is null)
            {
                opens = taken.Judge(model);
                long least = world.IsClosedCleanly ? model.LastTransaction : world.Bounds.LeastAfterCut;
                opens += taken.JudgeEnd(model, least);
            }
        }
        catch (CrashFailureException broken)
        {
            failure = broken;
        }

        var tape = new DecisionTape(program, scheduler.Choices, [.. taken.Taken]);
        Hash128 hash = scheduler.Hash.Then(disk.TraceHash).Then((ulong)opens).Then((ulong)model.LastTransaction);
        return new ScheduleOutcome(tape, failure, scheduler.Hash, hash, scheduler.Switches, scheduler.Choices.Count, opens);
    }
}
