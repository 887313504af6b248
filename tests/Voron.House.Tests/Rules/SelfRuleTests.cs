namespace Voron.House.Tests.Rules;

public sealed class SelfRuleTests
{
    private static readonly string[] Texts =
        [".cs", ".md", ".csproj", ".props", ".targets", ".json", ".txt", ".sh", ".yml", ".yaml", ".editorconfig", ".gitignore", ".sln",
            "/run"];

    [Fact]
    public void The_repository_speaks_of_itself()
    {
        string[] folders = [string.Empty, "src", "tests", "bench", "docs", "assets", ".ci", ".github"];
        SourceFile[] files = [.. folders.SelectMany(folder => Repository.Files(folder, Texts))];
        files.Should().Contain(file => file.Path == "docs/format.md");
        SelfRule.Check(files).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("a relative network/home/path, Path.GetTempPath(), https://example.org/home/")]
    [InlineData("the todo of a TODOX, hack")]
    public void Other_text_passes(string text) => SelfRule.Check([new SourceFile("docs/a.md", text)]).Should().BeEmpty();

    [Theory]
    [InlineData("see /hom" + "e/me/notes")]
    [InlineData("var p = \"/wor" + "k/x\";")]
    [InlineData("(/roo" + "t/.nuget)")]
    [InlineData("// TOD" + "O: later")]
    [InlineData("// HAC" + "K")]
    [InlineData("FIXM" + "E")]
    [InlineData("throw new NotImplementedExceptio" + "n();")]
    public void Machine_paths_and_unfinished_work_are_named(string text) =>
        SelfRule.Check([new SourceFile("docs/a.md", "fine\n" + text)]).Should().ContainSingle().Which.Message.Should().StartWith("line 2:");
}
