using Voron.Simulation.Schedules;

namespace Voron.Simulation.Tapes;

/// <summary>
/// Makes a failing tape small by delta debugging: leaves out steps of the program, cuts, and switches (choices that are not zero), in ever
/// smaller pieces, as long as the run still breaks the same oracle.
/// </summary>
internal sealed class TapeShrinker
{
    private const int MostRuns = 400;

    /// <summary>A run that hangs leaves its threads behind, so few of them are tried.</summary>
    private const int MostHangs = 30;

    private readonly string _oracle;
    private ScheduleOutcome _best;
    private int _runs;

    private TapeShrinker(ScheduleOutcome failed)
    {
        _oracle = failed.Failure!.Oracle;
        _best = failed;
    }

    internal static ScheduleOutcome Shrink(ScheduleOutcome failed)
    {
        var shrinker = new TapeShrinker(failed);
        string before;
        do
        {
            before = shrinker._best.Tape.ToString();
            shrinker.Reduce(static tape => tape.Cuts.Count, WithoutCuts);
            shrinker.Reduce(static tape => tape.Program.Threads.Sum(static steps => steps.Count), WithoutSteps);
            shrinker.Reduce(static tape => tape.Choices.Count(static choice => choice != 0), WithoutSwitches);
        }
        while (shrinker._best.Tape.ToString() != before && !shrinker.IsTired);
        return shrinker._best;
    }

    private bool IsTired => _runs >= (_oracle == "Liveness" ? MostHangs : MostRuns);

    private static DecisionTape WithoutCuts(DecisionTape tape, int from, int count) =>
        tape with { Cuts = [.. tape.Cuts.Where((_, i) => i < from || i >= from + count)] };

    private static DecisionTape WithoutSteps(DecisionTape tape, int from, int count)
    {
        int number = 0;
        List<IReadOnlyList<ScheduleStep>> threads = [];
        foreach (IReadOnlyList<ScheduleStep> steps in tape.Program.Threads)
        {
            List<ScheduleStep> kept = [.. steps.Where(_ => number++ is int i && (i < from || i >= from + count))];
            threads.Add(kept);
        }

        return tape with { Program = tape.Program with { Threads = threads } };
    }

    private static DecisionTape WithoutSwitches(DecisionTape tape, int from, int count)
    {
        int number = 0;
        return tape with
        {
            Choices = [.. tape.Choices.Select(choice =>
                choice != 0 && number++ is int i && i >= from && i < from + count ? 0 : choice)],
        };
    }

    /// <summary>Tries without each half of the parts, then each quarter, and so on; what fails without a part goes on without it.</summary>
    private void Reduce(Func<DecisionTape, int> partsOf, Func<DecisionTape, int, int, DecisionTape> without)
    {
        for (int piece = partsOf(_best.Tape); piece > 0 && !IsTired; piece /= 2)
        {
            for (int from = 0; from < partsOf(_best.Tape) && !IsTired;)
            {
                _runs++;
                ScheduleOutcome tried = ScheduleRun.Replay(without(_best.Tape, from, piece));
                if (tried.Failure?.Oracle == _oracle)
                {
                    // What was chosen after the failure's cause is noted anew by every run.
                    _best = tried;
                }
                else
                {
                    from += piece;
                }
            }
        }
    }
}
