using System.Reflection;

namespace Voron.House.Tests.Rules;

public sealed class PublicApiRuleTests
{
    [Theory]
    [InlineData("Voron.Storage")]
    [InlineData("Voron.Storage.Akka")]
    [InlineData("Voron.Storage.DataProtection")]
    [InlineData("Voron.Storage.Extensions")]
    [InlineData("Voron.Storage.Orleans")]
    [InlineData("Voron.Storage.Replication")]
    [InlineData("Voron.Storage.Replication.Etcd")]
    [InlineData("Voron.Storage.Replication.Nats")]
    [InlineData("Voron.Storage.Typed")]
    [InlineData("Voron.Native")]
    public void The_public_surface_is_the_accepted_one(string assembly)
    {
        string path = Path.Combine(Repository.Root, PublicApiRule.FileOf(assembly));
        IReadOnlyList<string> actual = PublicApi.Of(Assembly.Load(assembly).GetExportedTypes());
        if (Environment.GetEnvironmentVariable(PublicApiRule.AcceptVariable) == "1")
        {
            File.WriteAllText(path, string.Concat(actual.Select(line => line + "\n")));
        }

        PublicApiRule.Check(assembly, File.Exists(path) ? File.ReadAllLines(path) : [], actual).ShouldBeEmpty();
    }

    [Fact]
    public void Each_kind_of_member_has_its_line() =>
        PublicApi.Of([typeof(ApiSample<>), typeof(ApiSample<>.Mode), typeof(ApiSample<>.View)])
        .Select(line => line.Replace("Voron.House.Tests.Rules.", string.Empty, StringComparison.Ordinal))
        .Should().BeEquivalentTo(
            "ApiSample<T> : abstract class : System.EventArgs, System.IDisposable",
            "ApiSample<T>.virtual Dispose() : void",
            "ApiSample<T>.Item[int i] : T { get; }",
            "ApiSample<T>.Name : string { get; init; }",
            "ApiSample<T>.TryGet(scoped System.ReadOnlySpan<byte> key, out T value, int limit = 7) : bool",
            "ApiSample<T>.const Max : long = 9",
            "ApiSample<T>.event Closed : System.EventHandler",
            "ApiSample<T>.protected abstract Make<TOther>(ref TOther[] from, int? at) : T",
            "ApiSample<T>.protected new(string text)",
            "ApiSample<T>.static op_Implicit(ApiSample<T> it) : int",
            "ApiSample<T>.Mode : enum(byte)",
            "ApiSample<T>.Mode.Fast = 1",
            "ApiSample<T>.View : readonly ref struct",
            "ApiSample<T>.View.readonly Length : int");

    [Fact]
    public void The_same_surface_passes() => PublicApiRule.Check("A", ["x", "y"], ["x", "y"]).Should().BeEmpty();

    [Fact]
    public void A_changed_surface_is_shown() => PublicApiRule.Check("A", ["x", "y"], ["y", "z"]).Should().ContainSingle()
        .Which.Message.Should().Contain("- x\n+ z").And.Contain("VORON_ACCEPT_PUBLIC_API=1");
}
