namespace Voron.House.Tests.Rules;

public sealed class WordRuleTests
{
    [Fact]
    public void The_repository_avoids_the_words() => WordRule.Check(SourceSet.OfRepository).ShouldBeEmpty();

    [Theory]
    [InlineData("class A { void Inform(System.IO.FileInfo file) { var culture = System.Globalization.CultureInfo.InvariantCulture; } }")]
    [InlineData("class Pagers1 { int implied; int utilization; int managed; }", "Pagers")]
    [InlineData("class A { public override void GetInfo() { } } // a manager in a comment")]
    public void Other_words_pass(string text, string? except = null)
    {
        IEnumerable<Finding> findings = WordRule.Check(SourceSet.Of(("src/A.cs", text)));
        findings.Where(f => except is null || !f.Message.Contains(except, StringComparison.Ordinal)).Should().BeEmpty();
    }

    [Theory]
    [InlineData("class LockManager { }")]
    [InlineData("class A { void IOHelper() { } }")]
    [InlineData("class A { int _fileInfo; }")]
    [InlineData("class A { void B(int infos) { } }")]
    [InlineData("class A { void B() { int scratchBytes = 0; } }")]
    [InlineData("class A { void B() { foreach (var pager in new int[1]) { } } }")]
    [InlineData("class A<TImpl> { }")]
    [InlineData("namespace Voron.Utils; class A { }")]
    [InlineData("class A { int data2; }")]
    public void Forbidden_words_are_named(string text) =>
        WordRule.Check(SourceSet.Of(("src/A.cs", text))).Should().ContainSingle().Which.Subject.Should().Be("src/A.cs");

    [Fact]
    public void File_and_folder_names_count() =>
        WordRule.Check(SourceSet.Of(("src/Util/TreeHelper.cs", string.Empty))).Should().HaveCount(2);
}
