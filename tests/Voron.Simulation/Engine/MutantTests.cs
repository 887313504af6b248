#if SABOTAGE
using Voron.Simulation.Crashes;
using Voron.Simulation.Schedules;
using Voron.Storage.Platform;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>
/// Breaks one rule of the engine at a time and expects the lanes to notice. The lanes are those that judge the healthy engine; none of
/// them knows what is broken.
/// <see cref="Sabotage.Broken"/> is one for the whole process, so nothing else may run beside these tests; they are compiled only into a
/// build that can break rules.
/// </summary>
[Trait("Lane", "Mutant")]
[Collection(nameof(MutantTests))]
[CollectionDefinition(nameof(MutantTests), DisableParallelization = true)]
public sealed class MutantTests
{
    private const long States = 4000;

    /// <summary>
    /// All lanes, or the one of the environment variable VORON_LANE. Schedules come last: what a single thread shows is shown faster.
    /// </summary>
    private static IEnumerable<EngineLane> Lanes => EngineLanes.All.Concat(ScheduleLane.All).Where(
        static lane => Environment.GetEnvironmentVariable("VORON_LANE") is not { Length: > 0 } asked || asked == lane.Name);

    /// <summary>All rules, or the one of the environment variable VORON_MUTANT.</summary>
    public static TheoryData<string> Rules => [.. Enum.GetNames<SabotageRule>().Where(IsAsked)];

    [Fact]
    public void The_healthy_engine_passes_what_the_mutants_must_fail()
    {
        Sabotage.Broken = SabotageRule.None;
        foreach (EngineLane lane in Lanes)
        {
            lane.Run(lane.OwnStates(States));
        }
    }

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_rule_is_noticed(string rule)
    {
        long start = TimeProvider.System.GetTimestamp();
        Sabotage.Broken = Enum.Parse<SabotageRule>(rule);
        try
        {
            foreach (EngineLane lane in Lanes)
            {
                if (Failure(lane) is { } failure)
                {
                    string took = $"{TimeProvider.System.GetElapsedTime(start).TotalSeconds:F1} s";
                    TestContext.Current.TestOutputHelper?.WriteLine($"{rule}: caught by lane {lane} after {took}: {FirstLines(failure)}");
                    return;
                }
            }
        }
        finally
        {
            Sabotage.Broken = SabotageRule.None;
        }

        Assert.Fail($"{rule} survived all lanes.");
    }

    private static bool IsAsked(string name) => Environment.GetEnvironmentVariable("VORON_MUTANT") is { Length: > 0 } asked
        ? asked.Split(',').Contains(name)
        : name != nameof(SabotageRule.None);

    private static CrashFailureException? Failure(EngineLane lane)
    {
        try
        {
            lane.Run(lane.OwnStates(States));
            return null;
        }
        catch (CrashFailureException failure)
        {
            return failure;
        }
    }

    private static string FirstLines(CrashFailureException failure) =>
        string.Join(" | ", failure.Message.Split('\n').Take(2)).ReplaceLineEndings(string.Empty);
}
#endif
