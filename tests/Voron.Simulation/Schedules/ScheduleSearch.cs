using Voron.Simulation.Crashes;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Bounded depth-first search: every schedule of a program with at most so many switches without need, the ones with fewer switches first.
/// A schedule is the choices at its beginning, and after them nobody is interrupted; what else could have been chosen there makes the next
/// ones. Where a thread sleeps or ends anybody may go on, which costs nothing. So each schedule comes exactly once, and the search ends.
/// </summary>
internal sealed class ScheduleSearch
{
    private const int AtATime = 2;

    /// <summary>Runs that are started together; their order, and so the first failure, does not depend on who is faster.</summary>
    private const int Batch = 32;

    private readonly ScheduleProgram _program;
    private readonly Stack<byte[]>[] _open;
    private readonly HashSet<Hash128> _seen = [];

    private ScheduleSearch(ScheduleProgram program, int switches)
    {
        _program = program;
        _open = [.. Enumerable.Range(0, switches + 1).Select(static _ => new Stack<byte[]>())];
        _open[0].Push([]);
    }

    /// <param name="program">What the threads do.</param>
    /// <param name="switches">The most switches without need.</param>
    /// <param name="most">After so many schedules the search ends, complete or not.</param>
    /// <param name="statistics">Counts what is tried.</param>
    /// <returns>The first schedule that failed, or null.</returns>
    internal static ScheduleOutcome? Run(ScheduleProgram program, int switches, long most, SearchStatistics statistics)
    {
        var search = new ScheduleSearch(program, switches);
        long before = statistics.Schedules;
        while (search.Take() is { Count: > 0 } batch)
        {
            if (statistics.Schedules - before >= most)
            {
                statistics.IsComplete = false;
                return null;
            }

            if (search.RunAll(batch, statistics) is { } failed)
            {
                return failed;
            }
        }

        return null;
    }

    private List<(byte[] Given, int Switches)> Take()
    {
        List<(byte[] Given, int Switches)> batch = [];
        int level = Array.FindIndex(_open, static stack => stack.Count > 0);
        while (level >= 0 && batch.Count < Batch && _open[level].TryPop(out byte[]? given))
        {
            batch.Add((given, level));
        }

        return batch;
    }

    private ScheduleOutcome? RunAll(List<(byte[] Given, int Switches)> batch, SearchStatistics statistics)
    {
        var runs = new (SearchDecisions Decisions, ScheduleOutcome Outcome)[batch.Count];
        Parallel.For(0, batch.Count, new ParallelOptions { MaxDegreeOfParallelism = AtATime }, i =>
        {
            var decisions = new SearchDecisions(batch[i].Given);
            runs[i] = (decisions, ScheduleRun.Search(_program, decisions, _seen));
        });
        for (int i = 0; i < runs.Length; i++)
        {
            statistics.Add(runs[i].Outcome);
            if (runs[i].Outcome.Failure is not null)
            {
                return runs[i].Outcome;
            }

            Open(runs[i].Decisions, runs[i].Outcome.Tape.Choices, batch[i].Given.Length, batch[i].Switches);
        }

        return null;
    }

    /// <summary>Notes all schedules that part from this one at one decision behind the given ones.</summary>
    private void Open(SearchDecisions decisions, IReadOnlyList<int> choices, int given, int switches)
    {
        for (int at = given; at < decisions.Made.Count; at++)
        {
            (int ready, bool lastCanGoOn) = decisions.Made[at];
            int cost = switches + (lastCanGoOn ? 1 : 0);
            for (int choice = 1; choice < ready && cost < _open.Length; choice++)
            {
                byte[] next = new byte[at + 1];
                for (int i = 0; i < at; i++)
                {
                    next[i] = (byte)choices[i];
                }

                next[at] = (byte)choice;
                _open[cost].Push(next);
            }
        }
    }
}
