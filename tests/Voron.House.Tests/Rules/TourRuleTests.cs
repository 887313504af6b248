namespace Voron.House.Tests.Rules;

public sealed class TourRuleTests
{
    private static readonly SourceSet Sources = SourceSet.Of(
        ("src/Voron.Storage/Trees/Leaf.cs", "class Leaf { int Count; void Add() { } } enum Kind { One } record Pair(int First);"),
        ("src/Voron.Storage/Trees/Odd.cs", "class Odd : System.Exception { }"));

    [Fact]
    public void The_documents_name_what_exists() =>
        TourRule.Check(Repository.Files("docs", ".md"), SourceSet.OfRepository).ShouldBeEmpty();

    [Theory]
    [InlineData("`Trees/Leaf.cs`, `Leaf.cs` and `src/Voron.Storage/Trees/Leaf.cs`")]
    [InlineData("`Leaf.Add`, `Leaf.Add()`, `Leaf.Count`, `Kind.One`, `Pair.First`")]
    [InlineData("`System.IO`, `Other.Member`, `leaf.Gone`, `Odd.Message`, Leaf.Gone")]
    public void Others_pass(string text) => Check(text).Should().BeEmpty();

    [Theory]
    [InlineData("`Trees/Gone.cs`")]
    [InlineData("`Pages/Leaf.cs`")]
    [InlineData("`Gone.cs`")]
    [InlineData("`Leaf.Gone`")]
    [InlineData("`Leaf.Gone()`")]
    [InlineData("`Kind.Two`")]
    public void What_is_not_there_is_named(string text) => Check(text).Should().ContainSingle().Which.Subject.Should().Be("docs/tour.md");

    private static IEnumerable<Finding> Check(string text) => TourRule.Check([new SourceFile("docs/tour.md", text)], Sources);
}
