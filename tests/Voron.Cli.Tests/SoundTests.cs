using System.Text;
using System.Text.Json;
using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>Every verb on a sound database: what it says, in words and as JSON, and that it changes nothing.</summary>
public sealed class SoundTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void Check_says_sound()
    {
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good).Output.Should().StartWith("Sound: ").And.Contain("1,0");
        JsonElement json = CliRun.Of("check", _database.Path, "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("isClean").GetBoolean().Should().BeTrue();
        json.GetProperty("findings").GetArrayLength().Should().Be(0);
        json.GetProperty("entriesChecked").GetInt64().Should().BeGreaterThan(TestDatabase.Users);
        CliRun.Of("check", _database.Path, "--rate", "100").Ends(ExitCode.Good).Output.Should().StartWith("Sound: ");
    }

    [Fact]
    public void Stat_shows_sizes()
    {
        CliRun.Of("stat", _database.Path).Ends(ExitCode.Good).Output.Should().Contain("4.0 KiB").And.Contain("trees");
        JsonElement json = CliRun.Of("stat", _database.Path, "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("pageBytes").GetInt32().Should().Be(TestDatabase.PageBytes);
        json.GetProperty("trees").GetInt32().Should().Be(4);
        json.GetProperty("lastTransactionId").GetInt64().Should().Be(11);
        json.GetProperty("dataFileBytes").GetInt64().Should().Be(new FileInfo(_database.DataFile).Length);
    }

    [Fact]
    public async Task Watch_shows_what_is_committed_meanwhile()
    {
        string path = _database.Beside("live");
        using StorageEnvironment environment = StorageEnvironment.Open(path);
        using CancellationTokenSource stop = new();
        Task writer = Task.Run(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                transaction.OpenTree("t").Put(BitConverter.GetBytes(i), "v"u8);
                transaction.Commit();
            }
        });
        string[] lines = CliRun.Of("watch", path, "--every", "0.3", "--lines", "3", "--json").Ends(ExitCode.Good).Output.Split('\n');
        CliRun words = CliRun.Of("watch", path, "--every", "0.1", "--lines", "1").Ends(ExitCode.Good);
        await stop.CancelAsync();
        await writer;
        JsonElement[] shown = [.. lines.Where(static line => line.Length > 0).Select(static line => JsonDocument.Parse(line).RootElement)];
        long[] ids = [.. shown.Select(static line => line.GetProperty("lastTransactionId").GetInt64())];
        ids.Should().HaveCount(3).And.BeInAscendingOrder().And.OnlyHaveUniqueItems();
        shown[^1].GetProperty("transactionsPerSecond").GetDouble().Should().BeGreaterThan(0);
        words.Output.Should().StartWith("    time").And.Contain("KiB");
        CliRun.Of("watch", path, "--every", "0").Ends(ExitCode.Usage).Error.Should().Contain("--every");
        CliRun.Of("watch", _database.Beside("none"), "--lines", "1").Ends(ExitCode.NotFound);
    }

    [Fact]
    public void Trees_are_listed_with_their_entries()
    {
        CliRun.Of("trees", _database.Path).Ends(ExitCode.Good).Output.Should().Contain("users").And.Contain("1,000").And.Contain("odd");
        JsonElement json = CliRun.Of("trees", _database.Path, "--json").Ends(ExitCode.Good).Json;
        json.EnumerateArray().Select(static tree => tree.GetProperty("name").GetString()).Should().Equal("blobs", "empty", "odd", "users");
        json[3].GetProperty("entries").GetInt64().Should().Be(TestDatabase.Users);
        json[3].GetProperty("depth").GetInt32().Should().Be(2);
    }

    [Fact]
    public void A_tree_whose_name_is_no_text_is_listed_by_a_name_that_opens_it()
    {
        string path = _database.Beside("bytes");
        using (StorageEnvironment environment = StorageEnvironment.Open(path))
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree([0xFF, 0x01]).Put("key"u8, "value"u8);
            transaction.Commit();
        }

        CliRun.Of("trees", path).Ends(ExitCode.Good).Output.Should().Contain("hex:ff01");
        CliRun.Of("get", path, "hex:ff01", "key").Ends(ExitCode.Good).Output.Should().Be("value");
    }

    [Fact]
    public void Get_writes_the_bytes_of_a_value_and_nothing_else()
    {
        CliRun.Of("get", _database.Path, "users", "u0042").Ends(ExitCode.Good).Output.Should().Be("user number 42");
        CliRun.Of("get", _database.Path, "odd", "hex:0001ff").Ends(ExitCode.Good).Bytes.Should().Equal(0xC0, 0xC1);
        CliRun.Of("get", _database.Path, "blobs", "stream").Ends(ExitCode.Good).Bytes.Should().Equal(TestDatabase.Long());
        JsonElement json = CliRun.Of("get", _database.Path, "odd", "hex:0001ff", "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("value").GetString().Should().Be("hex:c0c1");
        json.GetProperty("bytes").GetInt32().Should().Be(2);
    }

    [Fact]
    public void Get_writes_to_a_new_file_only()
    {
        string file = _database.Beside("value");
        CliRun.Of("get", _database.Path, "blobs", "stream", "--out", file).Ends(ExitCode.Good);
        File.ReadAllBytes(file).Should().Equal(TestDatabase.Long());
        CliRun.Of("get", _database.Path, "blobs", "short", "--out", file).Ends(ExitCode.Refused).Error.Should().Contain(file);
        new FileInfo(file).Length.Should().Be(TestDatabase.LongBytes, "it was there before");
    }

    [Theory]
    [InlineData("u0000 100", "")]
    [InlineData("u0500 100", "--from u0500")]
    [InlineData("u0000 5", "--to u0005")]
    [InlineData("u0100 50", "--from u0100 --to u0150")]
    [InlineData("u0120 10", "--prefix u012")]
    [InlineData("u0129 10", "--prefix u012 --reverse")]
    [InlineData("u0149 50", "--from u0100 --to u0150 --reverse")]
    [InlineData("u0999 100", "--reverse")]
    [InlineData("u0000 1000", "--limit 0")]
    [InlineData("u0000 7", "--limit 7")]
    [InlineData("u0000 1000", "--prefix u --limit 0")]
    public void Scan_lists_what_was_asked_for(string expected, string options)
    {
        string[] asked = [.. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        CliRun words = CliRun.Of(["scan", _database.Path, "users", "--keys", .. asked]).Ends(ExitCode.Good);
        string[] lines = words.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        $"{lines[0].TrimEnd('\r')} {lines.Length}".Should().Be(expected);
        JsonElement json = CliRun.Of(["scan", _database.Path, "users", "--json", .. asked]).Ends(ExitCode.Good).Json;
        $"{json[0].GetProperty("key").GetString()} {json.GetArrayLength()}".Should().Be(expected);
        json[0].GetProperty("value").GetString().Should().StartWith("user number ");
    }

    [Fact]
    public void Scan_shows_what_is_no_text_and_what_is_long()
    {
        CliRun.Of("scan", _database.Path, "odd").Ends(ExitCode.Good).Output.Should().StartWith("hex:0001ff\thex:c0c1");
        CliRun.Of("scan", _database.Path, "blobs").Ends(ExitCode.Good).Output.Should().Contain("short\ta few bytes")
            .And.Contain("(20000 bytes)").And.Contain("stream\t(a value in pieces");
        CliRun.Of("scan", _database.Path, "empty").Ends(ExitCode.Good).Output.Should().BeEmpty();
        CliRun.Of("scan", _database.Path, "users").Ends(ExitCode.Good).Error.Should().Contain("--limit 0 lists all 1,000");
    }

    [Theory]
    [InlineData("--from u0500 --to u0700", 150, 250)]
    [InlineData("--from u0800", 150, 250)]
    [InlineData("--prefix u02 --limit 10", 70, 130)]
    public void A_cut_scan_estimates_the_range_and_not_the_tree(string options, int least, int most)
    {
        string hint = CliRun.Of(["scan", _database.Path, "users", .. options.Split(' ')]).Ends(ExitCode.Good).Error;
        string number = hint[(hint.LastIndexOf("about ", StringComparison.Ordinal) + "about ".Length)..].TrimEnd('.', '\n', '\r');
        int.Parse(number, System.Globalization.CultureInfo.InvariantCulture).Should().BeInRange(least, most);
    }

    [Theory]
    [InlineData("chek x", "Did you mean 'check'?")]
    [InlineData("scan x y --limti 3", "Did you mean '--limit'?")]
    [InlineData("page x abc", "'abc' is not a whole number (page)")]
    [InlineData("scan x y --limit 1x", "'1x' is not a whole number (--limit)")]
    [InlineData("frobnicate", "'frobnicate' is not known here. 'voron --help'")]
    public void A_wrong_command_line_is_answered_in_plain_words(string line, string expected)
    {
        CliRun.Of(line.Split(' ')).Ends(ExitCode.Usage).Error.Should().Contain(expected).And.NotContain("System.");
    }

    [Fact]
    public void Page_decodes_each_kind_of_page()
    {
        CliRun.Of("page", _database.Path, "0").Ends(ExitCode.Good).Output.Should().Contain("a header slot").And.Contain("Generation");
        CliRun.Of("page", _database.Path, "1").Ends(ExitCode.Good);
        CliRun.Of("page", _database.Path, "2").Ends(ExitCode.Good).Output.Should()
            .Contain("a leaf").And.Contain("users").And.Contain("blobs");
        CliRun.Of("page", _database.Path, "3").Ends(ExitCode.Good).Output.Should().Contain("a space map");
        long leaf = _database.PageWith(PageContent.Leaf, TestDatabase.Key(7));
        CliRun page = CliRun.Of("page", _database.Path, $"{leaf}", "--bytes").Ends(ExitCode.Good);
        page.Output.Should().Contain("user number 7", "its bytes are shown").And.Contain("u0007");
        JsonElement json = CliRun.Of("page", _database.Path, $"{leaf}", "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("content").GetString().Should().Be("leaf");
        json.GetProperty("isSound").GetBoolean().Should().BeTrue();
        json.GetProperty("fields").GetProperty("PageNumber").GetString().Should().Be($"{leaf}");
        long blobs = _database.PageWith(PageContent.Leaf, "run");
        long run = StorageInspection.ReadPage(_database.Path, blobs).Entries.First(static entry => entry.ValueBytes == 20_000).Page;
        CliRun.Of("page", _database.Path, $"{run}").Ends(ExitCode.Good).Output.Should().Contain("first page of an overflow run");
    }

    [Fact]
    public void Journal_shows_chunks_and_records()
    {
        using TestDatabase killed = new(isClosed: false);
        CliRun words = CliRun.Of("journal", killed.Path, "--records").Ends(ExitCode.Good);
        words.Output.Should().Contain(".commit").And.Contain("Every chunk is sound");
        JsonElement json = CliRun.Of("journal", killed.Path, "--records", "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("isClean").GetBoolean().Should().BeTrue();
        JsonElement[] records = [.. json.GetProperty("records").EnumerateArray()];
        records.Where(static record => record.GetProperty("isCommit").GetBoolean())
            .Select(static record => record.GetProperty("transactionId").GetInt64())
            .Should().Equal(Enumerable.Range(1, 11).Select(static i => (long)i));
        records.Skip(1).Should().OnlyContain(static record => record.GetProperty("followsPrevious").GetBoolean());
    }

    [Fact]
    public void Salvage_of_a_sound_database_copies_all_of_it()
    {
        string target = _database.Beside("copy");
        JsonElement json = CliRun.Of("salvage", _database.Path, target, "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("isComplete").GetBoolean().Should().BeTrue();
        json.GetProperty("entries").GetInt64().Should().Be(TestDatabase.Users + 4);
        CliRun.Of("check", target).Ends(ExitCode.Good);
        CliRun.Of("get", target, "blobs", "stream").Ends(ExitCode.Good).Bytes.Should().Equal(TestDatabase.Long());
    }

    [Fact]
    public void No_verb_changes_a_byte_of_the_database()
    {
        using TestDatabase killed = new(isClosed: false);
        foreach (TestDatabase database in (TestDatabase[])[_database, killed])
        {
            string before = Fingerprint(database.Path);
            string[][] verbs =
            [
                ["check"], ["check", "--rate", "1000"], ["stat"], ["trees"], ["scan", "users"], ["get", "users", "u0001"], ["page", "2"],
                ["journal", "--records"], ["salvage", database.Beside("salvaged")],
            ];
            foreach (string[] verb in verbs)
            {
                CliRun.Of([verb[0], database.Path, .. verb[1..]]).Ends(ExitCode.Good);
                Fingerprint(database.Path).Should().Be(before, "{0} only reads", verb[0]);
            }
        }
    }

    [Fact]
    public void Two_may_look_at_the_same_time()
    {
        using StorageEnvironment reader = StorageEnvironment.Open(_database.Path, new StorageOptions { ReadOnly = true });
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good);
        CliRun.Of("page", _database.Path, "2").Ends(ExitCode.Good);
    }

    private static string Fingerprint(string folder)
    {
        StringBuilder all = new();
        foreach (string file in Directory.GetFiles(folder, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            if (Path.GetFileName(file) == "voron.lock")
            {
                // A reader's slot, no data.
                continue;
            }

            string hash = Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(File.ReadAllBytes(file)));
            all.AppendLine($"{file} {File.GetLastWriteTimeUtc(file):O} {hash}");
        }

        return all.ToString();
    }
}
