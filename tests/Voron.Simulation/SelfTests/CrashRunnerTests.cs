using FluentAssertions;
using Voron.Simulation.Crashes;
using Voron.Simulation.Toys;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>The crash tests pass an engine that keeps its promises and catch every one that does not.</summary>
public sealed class CrashRunnerTests
{
    [Fact]
    public void A_sound_log_survives_every_crash()
    {
        var runner = new CrashRunner(new ToyLogSubject(), new CrashOptions { Test = nameof(A_sound_log_survives_every_crash) });
        foreach (ulong seed in SimSeed.List(12))
        {
            runner.Run(Workload.Generate(seed, new WorkloadOptions { BigTransactionBytes = 10_000, BufferedOneIn = (int)(seed % 3) * 4 }));
        }

        CrashStatistics statistics = runner.Statistics;
        TestContext.Current.TestOutputHelper?.WriteLine(statistics.ToString());
        if (SimSeed.IsGiven)
        {
            return;
        }

        statistics.Counted.Should().BeGreaterThan(1000).And.BeLessThanOrEqualTo(statistics.Tried);
        statistics.LostSector.Should().BePositive();
        statistics.RecoveredEarlier.Should().BePositive();
        statistics.WentOn.Should().BePositive();
        statistics.Kills.Should().BePositive();
    }

    [Theory]
    [InlineData((int)ToySabotage.NoSync, "O2")]
    [InlineData((int)ToySabotage.AckBeforeWrite, "O2")]
    [InlineData((int)ToySabotage.NoDirectorySync, "O2", "O8")]
    [InlineData((int)ToySabotage.NoSyncAtOpen, "O8")]
    [InlineData((int)ToySabotage.NoChecksum, "O3", "O4", "O1")]
    [InlineData((int)ToySabotage.RenameBeforeSync, "O2")]
    [InlineData((int)ToySabotage.ForgetsDeletes, "O3", "O1")]
    [InlineData((int)ToySabotage.LosesLastRecord, "O2", "O6")]
    [InlineData((int)ToySabotage.LeaksFile, "O9")]
    [InlineData((int)ToySabotage.CompactsInPlace, "O2")]
    [InlineData((int)ToySabotage.ShowsEarly, "O2")]
    [InlineData((int)ToySabotage.LeavesLitter, "O9")]
    [InlineData((int)ToySabotage.LeaksMap, "O9")]
    [InlineData((int)ToySabotage.IsMoody, "O10")]
    [InlineData((int)ToySabotage.WritesBehindTail, "O6")]
    [InlineData((int)ToySabotage.CompactsAtOpen, "O2", "O5")]
    public void Every_sabotage_is_caught(int sabotage, params string[] oracles)
    {
        Action run = () =>
        {
            var options = new CrashOptions { Test = nameof(Every_sabotage_is_caught) };
            var runner = new CrashRunner(new ToyLogSubject((ToySabotage)sabotage), options);
            foreach (ulong seed in SimSeed.List(40))
            {
                runner.Run(Workload.Generate(seed, new WorkloadOptions { BigTransactionBytes = 10_000 }));
            }
        };
        CrashFailureException failure = run.Should().Throw<CrashFailureException>().Which;
        TestContext.Current.TestOutputHelper?.WriteLine(failure.Message);
        oracles.Should().Contain(failure.Oracle, failure.Message);
        failure.Message.Should().Contain("VORON_SEED=").And.Contain("dotnet test");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_tail_that_comes_back_to_life_is_caught_by_going_on(bool isSabotaged)
    {
        // Records of equal length: the next one after a torn group may end exactly where the group's second one begins.
        var sizes = new WorkloadOptions
        {
            Steps = 2, Keys = 8, LongestKeyBytes = 1, LeastSmallBytes = 600, MostSmallBytes = 600,
            Without = [.. Enum.GetValues<WorkloadLetter>().Except([WorkloadLetter.Group, WorkloadLetter.PutSmall])],
        };
        var options = new CrashOptions
        {
            Test = nameof(A_tail_that_comes_back_to_life_is_caught_by_going_on),
            GoOnOneIn = 4, GoOnWorkload = sizes, SubsetAtoms = 6, PairAtoms = 12,
        };
        var runner = new CrashRunner(new ToyLogSubject(isSabotaged ? ToySabotage.NoChain : ToySabotage.None), options);
        Action run = () =>
        {
            foreach (ulong seed in SimSeed.List(6))
            {
                runner.Run(Workload.Of(seed, [WorkloadLetter.Group], sizes));
            }
        };
        if (isSabotaged)
        {
            run.Should().Throw<CrashFailureException>().Which.Message.Should().Contain("after this:");
        }
        else
        {
            run.Should().NotThrow();
            runner.Statistics.WentOn.Should().BeGreaterThan(10);
        }
    }

    [Fact]
    public void A_device_that_drops_write_through_is_noticed()
    {
        var options = new CrashOptions { Disk = new SimDiskOptions { Profile = SimProfile.MacLike } };
        Action run = () => new CrashRunner(new ToyLogSubject(), options).Run(Workload.Generate(1));
        run.Should().Throw<CrashFailureException>().Which.Oracle.Should().Be("O2");
    }

    [Fact]
    public void Equal_seeds_give_equal_runs()
    {
        foreach (ulong seed in SimSeed.List(10))
        {
            var first = new CrashRunner(new ToyLogSubject(), new CrashOptions());
            var second = new CrashRunner(new ToyLogSubject(), new CrashOptions());
            var small = new WorkloadOptions { Steps = 6, BigTransactionBytes = 5000 };
            first.Run(Workload.Generate(seed, small)).Should().Be(second.Run(Workload.Generate(seed, small)));
            first.Statistics.ToString().Should().Be(second.Statistics.ToString());
            first.Run(Workload.Generate(seed + 1000, small)).Should().NotBe(first.Run(Workload.Generate(seed, small)));
        }
    }

    [Fact]
    public void All_words_of_two_letters_survive()
    {
        var options = new CrashOptions { Test = nameof(All_words_of_two_letters_survive), MostOpens = 300 };
        var runner = new CrashRunner(new ToyLogSubject(), options);
        int words = 0;
        foreach (WorkloadLetter[] letters in Workload.AllWords(2))
        {
            runner.Run(Workload.Of(1, letters, new WorkloadOptions { BigTransactionBytes = 5000 }));
            words++;
        }

        TestContext.Current.TestOutputHelper?.WriteLine(runner.Statistics.ToString());
        words.Should().Be(144);
        runner.Statistics.Workloads.Should().Be(144);
    }
}
