#if SABOTAGE
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Storage.Platform;
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
    public static TheoryData<string> Rules => [.. All.Where(IsAsked)];

    private static string[] All =>
    [
        nameof(SabotageRule.PublishBeforeWrite),
        nameof(SabotageRule.RegisterWithoutSecondLook),
        nameof(SabotageRule.ReadersBeforeVisible),
        nameof(SabotageRule.ReadersOutsideGate),
        nameof(SabotageRule.DecideBeforePin),
        nameof(SabotageRule.ReleaseAtPublish),
        nameof(SabotageRule.PinnedNotCounted),
        nameof(SabotageRule.MarkApartFromSnapshot),
        nameof(SabotageRule.IgnoreStamp),
        nameof(SabotageRule.ForgetWaiters),
        nameof(SabotageRule.CloseUnderCommit),
        nameof(SabotageRule.AcknowledgeEarly),
        nameof(SabotageRule.OverwriteBlockedPages),
        nameof(SabotageRule.PublishLazyPastOthers),
        nameof(SabotageRule.KeepFailedAction),
    ];

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_order_is_noticed(string rule)
    {
        Sabotage.Broken = Enum.Parse<SabotageRule>(rule);
        try
        {
            foreach (ScheduleKind kind in Enum.GetValues<ScheduleKind>())
            {
                if (Failure(kind) is { } failure)
                {
                    TestContext.Current.TestOutputHelper?.WriteLine($"{rule}: caught by {kind}: {failure.Message}");
                    return;
                }
            }
        }
        finally
        {
            Sabotage.Broken = SabotageRule.None;
        }

        Assert.Fail($"{rule} survived all schedules.");
    }

    private static bool IsAsked(string name) =>
        Environment.GetEnvironmentVariable("VORON_MUTANT") is not { Length: > 0 } asked || asked.Split(',').Contains(name);

    private static CrashFailureException? Failure(ScheduleKind kind)
    {
        try
        {
            ScheduleLane.Run(kind, ScheduleLane.OfMutants);
            return null;
        }
        catch (CrashFailureException failure)
        {
            return failure;
        }
    }
}
#endif
