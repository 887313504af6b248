using System.Buffers;
using System.Text;
using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>Keys of .NET types are those of typed trees.</summary>
public sealed class TypedKeyTests : IDisposable
{
    private static readonly Guid Id = new("0f8fad5b-d9cb-469f-a165-70867728950e");

    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Theory]
    [InlineData("int64:42", "800000000000002a")]
    [InlineData("int64:-1", "7fffffffffffffff")]
    [InlineData("int64:9223372036854775807", "ffffffffffffffff")]
    [InlineData("guid:0f8fad5b-d9cb-469f-a165-70867728950e", "0f8fad5bd9cb469fa16570867728950e")]
    [InlineData("guid:0f8fad5bd9cb469fa16570867728950e", "0f8fad5bd9cb469fa16570867728950e")]
    [InlineData("int32:42", "696e7433323a3432")]
    public void A_typed_key_is_the_bytes_of_its_codec(string text, string hex) =>
        Convert.ToHexStringLower(ByteText.ParseKey(text)).Should().Be(hex);

    [Theory]
    [InlineData("int64:")]
    [InlineData("int64:4.2")]
    [InlineData("int64: 42")]
    [InlineData("int64:9223372036854775808")]
    [InlineData("guid:42")]
    [InlineData("hex:0")]
    public void What_is_no_such_key_is_refused(string text)
    {
        FluentActions.Invoking(() => ByteText.ParseKey(text)).Should().Throw<FormatException>().WithMessage($"'{text}' is not *");
        CliRun.Of("get", _database.Path, "users", text).Ends(ExitCode.Usage);
    }

    [Theory]
    [InlineData("int64:42")]
    [InlineData("guid:0f8fad5b-d9cb-469f-a165-70867728950e")]
    [InlineData("hex:00")]
    public void Text_that_would_be_read_as_such_is_shown_as_bytes(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        KeyText.Whole(bytes).Should().StartWith("hex:");
        ByteText.ParseKey(KeyText.Whole(bytes)).Should().Equal(bytes);
        ByteText.Parse(text).Should().HaveCount(text.StartsWith("hex:", StringComparison.Ordinal) ? 1 : text.Length, "a value is text");
    }

    [Fact]
    public void Entries_of_a_typed_tree_are_found_listed_and_changed()
    {
        TreeDefinition<long, string> numbers = new("numbers", KeyCodec.Int64, new TextCodec());
        TreeDefinition<Guid, string> ids = new("ids", KeyCodec.Guid, new TextCodec());
        using (StorageEnvironment environment = StorageEnvironment.Open(_database.Path))
        {
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree(numbers).Put(-7, "below");
            transaction.OpenTree(numbers).Put(42, "above");
            transaction.OpenTree(ids).Put(Id, "one");
            transaction.Commit();
        }

        CliRun.Of("get", _database.Path, "numbers", "int64:42").Ends(ExitCode.Good).Output.Should().Be("above");
        CliRun.Of("get", _database.Path, "ids", $"guid:{Id}").Ends(ExitCode.Good).Output.Should().Be("one");
        CliRun.Of("scan", _database.Path, "numbers", "--key-type", "int64").Ends(ExitCode.Good).Output.ReplaceLineEndings("\n")
            .Should().Be("int64:-7\tbelow\nint64:42\tabove\n");
        CliRun.Of("scan", _database.Path, "ids", "--key-type", "guid", "--json").Ends(ExitCode.Good).Json[0].GetProperty("key").GetString()
            .Should().Be($"guid:{Id}");
        CliRun.Of("scan", _database.Path, "numbers", "--from", "int64:0", "--keys").Ends(ExitCode.Good).Output.Trim()
            .Should().Be("hex:800000000000002a");
        CliRun.Of("scan", _database.Path, "users", "--key-type", "int64", "--limit", "1").Ends(ExitCode.Good).Output
            .Should().StartWith("u0000\t", "it is no key of that type");
        CliRun.Of("put", _database.Path, "numbers", "int64:100", "put").Ends(ExitCode.Good);
        CliRun.Of("delete", _database.Path, "numbers", "int64:-7").Ends(ExitCode.Good);
        using StorageEnvironment after = StorageEnvironment.Open(_database.Path);
        using ReadTransaction snapshot = after.BeginRead();
        List<long> kept = [];
        foreach (var (key, _) in snapshot.OpenTree(numbers))
        {
            kept.Add(key);
        }

        kept.Should().Equal(42, 100);
    }

    private sealed class TextCodec : IValueCodec<string>
    {
        public void Encode(string value, IBufferWriter<byte> destination) => Encoding.UTF8.GetBytes(value, destination);

        public string Decode(ReadOnlySpan<byte> source) => Encoding.UTF8.GetString(source);
    }
}
