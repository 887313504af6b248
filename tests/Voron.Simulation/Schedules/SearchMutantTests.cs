#if MUTANTS
using FluentAssertions;
using Voron.Simulation.Engine;
using Xunit;

namespace Voron.Simulation.Schedules;

/// <summary>Rules about the order of threads that the searches alone must catch, at least one for each protocol.</summary>
[Trait("Lane", "Mutant")]
[Collection(nameof(MutantTests))]
public sealed class SearchMutantTests
{
    /// <summary>The rules, or those of them that the environment variable VORON_MUTANT names.</summary>
    public static TheoryData<string> Rules => [.. All.Where(MutantTests.IsAsked)];

    private static string[] All =>
    [
        "PublishBeforeWrite",
        "ForgetRecoveredSnapshot",
        "RecycleUpToWritten",
        "BeginUnderDispose",
        "GrowFromOldLength",
    ];

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_order_is_noticed(string rule) =>
        new MutantTrial(rule, SearchLane.All, MutantTests.Say).Run()
            .Should().BeTrue("{0} must not survive all searches", rule);
}
#endif
