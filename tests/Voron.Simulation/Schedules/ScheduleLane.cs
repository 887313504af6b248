using System.Globalization;
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Simulation.Tapes;

namespace Voron.Simulation.Schedules;

/// <summary>Tries seed after seed of one kind of schedule, two at a time, and throws the first failure, made small.</summary>
internal static class ScheduleLane
{
    /// <summary>How many schedules all kinds together try; more of them for a long run.</summary>
    internal const string Variable = "VORON_SCHEDULES";

    private const int AtATime = 2;

    internal static long Schedules { get; } = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } given
        ? long.Parse(given, CultureInfo.InvariantCulture)
        : 2_400;

    /// <summary>The kinds of schedules as lanes that judge mutants.</summary>
    internal static IReadOnlyList<EngineLane> All { get; } =
    [
        .. Enum.GetValues<ScheduleKind>().Select(static kind => new EngineLane(
            $"schedules {kind}",
            Share: 1,
            states =>
            {
                ScheduleStatistics tried = Run(kind, states, shrinks: false);
                return new CrashStatistics { Workloads = tried.Schedules, Tried = tried.Distinct, Opens = tried.Opens };
            })),
    ];

    /// <param name="kind">Which protocol.</param>
    /// <param name="schedules">How many seeds.</param>
    /// <param name="shrinks">A failure is made small, which takes up to some hundred runs more.</param>
    internal static ScheduleStatistics Run(ScheduleKind kind, long schedules, bool shrinks = true)
    {
        var statistics = new ScheduleStatistics();
        ScheduleOutcome? failed = null;
        ulong failedSeed = ulong.MaxValue;
        var gate = new Lock();
        Parallel.ForEach(
            SimSeed.List((int)schedules),
            new ParallelOptions { MaxDegreeOfParallelism = AtATime },
            (seed, loop) =>
            {
                ScheduleOutcome outcome = ScheduleRun.Fresh(kind, seed);
                lock (gate)
                {
                    statistics.Add(outcome);
                    if (outcome.Failure is not null)
                    {
                        loop.Stop();
                        (failed, failedSeed) = seed < failedSeed ? (outcome, seed) : (failed, failedSeed);
                    }
                }
            });
        if (failed is not null)
        {
            throw shrinks
                ? Report(failed, $"{kind}, seed {failedSeed}", failedSeed)
                : new CrashFailureException(failed.Failure!.Message, failed.Failure) { Oracle = failed.Failure.Oracle, Seed = failedSeed };
        }

        return statistics;
    }

    /// <summary>The failure of a tape, with the smallest tape found that fails alike and the command that replays it.</summary>
    internal static CrashFailureException Report(ScheduleOutcome failed, string where, ulong seed = 0)
    {
        ScheduleOutcome small = TapeShrinker.Shrink(failed);
        CrashFailureException failure = small.Failure!;
        string command = $"{DecisionTape.Variable}='{small.Tape.ToString(';')}' "
            + "dotnet test tests/Voron.Simulation -c Release --filter FullyQualifiedName~TapeTests.A_given_tape";
        string[] lines = [failure.Message, where, small.Tape.ToString('\n'), "repeat: " + command];
        return new CrashFailureException(string.Join(Environment.NewLine, lines), failure) { Oracle = failure.Oracle, Seed = seed };
    }
}
