using System.Text;
using System.Text.Json;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>The verbs that take entries out and put them in.</summary>
public sealed class ChangeTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void What_is_dumped_is_loaded_into_a_new_folder()
    {
        string copy = _database.Beside("copy");
        foreach (string[] options in (string[][])[["dump", _database.Path], ["dump", _database.Path, "--all", "--print"]])
        {
            CliRun dump = CliRun.Of(options).Ends(ExitCode.Good);
            dump.Error.Should().BeEmpty();
            dump.Output.Should().StartWith("VERSION=3\nformat=").And.EndWith("DATA=END\n").And.Contain("\ndatabase=users\n");
            CliRun.Of(dump.Bytes, ["load", copy]).Ends(ExitCode.Good).Output.Should().Contain("1,004 entries in 4 sections");
            CliRun.Of("check", copy).Ends(ExitCode.Good);
            CliRun.Of("get", copy, "blobs", "stream").Ends(ExitCode.Good).Bytes.Should().Equal(TestDatabase.Long());
            CliRun.Of(options.Select(word => word == _database.Path ? copy : word).ToArray()).Ends(ExitCode.Good)
                .Output.Replace("db_pagesize=8192", "db_pagesize=4096", StringComparison.Ordinal).Split('\n')
                .Where(static line => !line.StartsWith("mapsize=", StringComparison.Ordinal))
                .Should().Equal(dump.Output.Split('\n').Where(static line => !line.StartsWith("mapsize=", StringComparison.Ordinal)));
        }
    }

    [Fact]
    public void A_dump_goes_to_a_new_file_only_and_an_unfinished_one_is_removed()
    {
        string file = _database.Beside("dump");
        JsonElement json = CliRun.Of("dump", _database.Path, "users", "--out", file, "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("entries").GetInt64().Should().Be(TestDatabase.Users);
        json.GetProperty("bytes").GetInt64().Should().Be(new FileInfo(file).Length);
        CliRun.Of("dump", _database.Path, "--out", file).Ends(ExitCode.Refused).Error.Should().Contain(file);
        CliRun.Of("dump", _database.Path, "none", "--out", _database.Beside("other")).Ends(ExitCode.NotFound);
        File.Exists(_database.Beside("other")).Should().BeFalse();
        CliRun.Of("load", _database.Beside("target"), file, "--tree", "hex:ff").Ends(ExitCode.Good);
        CliRun.Of("get", _database.Beside("target"), "hex:ff", "u0042").Ends(ExitCode.Good).Output.Should().Be("user number 42");
        CliRun.Of("dump", _database.Beside("target"), "hex:ff").Ends(ExitCode.Good).Output.Should().Contain(" 7530303432\n");
    }

    [Theory]
    [InlineData("dump DB users --all", "--all goes without")]
    [InlineData("dump DB --json", "--out")]
    [InlineData("load DB - --jsonl", "--jsonl --key id")]
    [InlineData("load DB - --key id", "--jsonl --key id")]
    [InlineData("load DB - --jsonl --key id", "LoadOptions.Tree")]
    [InlineData("load DB - --append --no-overwrite", "exclude each other")]
    [InlineData("load DB - --batch -1", "EntriesPerTransaction")]
    public void Options_that_contradict_each_other_are_refused(string line, string expected) =>
        CliRun.Of(line.Replace("DB", _database.Path, StringComparison.Ordinal).Split(' ')).Ends(ExitCode.Usage).Both
            .Should().Contain(expected);

    [Fact]
    public void Strict_refuses_what_a_plain_dump_warns_of()
    {
        CliRun.Of("put", _database.Path, "odd", new string('k', 600), "v").Ends(ExitCode.Good);
        CliRun.Of("dump", _database.Path, "odd").Ends(ExitCode.Good).Error.Should().Contain("1 key is longer than 511 bytes");
        CliRun.Of("dump", _database.Path, "odd", "--strict").Ends(ExitCode.Damaged).Error.Should().Contain("mdb_load would refuse");
    }

    [Fact]
    public void A_bad_dump_is_named_by_its_line_and_changes_nothing()
    {
        byte[] bad = Encoding.ASCII.GetBytes("VERSION=3\ndatabase=users\nHEADER=END\n 61\n 62\n 6\n 62\nDATA=END\n");
        CliRun load = CliRun.Of(bad, ["load", _database.Path]).Ends(ExitCode.Damaged);
        load.Error.Should().Contain("Line 6").And.NotContain("salvage");
        JsonElement json = CliRun.Of(bad, ["load", _database.Path, "--json"]).Ends(ExitCode.Damaged).Json;
        json.GetProperty("error").GetProperty("line").GetInt64().Should().Be(6);
        json.GetProperty("error").GetProperty("kind").GetString().Should().Be(nameof(DumpFormatException));
        CliRun.Of("get", _database.Path, "users", "a").Ends(ExitCode.NotFound);
        CliRun.Of(bad, ["load", _database.Path, "--batch", "1"]).Ends(ExitCode.Damaged).Error.Should().Contain("1 entry committed before");
        CliRun.Of("get", _database.Path, "users", "a").Ends(ExitCode.Good).Output.Should().Be("b");
    }

    [Fact]
    public void Loads_keep_or_replace_what_exists()
    {
        byte[] dump = Encoding.ASCII.GetBytes("VERSION=3\nformat=print\ndatabase=users\nHEADER=END\n u0001\n new\n v\n new\nDATA=END\n");
        CliRun.Of(dump, ["load", _database.Path, "--no-overwrite"]).Ends(ExitCode.Good).Output.Should().Contain("1 of them kept");
        CliRun.Of("get", _database.Path, "users", "u0001").Ends(ExitCode.Good).Output.Should().Be("user number 1");
        CliRun.Of(dump, ["load", _database.Path, "--append"]).Ends(ExitCode.Damaged).Error.Should().Contain("Line 5");
        CliRun.Of(dump, ["load", _database.Path, "-", "--json"]).Ends(ExitCode.Good).Json.GetProperty("skipped").GetInt64().Should().Be(0);
        CliRun.Of("get", _database.Path, "users", "u0001").Ends(ExitCode.Good).Output.Should().Be("new");
    }

    [Fact]
    public void Lines_of_JSON_are_loaded_by_a_property()
    {
        byte[] lines = Encoding.UTF8.GetBytes("{\"_id\": {\"$oid\": \"a1\"}, \"n\": 1}\n{\"_id\": {\"$oid\": \"b2\"}}\n");
        string[] load = ["load", _database.Path, "-", "--jsonl", "--key", "_id.$oid", "--tree", "docs"];
        CliRun.Of(lines, load).Ends(ExitCode.Good);
        CliRun.Of("get", _database.Path, "docs", "a1").Ends(ExitCode.Good).Output.Should().Be("{\"_id\": {\"$oid\": \"a1\"}, \"n\": 1}");
    }

    [Fact]
    public void Put_and_delete_change_one_entry()
    {
        CliRun.Of("put", _database.Path, "notes", "hex:00ff", "text").Ends(ExitCode.Good).Output
            .Should().StartWith("Stored in transaction 12");
        CliRun.Of("get", _database.Path, "notes", "hex:00ff").Ends(ExitCode.Good).Output.Should().Be("text");
        CliRun.Of("delete", _database.Path, "notes", "hex:00ff", "--json").Ends(ExitCode.Good).Json
            .GetProperty("transactionId").GetInt64().Should().Be(13);
        CliRun.Of("delete", _database.Path, "notes", "hex:00ff").Ends(ExitCode.NotFound).Error.Should().Contain("has no key 'hex:00ff'");
        CliRun.Of("delete", _database.Path, "none", "k").Ends(ExitCode.NotFound).Error.Should().Contain("no tree 'none'");
        CliRun.Of("put", _database.Beside("none"), "t", "k", "v").Ends(ExitCode.NotFound);
        Directory.Exists(_database.Beside("none")).Should().BeFalse();
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good);
    }

    [Fact]
    public void Compact_shortens_the_file_and_changes_no_entry()
    {
        for (int i = 0; i < 8; i++)
        {
            CliRun.Of("put", _database.Path, "long", $"k{i}", new string('v', 100_000)).Ends(ExitCode.Good);
        }

        CliRun.Of("put", _database.Path, "late", "k", "v").Ends(ExitCode.Good);
        for (int i = 0; i < 8; i++)
        {
            CliRun.Of("delete", _database.Path, "long", $"k{i}").Ends(ExitCode.Good);
        }

        long before = new FileInfo(_database.DataFile).Length;
        JsonElement json = CliRun.Of("compact", _database.Path, "--json", "--leave-free", "0").Ends(ExitCode.Good).Json;
        long after = new FileInfo(_database.DataFile).Length;
        json.GetProperty("fileBytesBefore").GetInt64().Should().Be(before);
        json.GetProperty("fileBytesAfter").GetInt64().Should().Be(after).And.BeLessThan(before);
        json.GetProperty("usedBytes").GetInt64().Should().BeInRange(after - (64 << 10), after);
        CliRun.Of("compact", _database.Path).Ends(ExitCode.Good).Output
            .Should().StartWith("Moved 0 pages and merged 0: the data file has ");
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good);
        CliRun.Of("get", _database.Path, "late", "k").Ends(ExitCode.Good).Output.Should().Be("v");
        CliRun.Of("get", _database.Path, "blobs", "stream").Ends(ExitCode.Good).Bytes.Should().Equal(TestDatabase.Long());
        CliRun.Of("compact", _database.Path, "--leave-free", "-1").Ends(ExitCode.Usage).Error.Should().Contain("LeaveFreeShare");
    }

    [Fact]
    public void A_database_that_is_in_use_is_not_changed()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_database.Path);
        string[][] verbs = [["put", "t", "k", "v"], ["delete", "users", "u0001"], ["load"], ["compact"]];
        foreach (string[] verb in verbs)
        {
            CliRun.Of([verb[0], _database.Path, .. verb[1..]]).Ends(ExitCode.Locked).Error.Should().Contain($"{Environment.ProcessId}");
        }

        CliRun.Of("get", _database.Path, "users", "u0001").Ends(ExitCode.Good);
        CliRun.Of("dump", _database.Path).Ends(ExitCode.Good);
    }
}
