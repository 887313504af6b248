namespace Voron.House.Tests.Rules;

public sealed class TypePerFileRuleTests
{
    [Fact]
    public void The_repository_has_one_type_in_each_file() => TypePerFileRule.Check(SourceSet.OfRepository).ShouldBeEmpty();

    [Theory]
    [InlineData("src/Voron.Storage/Format/A.cs", "namespace N; class A { class Inner { } }")]
    [InlineData("src/Voron.Storage/Format/A.cs", "namespace N; readonly record struct A<T>(T Value);")]
    [InlineData("src/Voron.Storage/Format/A.Reading.cs", "namespace N; partial class A { }")]
    [InlineData("bench/Voron.Bench/Program.cs", "return 0;")]
    [InlineData("tests/Voron.Storage.Tests/Any.cs", "class A { } class B { }")]
    public void Good_files_pass(string path, string text) => TypePerFileRule.Check(SourceSet.Of((path, text))).Should().BeEmpty();

    [Theory]
    [InlineData("src/Voron.Storage/Format/A.cs", "namespace N; class A { } enum B { }")]
    [InlineData("src/Voron.Storage/Format/A.cs", "namespace N { class A { } delegate void B(); }")]
    [InlineData("src/Voron.Storage/Format/A.cs", "namespace N; class B { }")]
    [InlineData("src/Voron.Storage/Format/A.Reading.cs", "namespace N; class A { }")]
    [InlineData("bench/Voron.Bench/Program.cs", "return 0; class B { }")]
    public void Bad_files_are_named(string path, string text) =>
        TypePerFileRule.Check(SourceSet.Of((path, text))).Should().ContainSingle().Which.Subject.Should().Be(path);
}
