using System.Text;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Transfer;

public sealed class JsonLinesTests : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();

    public void Dispose() => _environment.Dispose();

    [Fact]
    public void Each_object_is_a_value_as_it_is_and_one_property_its_key()
    {
        string first = """{"name": "Ada", "id": "u\u00e4 1", "n": [1, {"id": 3}]}""";
        string second = """{"id": -12.50, "x": {"id": "inner"}}""";
        LoadReport report = Load($"\uFEFF{first}\r\n\n{second}", "id");
        report.Entries.Should().Be(2);
        report.Sections.Should().Be(1);
        Text("uä 1").Should().Be(first);
        Text("-12.50").Should().Be(second);
    }

    [Fact]
    public void Dots_lead_to_inner_objects()
    {
        Load("""{"x": {"$oid": "no"}, "_id": {"kind": {}, "$oid": "507f1f77"}}""", "_id.$oid");
        Text("507f1f77").Should().Contain("507f1f77");
    }

    [Theory]
    [InlineData("[{\"id\": 1}]", 1, "not a JSON object")]
    [InlineData("{\"id\": 1}\n{\"id\": 2", 2, "not valid JSON")]
    [InlineData("{\"id\": 1} x", 1, "not valid JSON")]
    [InlineData("{\"key\": 1}", 1, "no property 'id'")]
    [InlineData("\n{\"id\": null}", 2, "neither text nor a number")]
    [InlineData("{\"id\": {\"a\": 1}}", 1, "'id.name'")]
    public void A_bad_line_is_refused_and_nothing_is_stored(string text, long line, string expected)
    {
        Action load = () => Load(text, "id");
        DumpFormatException error = load.Should().Throw<DumpFormatException>().Which;
        error.Message.Should().Contain(expected).And.Contain($"Line {line}");
        error.Line.Should().Be(line);
        Dumps.Entries(_environment, "t").Should().Be("none");
    }

    [Fact]
    public void Keys_and_lines_have_limits()
    {
        Action key = () => Load($$"""{"id": "{{new string('k', 3000)}}"}""", "id");
        key.Should().Throw<DumpFormatException>().WithInnerException<KeyTooLongException>();
        Action line = () => Load($$"""{"id": "k", "v": "{{new string('v', 17 << 20)}}"}""", "id");
        line.Should().Throw<DumpFormatException>().WithMessage("*longer than 16 MiB*");
        Action noTree = () => Dumps.Load(_environment, "{}", new LoadOptions { JsonKey = "id" });
        noTree.Should().Throw<ArgumentException>().WithMessage("*LoadOptions.Tree*");
    }

    private LoadReport Load(string text, string key) =>
        Dumps.Load(_environment, Encoding.UTF8.GetBytes(text), new LoadOptions { Tree = "t", JsonKey = key });

    private string Text(string key)
    {
        using ReadTransaction transaction = _environment.BeginRead();
        return Encoding.UTF8.GetString(transaction.OpenTree("t").Get(Encoding.UTF8.GetBytes(key)) ?? []);
    }
}
