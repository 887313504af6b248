using FluentAssertions;
using Xunit;

namespace Voron.Simulation.Ranges;

/// <summary>
/// The protocol of ranges that collect entries, which the engine does not have yet: all states of a small model, and each rule broken.
/// </summary>
[Trait("Lane", "Model")]
public sealed class RangeTests
{
    private static readonly bool IsLong = Environment.GetEnvironmentVariable("VORON_MODEL") == "long";

    public static TheoryData<string> Scenes =>
        [.. RangeScene.All.Concat(IsLong ? RangeScene.Long : []).Select(static scene => scene.Name)];

    public static TheoryData<string> Rules =>
        [.. RangeScene.All.SelectMany(static scene => scene.Shows).Select(static shown => shown.Rule.ToString())];

    [Theory]
    [MemberData(nameof(Scenes))]
    public void No_state_shows_anything_wrong(string name)
    {
        RangeScene scene = RangeScene.All.Concat(RangeScene.Long).Single(scene => scene.Name == name);
        RangeSearch search = Search(scene, RangeRule.None);
        search.Violation.Should().BeNull(string.Join('\n', search.History));
    }

    [Theory]
    [MemberData(nameof(Rules))]
    public void A_broken_rule_shows(string name)
    {
        RangeRule rule = Enum.Parse<RangeRule>(name);
        RangeScene scene = RangeScene.All.Single(scene => scene.Shows.Any(shown => shown.Rule == rule));
        Search(scene, rule).Violation.Should().Contain(scene.Shows.Single(shown => shown.Rule == rule).Violation);
    }

    [Fact]
    public void Every_rule_is_broken_in_a_scene()
    {
        IEnumerable<string> rules = Enum.GetNames<RangeRule>().Where(static name => name != nameof(RangeRule.None));
        Rules.Select(static row => row.Data).Should().BeEquivalentTo(rules);
    }

    private static RangeSearch Search(RangeScene scene, RangeRule broken)
    {
        long start = TimeProvider.System.GetTimestamp();
        RangeSearch search = RangeSearch.Run(scene.Bounds, broken);
        double seconds = TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        ITestOutputHelper? output = TestContext.Current.TestOutputHelper;
        string rule = broken == RangeRule.None ? "all rules kept" : $"{broken} broken";
        output?.WriteLine($"{scene.Bounds}: {rule}, {search.States} states, {search.Steps} steps in {seconds:F1} s");
        search.History.ForEach(line => output?.WriteLine(line));
        output?.WriteLine(search.Violation ?? "all states are right");
        return search;
    }
}
