using Voron.Storage;

namespace Voron.House.Tests.Rules;

public sealed class TroubleshootingRuleTests
{
    private const string Good = "# T\n\n## AException\n\n**What.** A.\n\n**When.** B.\n\n**Do.** C.\n\n## Other\n\ntext\n";

    [Fact]
    public void Every_error_of_the_engine_has_its_section()
    {
        string[] exceptions = [.. typeof(StorageException).Assembly.GetExportedTypes()
            .Where(static type => type.IsSubclassOf(typeof(Exception)) && !type.IsAbstract)
            .Select(static type => type.Name)];
        exceptions.Should().HaveCountGreaterThan(10);
        TroubleshootingRule.Check(Documents.Text(TroubleshootingRule.Document), exceptions).ShouldBeEmpty();
    }

    [Fact]
    public void A_whole_section_passes() => TroubleshootingRule.Check(Good, ["AException"]).Should().BeEmpty();

    [Theory]
    [InlineData("AException,BException", "has no section '## BException'")]
    [InlineData("", "AException, which the engine does not throw")]
    public void A_missing_and_a_needless_section_are_named(string names, string expected) =>
        TroubleshootingRule.Check(Good, names.Split(',', StringSplitOptions.RemoveEmptyEntries))
            .Should().ContainSingle().Which.Message.Should().Contain(expected);

    [Fact]
    public void A_missing_part_is_named() =>
        TroubleshootingRule.Check(Good.Replace("**Do.**", "Do.", StringComparison.Ordinal), ["AException"])
            .Should().ContainSingle().Which.Message.Should().Contain("**Do.**");
}
