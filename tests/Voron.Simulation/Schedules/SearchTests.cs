using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Every order of the engine's threads with few switches without need, for small programs of each protocol, with the power cut at every
/// disk that one of them leaves.
/// </summary>
[Trait("Lane", "DepthFirst")]
public sealed class SearchTests
{
    public static TheoryData<string> Kinds => [.. SearchScenes.Kinds.Select(static kind => kind.ToString())];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void No_order_with_few_switches_breaks_a_promise(string kind)
    {
        long start = TimeProvider.System.GetTimestamp();
        SearchStatistics statistics = SearchLane.Run(Enum.Parse<ScheduleKind>(kind), SearchLane.Switches);
        double seconds = TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        TestContext.Current.TestOutputHelper?.WriteLine($"{kind}, switches {SearchLane.Switches}: {statistics} in {seconds:F1} s");
        if (!SimSeed.IsGiven)
        {
            statistics.IsComplete.Should().BeTrue("a search that leaves something out proves nothing");
            statistics.Cuts.Should().BePositive();
        }
    }
}
