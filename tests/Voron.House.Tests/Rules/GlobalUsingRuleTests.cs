namespace Voron.House.Tests.Rules;

public sealed class GlobalUsingRuleTests
{
    [Fact]
    public void The_repository_has_no_global_using_of_a_room() => GlobalUsingRule.Check(
        SourceSet.OfRepository,
        [
            .. Repository.Files(string.Empty, ".props", ".targets"),
            .. Repository.Files("src", ".csproj"),
            .. Repository.Files("tests", ".csproj"),
            .. Repository.Files("bench", ".csproj"),
        ]).ShouldBeEmpty();

    [Theory]
    [InlineData("global using System;")]
    [InlineData("using Voron.Storage.Format;")]
    public void Others_pass(string text) => GlobalUsingRule.Check(SourceSet.Of(("src/A.cs", text)), []).Should().BeEmpty();

    [Theory]
    [InlineData("global using Voron.Storage.Format;")]
    [InlineData("global using static Voron.Storage.Format.Checksum;")]
    [InlineData("global using P = global::Voron.Storage.Format.PageNumber;")]
    public void A_global_using_of_a_room_is_named(string text) =>
        GlobalUsingRule.Check(SourceSet.Of(("tests/A.cs", text)), []).Should().ContainSingle().Which.Subject.Should().Be("tests/A.cs");

    [Fact]
    public void A_using_item_of_a_project_is_named() => GlobalUsingRule.Check(
        SourceSet.Of(),
        [new SourceFile("src/A.csproj",
            """<Project><ItemGroup><Using Include="Voron.Storage.Format" /><Using Include="Xunit" /></ItemGroup></Project>""")])
        .Should().ContainSingle().Which.Subject.Should().Be("src/A.csproj");
}
