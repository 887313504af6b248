#if MUTANTS
using FluentAssertions;
using Voron.Simulation.Schedules;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>
/// Breaks one rule of the engine at a time and expects the lanes to notice. The lanes are those that judge the healthy engine; none of
/// them knows what is broken.
/// <see cref="Mutant.Broken"/> is one for the whole process, so nothing else may run beside these tests; they are compiled only into a
/// build that can break rules.
/// </summary>
[Trait("Lane", "Mutant")]
[Collection(nameof(MutantTests))]
[CollectionDefinition(nameof(MutantTests), DisableParallelization = true)]
public sealed class MutantTests
{
    /// <summary>
    /// All lanes, or the one of the environment variable VORON_LANE. Schedules come last: what a single thread shows is shown faster.
    /// </summary>
    private static EngineLane[] Lanes => [.. EngineLanes.All.Concat(ScheduleLane.All).Concat(SearchLane.All).Where(
        static lane => Environment.GetEnvironmentVariable("VORON_LANE") is not { Length: > 0 } asked || asked == lane.Name)];

    /// <summary>All rules, or those that the environment variable VORON_MUTANT names.</summary>
    public static TheoryData<string> Rules => [.. Mutant.Rules.Where(IsAsked)];

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_rule_is_noticed(string rule) =>
        new MutantTrial(rule, Lanes, Say).Run().Should().BeTrue("{0} must not survive all lanes", rule);

    internal static void Say(string line) => TestContext.Current.TestOutputHelper?.WriteLine(line);

    internal static bool IsAsked(string name) => Environment.GetEnvironmentVariable("VORON_MUTANT") is { Length: > 0 } asked
        ? asked.Split(',').Contains(name)
        : true;
}
#endif
