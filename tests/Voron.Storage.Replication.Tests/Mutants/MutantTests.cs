using FluentAssertions;
using Xunit;

namespace Voron.Storage.Replication.Tests.Mutants;

/// <summary>
/// Rules of replication broken one at a time, in a copy that is compiled in memory together with the simulation: its schedules must notice
/// each of them.
/// </summary>
public sealed class MutantTests(MutantBuild build, ITestOutputHelper output) : IClassFixture<MutantBuild>
{
    /// <summary>Each rule is noticed by one of the first few hundred; ten times as many are tried.</summary>
    private const int MostSeeds = 4000;

    public static TheoryData<string> Rules => [.. MutantBuild.Table.Rules.Keys];

    [Fact]
    public void The_healthy_copy_passes() => build.FindSeed(null, 200).Should().Be(0);

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_rule_is_noticed(string rule)
    {
        int seed = build.FindSeed(rule, MostSeeds);
        seed.Should().BePositive("schedules must notice that {0}", MutantBuild.Table.Rules[rule]);
        output.WriteLine($"{rule}: seed {seed}");
    }

    [Fact]
    public void The_product_knows_nothing_of_broken_rules() => MutantBuild.Sources(MutantBuild.Product)
        .Where(static path => File.ReadAllText(path).Contains("mutant", StringComparison.OrdinalIgnoreCase)).Should().BeEmpty();
}
