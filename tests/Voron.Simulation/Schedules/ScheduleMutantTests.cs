#if MUTANTS
using FluentAssertions;
using Voron.Simulation.Engine;
using Xunit;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Rules about the order of threads that schedules alone must catch, without the lanes of single threads. The schedules are those that the
/// healthy engine passes in <see cref="MutantTests"/>, with the same seeds.
/// </summary>
[Trait("Lane", "Mutant")]
[Collection(nameof(MutantTests))]
public sealed class ScheduleMutantTests
{
    /// <summary>The rules, or those of them that the environment variable VORON_MUTANT names.</summary>
    public static TheoryData<string> Rules => [.. All.Where(MutantTests.IsAsked)];

    private static string[] All =>
    [
        "PublishBeforeWrite",
        "RegisterWithoutSecondLook",
        "ReadersBeforeVisible",
        "ReadersOutsideGate",
        "DecideBeforePin",
        "ReleaseAtPublish",
        "PinnedNotCounted",
        "MarkApartFromSnapshot",
        "IgnoreStamp",
        "ForgetWaiters",
        "GatherUnreserved",
        "CloseUnderCommit",
        "AcknowledgeEarly",
        "OverwriteBlockedPages",
        "PublishLazyPastOthers",
        "KeepFailedAction",
        "ForgetTakenGroup",
        "DropMarkersOfFreedRuns",
        "KeepMarkersOfUndoneRuns",
    ];

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_order_is_noticed(string rule) =>
        new MutantTrial(rule, ScheduleLane.All, MutantTests.Say).Run()
            .Should().BeTrue("{0} must not survive all schedules", rule);
}
#endif
