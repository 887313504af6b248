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

    /// <summary>Seed 9 once left files open: the space map was lost, and the session of the test forgot the open database.</summary>
    [Fact]
    public void A_device_that_lied_about_a_space_map_leaves_nothing_open() => EngineLanes.RunLiar(9).Tried.Should().BePositive();

    /// <summary>
    /// Seed 1 once found a whole database gone: its directory was made by a process that was killed before it had synced the parent, and
    /// the next one never did.
    /// Every point of the first open is crashed here.
    /// </summary>
    [Fact]
    public void A_directory_whose_maker_was_killed_does_not_vanish()
    {
        var options = new CrashOptions
        {
            Test = nameof(A_directory_whose_maker_was_killed_does_not_vanish),
            SubsetAtoms = 3, PairAtoms = 0, Singles = 4, RandomStates = 2, RecoveryCutOneIn = 0, GoOnOneIn = 0,
        };
        var runner = new CrashRunner(new EngineSubject(), options);
        runner.Run(Workload.Of(1, [WorkloadLetter.PutOverflow], new WorkloadOptions { PageBytes = EngineSubject.PageBytes }));
        runner.Statistics.Kills.Should().BeGreaterThan(30);
    }

    [Fact]
    public void Equal_seeds_give_equal_runs()
    {
        var options = new CrashOptions { Test = nameof(Equal_seeds_give_equal_runs), MostOpens = 20 };
        var sizes = new WorkloadOptions
        {
            PageBytes = EngineSubject.PageBytes, Steps = 24, BufferedOneIn = 4, RangeOneIn = 2, RenameOneIn = 2, AsyncOneIn = 3,
        };
        foreach (ulong seed in SimSeed.List(6))
        {
            Hash128[] traces = new Hash128[2];
            for (int i = 0; i < traces.Length; i++)
            {
                traces[i] = new CrashRunner(new EngineSubject(), options).Run(Workload.Generate(seed, sizes));
            }

            traces[1].Should().Be(traces[0]);
        }
    }
}
