namespace Voron.House.Tests.Rules;

public sealed class DocumentCodeRuleTests
{
    [Fact]
    public void All_code_in_the_documents_compiles()
    {
        SourceFile[] documents = [.. Documents.All];
        documents.SelectMany(static document => DocumentCodeRule.Blocks(document.Text)).Should().HaveCountGreaterThan(15);
        DocumentCodeRule.Check(documents).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("```csharp\nusing Voron.Storage;\nusing var env = StorageEnvironment.OpenInMemory();\n```")]
    [InlineData("<!-- given: ReadTree users -->\n```csharp\nbyte[]? value = users.Get(\"k\"u8);\n```")]
    [InlineData("<!-- given: StorageEnvironment env -->\n```csharp\nawait env.FlushAsync();\n```")]
    [InlineData("```sh\nnonsense(\n```")]
    public void Good_code_passes(string text) => Check(text).Should().BeEmpty();

    [Theory]
    [InlineData("text\n```csharp\nusing Voron.Storage;\nint i = 0;\nenv.Open();\n```", "line 5: CS0103")]
    [InlineData("<!-- given: ReadTree users -->\n```csharp\nint i = 0;\nusers.Put(default, default);\n```", "line 4: CS1061")]
    [InlineData("<!-- given: ReadTree users -->\n```csharp\nbyte[] value = users.Get(\"k\"u8);\n```", "line 3: CS8600")]
    [InlineData("<!-- given: StorageEnvironment env -->\n```csharp\n_ = env.Database;\n```", "line 3: CS1061")]
    public void Bad_code_is_named_with_its_line(string text, string expected) =>
        Check(text).Should().ContainSingle().Which.Message.Should().StartWith(expected);

    private static IEnumerable<Finding> Check(string text) => DocumentCodeRule.Check([new SourceFile("docs/a.md", text)]);
}
