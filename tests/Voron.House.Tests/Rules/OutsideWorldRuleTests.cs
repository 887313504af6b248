namespace Voron.House.Tests.Rules;

public sealed class OutsideWorldRuleTests
{
    [Fact]
    public void The_repository_reaches_the_world_through_IO_and_Threads() => OutsideWorldRule.Check(SourceSet.OfRepository).ShouldBeEmpty();

    [Theory]
    [InlineData("IO", "class A { bool B() => File.Exists(\"a\"); }")]
    [InlineData("Engine", "class A { string? File { get; } int Random; void B() { _ = File?.Length; _ = Random; } }")]
    [InlineData("Engine", "class A { System.Threading.Tasks.Task B() => System.Threading.Tasks.Task.CompletedTask; /* File.Exists */ }")]
    public void Others_pass(string room, string text) => Check(room, text).Should().BeEmpty();

    [Theory]
    [InlineData("class A { bool B() => File.Exists(\"a\"); }")]
    [InlineData("class A { bool B() => System.IO.Directory.Exists(\"a\"); }")]
    [InlineData("class A { System.IDisposable B() => new FileStream(\"a\", FileMode.Open); }")]
    [InlineData("class A { System.DateTime B() => System.DateTime.UtcNow; }")]
    [InlineData("class A { int B(System.Func<int> c) { System.Threading.Tasks.Task.Run(c); return 0; } }")]
    [InlineData("class A { System.Guid B() => System.Guid.NewGuid(); }")]
    [InlineData("class A { int B() => new System.Random().Next(); }")]
    [InlineData("using F = System.IO.RandomAccess; class A { }")]
    [InlineData("using static System.IO.File; class A { bool B() => Exists(\"a\"); }")]
    public void Calls_past_it_are_named(string text) =>
        Check("Engine", text).Should().ContainSingle().Which.Subject.Should().Be("src/Voron.Storage/Engine/A.cs");

    [Theory]
    [InlineData("Engine")]
    [InlineData("IO")]
    public void Cryptography_of_the_runtime_is_named_in_every_room(string room) =>
        Check(room, "class A { void B() => System.Security.Cryptography.RandomNumberGenerator.Fill(new byte[1]); }")
            .Should().ContainSingle();

    private static IEnumerable<Finding> Check(string room, string text) =>
        OutsideWorldRule.Check(SourceSet.Of(($"src/Voron.Storage/{room}/A.cs", text)));
}
