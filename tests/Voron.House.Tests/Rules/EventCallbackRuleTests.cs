namespace Voron.House.Tests.Rules;

public sealed class EventCallbackRuleTests
{
    [Fact]
    public void The_repository_calls_the_event_callback_in_one_place() => EventCallbackRule.Check(SourceSet.OfRepository).ShouldBeEmpty();

    [Theory]
    [InlineData("Engine/A.cs", "class A { O B(O o) => new() { OnEvent = o.OnEvent }; }")]
    [InlineData("Engine/A.cs", "class A { void B(O o) => o.Report(1); }")]
    [InlineData("Engine/EventCallback.cs", "class A { void B(O o) => o.OnEvent?.Invoke(1); }")]
    public void Others_pass(string path, string text) => Check(path, text).Should().BeEmpty();

    [Theory]
    [InlineData("class A { void B(O o) => o.OnEvent?.Invoke(1); }")]
    [InlineData("class A { void B(O o) { if (o.OnEvent is { } tell) { tell(1); } } }")]
    [InlineData("class A { bool B(O o) => o.OnEvent is null; }")]
    [InlineData("class A { O B(O o) => new() { OnEvent = e => o.OnEvent(e) }; }")]
    public void Reads_past_the_door_are_named(string text) =>
        Check("Engine/A.cs", text).Should().ContainSingle().Which.Subject.Should().Be("src/Voron.Storage/Engine/A.cs");

    private static IEnumerable<Finding> Check(string path, string text) =>
        EventCallbackRule.Check(SourceSet.Of(("src/Voron.Storage/" + path, text)));
}
