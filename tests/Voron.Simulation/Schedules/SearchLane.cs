using System.Globalization;
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;

namespace Voron.Simulation.Schedules;

/// <summary>Searches the small programs of a protocol, one after another, and throws the first failure.</summary>
internal static class SearchLane
{
    /// <summary>How many switches without need a schedule may have; the default test run tries one.</summary>
    internal const string Variable = "VORON_SWITCHES";

    /// <summary>As many as all protocols are searched with where mutants are judged.</summary>
    private const int MostSwitches = 2;

    /// <summary>More schedules than any program has; a search that comes here has become too large to be one.</summary>
    private const long Most = 60_000;

    /// <summary>
    /// The protocols as lanes that judge mutants. Their seed is a number of schedules, from the first one on, of each program.
    /// </summary>
    internal static IReadOnlyList<EngineLane> All { get; } =
    [
        .. SearchScenes.Kinds.Select(static kind => new EngineLane(
            $"depth-first {kind}",
            Share: 1,
            _ =>
            {
                SearchStatistics tried = Run(kind, MostSwitches, shrinks: false);
                return new CrashStatistics { Workloads = tried.Schedules, Tried = tried.Schedules, Opens = tried.Opens };
            }) { IsExhaustive = true }),
    ];

    internal static int Switches { get; } = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } given
        ? int.Parse(given, CultureInfo.InvariantCulture)
        : 1;

    internal static SearchStatistics Run(ScheduleKind kind, int switches, bool shrinks = true)
    {
        var statistics = new SearchStatistics { IsComplete = true };
        foreach (ScheduleProgram program in SearchScenes.Of(kind))
        {
            long before = statistics.Schedules;
            long most = SimSeed.IsGiven ? (long)SimSeed.List(1).Single() : Most;
            if (ScheduleSearch.Run(program, switches, most, statistics) is { } failed)
            {
                ulong number = (ulong)(statistics.Schedules - before);
                if (shrinks)
                {
                    throw ScheduleLane.Report(failed, $"{kind}, schedule {number}", number);
                }

                string what = failed.Failure!.Message + Environment.NewLine + failed.Tape.ToString(';');
                throw new CrashFailureException(what, failed.Failure) { Oracle = failed.Failure.Oracle, Seed = number };
            }
        }

        return statistics;
    }
}
