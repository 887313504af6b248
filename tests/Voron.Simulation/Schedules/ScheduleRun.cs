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
            _ => new PointDecisions(own),
        };
        return Run(program, decisions, cuts: null, own);
    }

    internal static ScheduleOutcome Replay(DecisionTape tape) => Run(tape.Program, new TapeDecisions(tape.Choices), tape.Cuts, seed: 0);

    private static ScheduleOutcome Run(ScheduleProgram program, IDecisions decisions, IReadOnlyList<ScheduleCut>? cuts, ulong seed)
    {
        (SimDisk disk, Model model) = ScheduleBase.Copy(program.Base);
        var scheduler = new TokenScheduler(decisions);
        var world = new ScheduleWorld(program, disk, model, scheduler);
        var taken = new ScheduleCuts(disk, () => world.Bounds, cuts, Cuts, seed);
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
                ScheduleCuts.Open(disk.Cut(CutChoice.None), model, least, model.LastTransaction, "a power cut after the end");
                opens++;
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
