using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>A lane of crashes as a test, which runs in one of two classes: the classes run side by side.</summary>
internal static class EngineLaneTest
{
    private static readonly string[] PendingWords = ["pending", "layers", "blind"];

    private static string? Asked => Environment.GetEnvironmentVariable("VORON_LANE") is { Length: > 0 } asked ? asked : null;

    /// <summary>
    /// The lanes in which entries of trees are pending, or the others; of these the one that the environment variable VORON_LANE names, if
    /// it names any.
    /// </summary>
    internal static TheoryData<string> Names(bool withPending) => Asked is null
        ? [.. EngineLanes.All.Select(static lane => lane.Name).Where(name => IsWithPending(name) == withPending)]
        : [IsWithPending(Asked) == withPending ? Asked : string.Empty];

    internal static void Run(string lane)
    {
        Assert.SkipWhen(lane.Length == 0, "VORON_LANE names a lane of the other class.");
        EngineLane chosen = EngineLanes.All.Single(candidate => candidate.Name == lane);
        long start = TimeProvider.System.GetTimestamp();
        CrashStatistics statistics = chosen.Run(chosen.OwnStates(EngineLane.States));
        double seconds = TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        TestContext.Current.TestOutputHelper?.WriteLine($"{lane}: {statistics} in {seconds:F1} s");
        if (SimSeed.IsGiven)
        {
            return;
        }

        long least = chosen.OwnStates(EngineLane.States);
        statistics.Opens.Should().BePositive();
        if (chosen.IsExhaustive)
        {
            statistics.Workloads.Should().Be(12 + (12 * 12));
            statistics.Counted.Should().BeGreaterThan(statistics.Workloads);
        }
        else if (chosen.CountsStates)
        {
            statistics.Counted.Should().BeGreaterThanOrEqualTo(least);
        }
        else
        {
            statistics.Tried.Should().BeGreaterThanOrEqualTo(least);
        }
    }

    private static bool IsWithPending(string lane) => PendingWords.Any(lane.EndsWith);
}
