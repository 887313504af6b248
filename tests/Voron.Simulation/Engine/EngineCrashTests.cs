using FluentAssertions;
using Voron.Simulation.Crashes;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>The engine on disks that crash: not one acknowledged transaction is lost, in no state that a crash could leave.</summary>
[Trait("Lane", "Crash")]
public sealed class EngineCrashTests
{
    public static TheoryData<string> Lanes => [.. EngineLanes.All.Select(lane => lane.Name)];

    [Theory]
    [MemberData(nameof(Lanes))]
    public void Nothing_promised_is_lost(string lane)
    {
        EngineLane chosen = EngineLanes.All.Single(candidate => candidate.Name == lane);
        long start = TimeProvider.System.GetTimestamp();
        CrashStatistics statistics = chosen.Run(chosen.OwnStates(EngineLane.States));
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{lane}: {statistics} in {TimeProvider.System.GetElapsedTime(start).TotalSeconds:F1} s");
        if (!SimSeed.IsGiven)
        {
            statistics.Distinct.Should().BeGreaterThan(chosen.OwnStates(EngineLane.States) / 2);
            statistics.Opens.Should().BePositive();
            bool cuts = lane is not ("faults" or "rot" or "stale");
            (statistics.LostAnAtom > 0).Should().Be(cuts);
            (statistics.RecoveredEarlier > 0).Should().Be(cuts || lane == "faults");
        }
    }

    [Fact]
    public void Equal_seeds_give_equal_runs()
    {
        foreach (ulong seed in SimSeed.List(6))
        {
            Hash128[] traces = new Hash128[2];
            for (int i = 0; i < traces.Length; i++)
            {
                var runner = new CrashRunner(new EngineSubject(), new CrashOptions { Test = nameof(Equal_seeds_give_equal_runs),
                    MostOpens = 20 });
                traces[i] = runner.Run(Workload.Generate(seed, new WorkloadOptions { PageBytes = EngineSubject.PageBytes, Steps = 24,
                    BufferedOneIn = 4 }));
            }

            traces[1].Should().Be(traces[0]);
        }
    }
}
