namespace Voron.House.Tests.Rules;

public sealed class IdiomRuleTests
{
    [Fact]
    public void The_comments_of_the_product_are_plain() =>
        Ratchet.OfRepository.Judge(IdiomRule.Check(SourceSet.OfRepository), IdiomRule.Id).ShouldBeEmpty();

    [Theory]
    [InlineData("// Who is to write lets nobody in.", 2)]
    [InlineData("/// <summary>Takes a look at so many pages.</summary>", 2)]
    [InlineData("/* Whoever comes late. */", 1)]
    public void Words_that_have_a_plainer_one_are_counted(string comment, int count) =>
        Check(comment + "\nclass A { }").Should().ContainSingle().Which.Measure.Should().Be(count);

    [Theory]
    [InlineData("// The whole page; wholesome.\nclass A { }")]
    [InlineData("class A { string who = \"who\"; int nobody; }")]
    public void Others_pass(string text) => Check(text).Should().BeEmpty();

    private static IEnumerable<Finding> Check(string text) =>
        IdiomRule.Check(SourceSet.Of(("src/Voron.Storage/Trees/A.cs", text)));
}
