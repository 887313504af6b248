namespace Voron.House.Tests.Rules;

public sealed class LinkRuleTests
{
    [Fact]
    public void Links_in_the_documents_lead_somewhere()
    {
        SourceFile[] documents = [.. Documents.All];
        documents.Should().HaveCountGreaterThan(10);
        LinkRule.Check(documents, Read).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("[a](b.md) [b](../README.md#top-of-it) [c](https://example.org/x#y) [d](#own)")]
    public void Good_links_pass(string text) => Check(text).Should().BeEmpty();

    [Theory]
    [InlineData("[a](c.md)", "there is no docs/c.md")]
    [InlineData("[a](b.md#nothing)", "docs/b.md has no heading #nothing")]
    [InlineData("[a](#nothing)", "docs/a.md has no heading #nothing")]
    public void Bad_links_are_named(string text, string expected) =>
        Check(text).Should().ContainSingle().Which.Message.Should().Contain(expected);

    private static IEnumerable<Finding> Check(string text) => LinkRule.Check([new SourceFile("docs/a.md", text)], static path => path switch
    {
        "docs/a.md" => "# Own\n",
        "docs/b.md" => "# B\n",
        "README.md" => "## Top of it\n",
        _ => null,
    });

    private static string? Read(string path)
    {
        string full = Path.Combine(Repository.Root, path);
        return File.Exists(full) ? File.ReadAllText(full) : Directory.Exists(full) ? string.Empty : null;
    }
}
