using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text.Json;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>
/// Damaged, cut, foreign, missing and occupied databases: the exit code says what kind of trouble, the text names the place.
/// </summary>
public sealed class DamageTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void Check_names_the_damaged_page_and_the_other_verbs_go_on_beside_it()
    {
        long page = _database.PageWith(PageContent.Leaf, TestDatabase.Key(700));
        TestDatabase.Flip(_database.DataFile, (page * TestDatabase.PageBytes) + 3000);

        CliRun check = CliRun.Of("check", _database.Path).Ends(ExitCode.Damaged);
        check.Output.Should().Contain($"{page}").And.Contain("DAMAGED: 1 finding;").And.Contain("checksum");
        check.Output.Should().MatchRegex($"Page {page} holds keys from 'u0\\d{{3}}' to below 'u0\\d{{3}}' of tree 'users'");
        check.Output.Split('\n')[0].Should().StartWith($"Page {page} of '").And.NotContain("..");
        JsonElement json = CliRun.Of("check", _database.Path, "--json").Ends(ExitCode.Damaged).Json;
        json.GetProperty("findings")[0].GetProperty("pageNumber").GetInt64().Should().Be(page);

        CliRun.Of("get", _database.Path, "users", TestDatabase.Key(1)).Ends(ExitCode.Good).Output.Should().Be("user number 1");
        CliRun get = CliRun.Of("get", _database.Path, "users", TestDatabase.Key(700)).Ends(ExitCode.Damaged);
        get.Error.Should().Contain($"{page}").And.Contain("data.voron").And.Contain("voron salvage");
        get.Output.Should().BeEmpty();
        CliRun.Of("scan", _database.Path, "users", "--limit", "0").Ends(ExitCode.Damaged).Both.Should()
            .Contain("u0000\tuser number 0").And.Contain($"{page}");
        JsonElement error = CliRun.Of("get", _database.Path, "users", TestDatabase.Key(700), "--json").Ends(ExitCode.Damaged).Json;
        error.GetProperty("exitCode").GetInt32().Should().Be((int)ExitCode.Damaged);
        error.GetProperty("error").GetProperty("page").GetInt64().Should().Be(page);
        error.GetProperty("error").GetProperty("file").GetString().Should().Contain("data.voron");

        CliRun shown = CliRun.Of("page", _database.Path, Text(page)).Ends(ExitCode.Damaged);
        shown.Output.Should().Contain("DAMAGED, if it is in use: Its checksum is");
        CliRun.Of("stat", _database.Path).Ends(ExitCode.Good);

        JsonElement salvage = CliRun.Of("salvage", _database.Path, _database.Beside("copy"), "--json").Ends(ExitCode.Damaged).Json;
        salvage.GetProperty("losses")[0].GetProperty("pageNumber").GetInt64().Should().Be(page);
        salvage.GetProperty("losses")[0].GetProperty("message").GetString().Should().MatchRegex("keys from 'u0\\d{3}' to below 'u0\\d{3}'");
        CliRun.Of("check", _database.Beside("copy")).Ends(ExitCode.Good);
        CliRun.Of("get", _database.Beside("copy"), "users", TestDatabase.Key(1)).Ends(ExitCode.Good);
    }

    [Fact]
    public void A_damaged_value_is_named_by_its_key_and_the_scan_goes_on()
    {
        long leaf = _database.PageWith(PageContent.Leaf, "run");
        long run = StorageInspection.ReadPage(_database.Path, leaf).Entries.First(static entry => entry.ValueBytes == 20_000).Page;
        TestDatabase.Flip(_database.DataFile, ((run + 2) * TestDatabase.PageBytes) + 17);
        CliRun scan = CliRun.Of("scan", _database.Path, "blobs").Ends(ExitCode.Damaged);
        scan.Output.Should().Contain("run\t(DAMAGED: ").And.Contain("short\ta few bytes");
        CliRun.Of("page", _database.Path, Text(run)).Ends(ExitCode.Damaged).Output.Should().Contain("Its checksum is");
        CliRun.Of("check", _database.Path).Ends(ExitCode.Damaged).Output.Should()
            .Contain(Text(run)).And.Contain("It holds the value of key 'run' of tree 'blobs'.");
    }

    /// <summary>A thread gives up its rights for files, and for itself alone: the tests may run as root.</summary>
    [Fact]
    [SupportedOSPlatform("linux")]
    public void A_folder_that_may_not_be_read_is_not_called_empty()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Rights of a thread exist on Linux only.");
        File.SetUnixFileMode(_database.Path, UnixFileMode.None);
        Exception? error = null;
        Thread reader = new(() =>
        {
            _ = SetFileUser(65_534);
            error = Record.Exception(() => DatabaseFolder.Demand(_database.Path));
        });
        reader.Start();
        reader.Join();
        File.SetUnixFileMode(_database.Path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Fault.Of(error!)!.ExitCode.Should().Be(ExitCode.Refused);
        error!.Message.Should().Contain(_database.Path).And.Contain("denied");
    }

    [DllImport("libc", EntryPoint = "setfsuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetFileUser(uint user);

    [Fact]
    public void Every_page_in_use_that_is_damaged_is_found_and_named()
    {
        long pages = new FileInfo(_database.DataFile).Length / TestDatabase.PageBytes;
        int found = 0;
        for (long page = 2; page < pages; page++)
        {
            PageContent content = StorageInspection.ReadPage(_database.Path, page).Content;
            if (content is not (PageContent.Leaf or PageContent.Branch or PageContent.SpaceMap))
            {
                continue;
            }

            TestDatabase.Flip(_database.DataFile, (page * TestDatabase.PageBytes) + 40);
            CliRun check = CliRun.Of("check", _database.Path);
            bool isNamed = check.ExitCode == ExitCode.Damaged && check.Both.Contains(Text(page), StringComparison.Ordinal);
            (check.ExitCode == ExitCode.Good || isNamed).Should().BeTrue("page {0} is free, or named: {1}", page, check.Both);
            found += isNamed ? 1 : 0;
            TestDatabase.Flip(_database.DataFile, (page * TestDatabase.PageBytes) + 40);
        }

        found.Should().BeGreaterThan(10);
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good);
    }

    [Fact]
    public void A_cut_data_file_is_damaged()
    {
        TestDatabase.Cut(_database.DataFile, 3 * TestDatabase.PageBytes);
        foreach (string verb in (string[])["check", "stat", "trees"])
        {
            CliRun.Of(verb, _database.Path).Ends(ExitCode.Damaged).Error.Should().Contain("data.voron").And.Contain("truncated");
        }

        CliRun.Of("salvage", _database.Path, _database.Beside("copy")).Ends(ExitCode.Damaged).Output.Should().Contain("LOST: ");
    }

    [Fact]
    public void Both_header_slots_damaged_are_named_and_salvage_finds_the_rest()
    {
        TestDatabase.Flip(_database.DataFile, 45);
        TestDatabase.Flip(_database.DataFile, TestDatabase.PageBytes + 45);
        CliRun.Of("check", _database.Path).Ends(ExitCode.Damaged).Error.Should().Contain("Both header slots");
        CliRun.Of("page", _database.Path, "0").Ends(ExitCode.Damaged).Output.Should().Contain("a header slot").And.Contain("checksum");
        CliRun.Of("salvage", _database.Path, _database.Beside("copy")).Ends(ExitCode.Damaged).Output.Should().Contain("header slots");
        CliRun.Of("get", _database.Beside("copy"), "users", TestDatabase.Key(999)).Ends(ExitCode.Good);
    }

    [Fact]
    public void A_damaged_record_of_the_journal_is_named_with_its_place()
    {
        using TestDatabase killed = new(isClosed: false);
        string chunk = killed.Chunk(".commit");
        List<JournalRecord> records = [];
        StorageInspection.ReadJournal(killed.Path, records.Add);
        JournalRecord second = records[1];
        TestDatabase.Flip(second.File, second.Offset + 200);
        const int HeaderBytes = 96;
        long place = (records[0].Offset + HeaderBytes + records[0].BodyBytes + 7) / 8 * 8;

        CliRun journal = CliRun.Of("journal", killed.Path).Ends(ExitCode.Damaged);
        journal.Output.Should().Contain(
            $"DAMAGED: '{chunk}': from offset {place} on records are damaged or gone; the one at {records[2].Offset} ");
        CliRun check = CliRun.Of("check", killed.Path).Ends(ExitCode.Damaged);
        check.Error.Should().Contain(chunk).And.Contain($"offset {place}");
        JsonElement error = CliRun.Of("check", killed.Path, "--json").Ends(ExitCode.Damaged).Json.GetProperty("error");
        error.GetProperty("kind").GetString().Should().Be(nameof(CorruptJournalException));
        error.GetProperty("offset").GetInt64().Should().Be(place);
    }

    [Fact]
    public void The_rest_of_an_unfinished_write_is_no_damage()
    {
        using TestDatabase killed = new(isClosed: false);
        List<JournalRecord> records = [];
        StorageInspection.ReadJournal(killed.Path, records.Add);
        JournalRecord last = records[^1];
        TestDatabase.Flip(last.File, last.Offset + 200);
        CliRun.Of("journal", killed.Path).Ends(ExitCode.Good).Output.Should().Contain("ends with an unfinished write");
        CliRun.Of("check", killed.Path).Ends(ExitCode.Good);
    }

    [Fact]
    public void A_damaged_and_a_missing_chunk_are_named()
    {
        using TestDatabase killed = new(isClosed: false);
        string chunk = killed.Chunk(".commit");
        TestDatabase.Flip(chunk, 20);
        CliRun.Of("journal", killed.Path).Ends(ExitCode.Damaged).Output.Should().Contain(chunk).And.Contain("its header is damaged");
        CliRun.Of("check", killed.Path).Ends(ExitCode.Damaged).Error.Should().Contain(chunk);
        File.Delete(chunk);
        CliRun.Of("check", killed.Path).Ends(ExitCode.Damaged).Error.Should().Contain(chunk);
        CliRun.Of("salvage", killed.Path, killed.Beside("copy")).Ends(ExitCode.Damaged);
    }

    [Theory]
    [InlineData("")]
    [InlineData("This is no database but a letter to a friend, long enough to look like something.")]
    public void A_foreign_file_is_no_database_and_beside_a_journal_it_is_what_is_left_of_one(string text)
    {
        File.WriteAllText(_database.DataFile, text);
        ExpectOfAllVerbs(ExitCode.Damaged, "holds nothing of the database whose journal is beside it");
        Directory.Delete(Path.Combine(_database.Path, "journal"), recursive: true);
        ExpectOfAllVerbs(ExitCode.Foreign, "is not a database");
    }

    [Fact]
    public void What_is_not_there_is_not_found()
    {
        CliRun.Of("check", _database.Beside("nowhere")).Ends(ExitCode.NotFound).Error.Should().Contain("There is no folder");
        CliRun.Of("check", _database.DataFile).Ends(ExitCode.NotFound).Error.Should().Contain("is a file. Name the folder");
        Directory.CreateDirectory(_database.Beside("bare"));
        CliRun.Of("check", _database.Beside("bare")).Ends(ExitCode.NotFound).Error.Should().Contain("holds no data.voron");
        CliRun.Of("get", _database.Path, "nobody", "k").Ends(ExitCode.NotFound).Error.Should().Contain("nobody").And.Contain("voron trees");
        CliRun.Of("get", _database.Path, "users", "u1000").Ends(ExitCode.NotFound).Error.Should().Contain("u1000");
        CliRun.Of("page", _database.Path, "999999").Ends(ExitCode.NotFound).Error.Should().Contain("999999").And.NotContain("Parameter");
        File.Delete(_database.DataFile);
        CliRun.Of("check", _database.Path).Ends(ExitCode.NotFound).Error.Should().Contain("its journal is there");
        Directory.GetFileSystemEntries(_database.Beside("bare")).Should().BeEmpty("nothing is created");
    }

    [Fact]
    public void A_target_that_is_a_database_is_refused()
    {
        CliRun.Of("salvage", _database.Path, _database.Path).Ends(ExitCode.Usage).Error.Should().Contain("choose an empty folder");
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good);
    }

    [Theory]
    [InlineData("")]
    [InlineData("chek")]
    [InlineData("check")]
    [InlineData("page . seven")]
    [InlineData("get . users")]
    [InlineData("check . --fast")]
    [InlineData("scan DB users --limit -1")]
    [InlineData("scan DB users --prefix a --from b")]
    [InlineData("scan DB users --from hex:0")]
    [InlineData("check DB --rate 0")]
    public void What_is_not_understood_is_said(string line)
    {
        string[] args = [.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(part => part == "DB" ? _database.Path : part)];
        CliRun run = CliRun.Of(args).Ends(ExitCode.Usage);
        run.Error.Should().StartWith("voron: ");
        run.Output.Should().BeEmpty();
    }

    [Fact]
    public void Help_names_all_verbs()
    {
        string help = CliRun.Of("--help").Ends(ExitCode.Good).Output;
        foreach (string verb in (string[])["check", "stat", "trees", "get", "scan", "page", "journal", "salvage", "--json"])
        {
            help.Should().Contain(verb);
            if (verb != "--json")
            {
                CliRun.Of(verb, "--help").Ends(ExitCode.Good).Output.Should().Contain("<folder>");
            }
        }
    }

    [Fact]
    public void A_database_that_another_process_writes_is_read_beside_it_and_not_changed()
    {
        string folder = _database.Beside("busy");
        string writer = Path.Combine(AppContext.BaseDirectory, "Voron.CrashWriter.dll");
        ProcessStartInfo start = new("dotnet", [writer, folder, "1"]) { RedirectStandardOutput = true, RedirectStandardInput = true };
        using Process process = Process.Start(start)!;
        try
        {
            process.StandardOutput.ReadLine().Should().NotBeNull("it tells what it has committed");
            foreach (string verb in (string[])["check", "stat", "trees"])
            {
                CliRun.Of(verb, folder).Ends(ExitCode.Good);
            }

            string[][] verbs = [["put", "t", "k", "v"], ["page", "0"], ["journal"], ["salvage", _database.Beside("copy")]];
            foreach (string[] verb in verbs)
            {
                CliRun.Of([verb[0], folder, .. verb[1..]]).Ends(ExitCode.Locked).Error.Should().Contain($"in use by process {process.Id}.");
            }
        }
        finally
        {
            process.Kill();
            process.WaitForExit();
        }

        CliRun.Of("check", folder).Ends(ExitCode.Good);
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private void ExpectOfAllVerbs(ExitCode code, string error)
    {
        foreach (string[] verb in (string[][])[["check"], ["stat"], ["page", "0"], ["journal"], ["salvage", _database.Beside("copy")]])
        {
            CliRun.Of([verb[0], _database.Path, .. verb[1..]]).Ends(code).Error.Should().Contain(error);
        }
    }
}
