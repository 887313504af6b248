namespace Voron.House.Tests.Rules;

public sealed class ThrowRuleTests
{
    private const string Throwing = "class A { int B(int? c) { if (c is null) { throw new E(); } return c ?? throw new E(); } }";

    [Fact]
    public void The_repository_throws_out_of_line() =>
        Ratchet.OfRepository.Judge(ThrowRule.Check(SourceSet.OfRepository), ThrowRule.Id).ShouldBeEmpty();

    [Theory]
    [InlineData("src/Voron.Storage/Trees/Throw.cs", Throwing)]
    [InlineData("src/Voron.Storage/Contract/A.cs", Throwing)]
    [InlineData("src/Voron.Storage/IO/FailStop.cs", Throwing)]
    [InlineData("src/Voron.Storage/Tree.cs", Throwing)]
    [InlineData("tests/Voron.Storage.Tests/A.cs", Throwing)]
    [InlineData("src/Voron.Storage/Trees/A.cs",
        "class A { void B(object? c) { ArgumentNullException.ThrowIfNull(c); try { } catch { throw; } throw Throw.Make(); } }")]
    public void Throws_in_their_place_pass(string path, string text) => ThrowRule.Check(SourceSet.Of((path, text))).Should().BeEmpty();

    [Fact]
    public void Throws_in_place_are_counted() => ThrowRule.Check(SourceSet.Of(("src/Voron.Storage/Trees/A.cs", Throwing)))
        .Should().ContainSingle().Which.Measure.Should().Be(2);
}
