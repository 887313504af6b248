namespace Voron.House.Tests.Rules;

public sealed class DocumentWidthRuleTests
{
    [Fact]
    public void The_documents_but_printed_results_are_wrapped() =>
        Repository.Files("docs", ".md")
            .Where(static document => !document.IsUnder("docs/results"))
            .Concat(Repository.Files("tests", "README.md"))
            .Concat(Repository.Files(string.Empty, "CHANGELOG.md"))
            .SelectMany(DocumentWidthRule.Check).ShouldBeEmpty();

    [Fact]
    public void A_line_may_have_100_columns_but_not_101()
    {
        Check("a " + new string('x', 98)).Should().BeEmpty();
        Check("a " + new string('x', 99)).Should().ContainSingle().Which.Message.Should().Contain("line 1 ");
    }

    [Theory]
    [InlineData("| a WIDE |")]
    [InlineData("```\na WIDE\n```")]
    [InlineData("<!-- a WIDE -->")]
    [InlineData("WIDE")]
    [InlineData("  `a WIDE`.")]
    public void Tables_code_and_words_that_cannot_be_wrapped_pass(string text) =>
        Check(text.Replace("WIDE", new string('x', 120), StringComparison.Ordinal)).Should().BeEmpty();

    private static IEnumerable<Finding> Check(string text) => DocumentWidthRule.Check(new SourceFile("docs/a.md", text + "\n"));
}
