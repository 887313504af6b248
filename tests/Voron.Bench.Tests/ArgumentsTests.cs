using FluentAssertions;
using Voron.Bench.Verbs;
using Xunit;

namespace Voron.Bench.Tests;

public class ArgumentsTests
{
    [Fact]
    public void Without_words_the_headline_runs()
    {
        Arguments.TryParse([], out Arguments arguments, out _).Should().BeTrue();
        arguments.Verb.Should().Be("headline");
        arguments.Rounds.Should().Be(5);
    }

    [Fact]
    public void All_options_are_taken()
    {
        Arguments.TryParse(
            [
                "all", "--rounds", "2", "--transactions", "1,000", "--scale", "0.5", "--only", "peers, io", "--engines", "lmdb",
                "--cap", "2.5", "--seed", "7", "--counts-only", "--constant-values", "--json", "run.json",
            ],
            out Arguments arguments,
            out string problem).Should().BeTrue(problem);
        arguments.Should().BeEquivalentTo(
            new
            {
                Verb = "all", Rounds = 2, Transactions = 1000, Scale = 0.5, CapSeconds = 2.5, Seed = 7UL, JsonPath = "run.json",
                IsCountsOnly = true, HasConstantValues = true,
            },
            static options => options.IncludingInternalProperties());
        arguments.Wants("peers: one put per tx").Should().BeTrue();
        arguments.Wants("raw: sizes").Should().BeFalse();
        arguments.WantsEngine("lmdb writemap").Should().BeTrue();
        arguments.WantsEngine("rocksdb").Should().BeFalse();
    }

    [Fact]
    public void Fills_that_go_on_and_cold_trees_have_options_of_their_own()
    {
        Arguments.TryParse(["sustain"], out Arguments sustain, out _).Should().BeTrue();
        sustain.Should().BeEquivalentTo(
            new
            {
                Items = 20_000_000, Puts = 100, DirtyMebibytes = (long?)null, SoftMebibytes = (long?)null, IsKilled = false,
                WantedCapSeconds = (double?)null,
            },
            static options => options.IncludingInternalProperties());
        Arguments.TryParse(
            ["sustain", "--items", "5,000", "--puts", "10", "--dirty", "64", "--soft", "512", "--cap", "30", "--kill-after", "2.5"],
            out sustain, out string problem).Should().BeTrue(problem);
        sustain.Should().BeEquivalentTo(
            new
            {
                Items = 5_000, Puts = 10, DirtyMebibytes = 64L, SoftMebibytes = 512L, WantedCapSeconds = 30.0, IsKilled = true,
                KillAfterSeconds = 2.5,
            },
            static options => options.IncludingInternalProperties());
        Arguments.TryParse(["sustain", "--kill"], out sustain, out _).Should().BeTrue();
        sustain.IsKilled.Should().BeTrue();
        sustain.KillAfterSeconds.Should().BeNull();
        Arguments.TryParse(["sustain", "--load", "skewed", "--reads", "--write-optimized"], out sustain, out _).Should().BeTrue();
        sustain.Load.Should().Be(PutLoad.Skewed);
        sustain.HasReads.Should().BeTrue();
        sustain.IsWriteOptimized.Should().BeTrue();

        Arguments.TryParse(["cold", "--megabytes", "4,096"], out Arguments cold, out _).Should().BeTrue();
        cold.MemoryMebibytes.Should().Be(1_024, "a quarter of the tree");
        Arguments.TryParse(["cold", "--memory", "256", "--seconds", "5"], out cold, out _).Should().BeTrue();
        cold.MemoryMebibytes.Should().Be(256);
        cold.Seconds.Should().Be(5);
    }

    [Theory]
    [InlineData("nothing")]
    [InlineData("peers", "--rounds", "0")]
    [InlineData("sustain", "--load", "1")]
    [InlineData("sustain", "--load", "other")]
    [InlineData("peers", "--scale", "-1")]
    [InlineData("peers", "--json")]
    [InlineData("--what", "1")]
    [InlineData("sustain", "--items", "0")]
    [InlineData("sustain", "--kill-after", "soon")]
    [InlineData("cold", "--memory", "-1")]
    public void What_is_wrong_is_said_in_a_sentence(params string[] args)
    {
        Arguments.TryParse(args, out _, out string problem).Should().BeFalse();
        problem.Should().EndWith(".");
    }

    [Fact]
    public void Every_verb_is_in_the_usage()
    {
        VerbTable.All.Select(verb => verb.Name).Should().OnlyHaveUniqueItems();
        Arguments.Usage.Should().ContainAll(VerbTable.All.Select(verb => $"\n  {verb.Name} "));
        Arguments.Usage.Split('\n').Should().OnlyContain(line => line.Length <= 140);
    }

    [Fact]
    public void A_quick_run_is_smaller_than_a_whole_one()
    {
        Arguments.TryParse([], out Arguments arguments, out _).Should().BeTrue();
        arguments.ForQuickRun().Scale.Should().BeLessThan(arguments.Scale);
        arguments.ForWholeRun().Rounds.Should().Be(3);
    }
}
