using Voron.House.Tests.Rules;

namespace Voron.House.Tests;

public sealed class RatchetTests
{
    private static readonly Finding Sinner = new(SizeRule.FileLines, "src/A.cs", 450, "450 lines.");

    [Fact]
    public void A_sinner_at_its_mark_passes() => Judge("# comment\n\nfile-lines src/A.cs 450\n", Sinner).Should().BeEmpty();

    [Fact]
    public void A_sinner_without_a_mark_fails() => Judge("file-lines src/B.cs 450", Sinner).Should().HaveCount(2);

    [Fact]
    public void A_sinner_that_grew_fails() =>
        Judge("file-lines src/A.cs 449", Sinner).Should().ContainSingle().Which.Message.Should().Contain("grew from 449 to 450");

    [Fact]
    public void A_mark_above_the_truth_fails() =>
        Judge("file-lines src/A.cs 460", Sinner).Should().ContainSingle().Which.Message.Should().Contain("shrank");

    [Fact]
    public void A_mark_without_a_sinner_fails() =>
        Judge("file-lines src/A.cs 450").Should().ContainSingle().Which.Message.Should().Contain("take its line out");

    [Theory]
    [InlineData("rooms src/A.cs 1")]
    [InlineData("file-lines src/A.cs")]
    [InlineData("file-lines src/A.cs many")]
    public void Nonsense_is_refused(string text) => FluentActions.Invoking(() => new Ratchet(text)).Should().Throw<FormatException>();

    [Fact]
    public void The_root_is_found_from_a_folder_inside_only()
    {
        Repository.FindRoot(Path.Combine(Repository.Root, "src", "Voron.Storage")).Should().Be(Repository.Root);
        FluentActions.Invoking(() => Repository.FindRoot(Path.GetPathRoot(Repository.Root)!)).Should().Throw<InvalidOperationException>();
    }

    private static IReadOnlyList<Finding> Judge(string text, params Finding[] findings) =>
        new Ratchet(text).Judge(findings, SizeRule.FileLines);
}
