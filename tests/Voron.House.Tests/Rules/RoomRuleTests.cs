namespace Voron.House.Tests.Rules;

public sealed class RoomRuleTests
{
    private static readonly (string Path, string Text)[] House =
    [
        ("src/Voron.Native/Call.cs", "namespace Voron.Native; public static class Call { public static int Sync() => 0; }"),
        ("src/Voron.Native/Unix/Flock.cs", "namespace Voron.Native.Unix; public static class Flock { }"),
        ("src/Voron.Storage/Contract/StorageException.cs", "namespace Voron.Storage; public class StorageException : System.Exception { }"),
        ("src/Voron.Storage/IO/Disk.cs",
            "using Voron.Native; namespace Voron.Storage.IO; class Disk { int Sync() => Call.Sync(); }"),
        ("src/Voron.Storage/Journal/RedoWriter.cs", "namespace Voron.Storage.Journal; class RedoWriter { internal int Length; }"),
        ("src/Voron.Storage/Transactions/WriteSession.cs",
            "namespace Voron.Storage.Transactions; class WriteSession { internal Journal.RedoWriter Redo = new(); }"),
        ("src/Voron.Storage/Trees/NodeSearch.cs",
            "namespace Voron.Storage.Trees; static class NodeSearch { /* WriteSession */ const string Text = \"Tree\"; }"),
        ("src/Voron.Storage/Tree.cs",
            "using Voron.Storage.Transactions; namespace Voron.Storage; public class Tree { WriteSession? _session; }"),
    ];

    [Fact]
    public void The_repository_keeps_folder_and_namespace_together() => RoomRule.CheckNamespaces(SourceSet.OfRepository).ShouldBeEmpty();

    [Fact]
    public void The_repository_names_only_rooms_above() => RoomRule.CheckNames(SourceSet.OfRepository).ShouldBeEmpty();

    [Fact]
    public void The_repository_is_bound_whole() => RoomRule.CheckBinding(SourceSet.OfRepository).ShouldBeEmpty();

    [Fact]
    public void The_repository_is_not_empty() =>
        SourceSet.OfRepository.Product.Should().Contain(file => file.Path == "src/Voron.Storage/Format/PageHeader.cs");

    [Fact]
    public void A_good_house_passes()
    {
        SourceSet house = SourceSet.Of(House);
        RoomRule.CheckNamespaces(house).Should().BeEmpty();
        RoomRule.CheckNames(house).Should().BeEmpty();
        RoomRule.CheckBinding(house).Should().BeEmpty();
    }

    [Theory]
    [InlineData("src/Voron.Storage/Trees/A.cs", "namespace Voron.Storage.Pages; class A { }")]
    [InlineData("src/Voron.Storage/Trees/A.cs", "namespace Voron.Storage; class A { }")]
    [InlineData("src/Voron.Storage/Trees/A.cs", "class A { }")]
    [InlineData("src/Voron.Storage/Contract/A.cs", "namespace Voron.Storage.Contract; class A { }")]
    [InlineData("src/Voron.Storage/A.cs", "namespace Voron.Storage.Engine; class A { }")]
    [InlineData("src/Voron.Native/Unix/A.cs", "namespace Voron.Native; class A { }")]
    [InlineData("src/Voron.Storage/Cellar/A.cs", "namespace Voron.Storage.Cellar; class A { }")]
    public void A_namespace_that_is_not_the_folder_is_named(string path, string text) =>
        RoomRule.CheckNamespaces(SourceSet.Of((path, text))).Should().ContainSingle().Which.Subject.Should().Be(path);

    [Theory]
    [InlineData("Trees", "using Voron.Storage.Journal; NS class A { }", "Trees names Journal")]
    [InlineData("Trees", "using Voron.Storage.Engine; NS class A { }", "Trees names Engine")]
    [InlineData("Trees", "using R = Voron.Storage.Journal.RedoWriter; NS class A { R? _r; }", "Trees names Journal")]
    [InlineData("Trees", "NS class A { Journal.RedoWriter? _r; }", "Trees names Journal")]
    [InlineData("Pages", "NS class A { object _r = new global::Voron.Storage.Journal.RedoWriter(); }", "Pages names Journal")]
    [InlineData("Journal", "using static Voron.Storage.Trees.NodeSearch; NS class A { }", "Journal names Trees")]
    [InlineData("Trees", "NS class A { Tree? _t; }", "Trees names doors")]
    [InlineData("Contract", "namespace Voron.Storage; class A { Tree? _t; }", "Contract names doors")]
    [InlineData("Engine", "NS class A { Voron.Native.Call? _c; }", "Engine names Native")]
    [InlineData("Engine", "using Voron.Native.Unix; NS class A { }", "Engine names Native")]
    [InlineData("Format", "NS class A { StorageException? _e; }", "Format names Contract")]
    public void A_name_of_a_room_below_is_named(string room, string text, string complaint)
    {
        string path = $"src/Voron.Storage/{room}/A.cs";
        string source = text.Replace("NS", $"namespace Voron.Storage.{room};", StringComparison.Ordinal);
        RoomRule.CheckNames(SourceSet.Of([.. House, (path, source)])).Should().ContainSingle().Which.Should()
            .Match<Finding>(f => f.Subject == path && f.Message.StartsWith(complaint, StringComparison.Ordinal));
    }

    [Fact]
    public void A_member_reached_through_var_counts()
    {
        const string versions = "namespace Voron.Storage.Versions; class B { internal Engine.C Get() => new(); }";
        const string engine = "namespace Voron.Storage.Engine; class C { internal int Size; }";
        const string trees = "namespace Voron.Storage.Trees; class A { int Get(Versions.B b) { var c = b.Get(); return c.Size; } }";
        SourceSet house = SourceSet.Of(
            ("src/Voron.Storage/Versions/B.cs", versions),
            ("src/Voron.Storage/Engine/C.cs", engine),
            ("src/Voron.Storage/Trees/A.cs", trees));
        RoomRule.CheckNames(house)
            .Should().Contain(f => f.Message.StartsWith("Trees names Engine", StringComparison.Ordinal));
    }

    [Fact]
    public void Names_that_do_not_bind_are_reported() =>
        RoomRule.CheckBinding(SourceSet.Of(("src/Voron.Storage/Trees/A.cs", "namespace Voron.Storage.Trees; class A { Nowhere? _n; }")))
            .Should().ContainSingle().Which.Subject.Should().Be("src/Voron.Storage/Trees/A.cs");
}
