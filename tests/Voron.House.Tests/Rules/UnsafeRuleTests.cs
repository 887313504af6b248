namespace Voron.House.Tests.Rules;

public sealed class UnsafeRuleTests
{
    private const string Fenced = "src/Voron.Storage/Trees/NodeSearch.cs";

    [Fact]
    public void The_repository_keeps_the_fence() => UnsafeRule.Check(SourceSet.OfRepository).ShouldBeEmpty();

    [Theory]
    [InlineData("src/Voron.Native/A.cs", "unsafe class A { }")]
    [InlineData("src/Voron.Storage/Trees/Safe.cs", "class A { /* unsafe */ string _s = \"unsafe\"; object Unsafe; }")]
    [InlineData(Fenced, "// Callers guarantee the bounds: …\nunsafe class A { }")]
    [InlineData(Fenced, "/// <summary>Bounds: the caller's.</summary>\nunsafe class A { }")]
    public void Inside_the_fence_is_fine(string path, string text) => UnsafeRule.Check(SourceSet.Of((path, text))).Should().BeEmpty();

    [Theory]
    [InlineData("src/Voron.Storage/Trees/Safe.cs", "unsafe class A { }")]
    [InlineData("src/Voron.Storage/Pages/NodeSearch.cs", "// bounds\nclass A { unsafe void B() { } }")]
    [InlineData("bench/Voron.Bench/A.cs", "class A { void B() { unsafe { } } }")]
    [InlineData(Fenced, "unsafe class A { }")]
    [InlineData(Fenced, "unsafe class A { /* bounds, too late */ }")]
    public void Outside_or_without_a_head_is_named(string path, string text) =>
        UnsafeRule.Check(SourceSet.Of((path, text))).Should().ContainSingle().Which.Subject.Should().Be(path);
}
