using System.Diagnostics;
using FluentAssertions;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Reports;
using Xunit;

namespace Voron.Bench.Tests;

/// <summary>Small runs of verbs that start processes of their own, with our engine only: what they print, and their rows.</summary>
public sealed class VerbRunTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("voron-bench-tests-").FullName;

    private string JsonPath => Path.Combine(_folder, "run.json");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_sustained_fill_prints_its_intervals_and_is_verified()
    {
        string said = Run(["sustain", "--items", "2,050", "--dirty", "16"], out int code);
        code.Should().Be(0, said);
        said.Should().MatchRegex(@"Voron\.Storage +\d+\.\d s +2,050 items +[\d,]+/s  p50 \d").And.MatchRegex(@"closed in \d")
            .And.Contain("reopened: 2,050 items are there, and the whole check found nothing");
        Row row = JsonReport.Read(JsonPath).Rows.Should().ContainSingle().Subject;
        row.Should().BeEquivalentTo(new { Engine = OurStore.Name, Items = 2_050L, Section = "sustain" });
        row.Durability.Should().Be("CommitMode.Durable, MaxDirtyBytes 16 MiB");
        row.OverTime!["puts a second"].Should().HaveCount(2).And.OnlyContain(static figure => figure >= 0);
        row.PeakBytes.Should().NotBeNull();

        new ResultPages(JsonReport.Read(JsonPath), _folder).Write().Should().Contain("sustain.md")
            .And.Contain("sustain-puts-a-second.svg");
    }

    [Fact]
    public void A_fill_with_deletions_is_verified_and_read()
    {
        string[] options = ["--load", "deletes", "--reads", "--write-optimized", "--dirty", "16"];
        string said = Run(["sustain", "--items", "2,000", .. options], out int code);
        code.Should().Be(0, said);
        said.Should().MatchRegex(@"a get [\d,]+ ns with 0 MiB pending").And.Contain("and the whole check found nothing");
        JsonReport.Read(JsonPath).Rows.Should().ContainSingle().Which.Durability.Should().EndWith("16 MiB, write-optimized");
    }

    [Fact]
    public void A_killed_fill_has_all_that_was_acknowledged()
    {
        string said = Run(["sustain", "--items", "2,000", "--kill"], out int code);
        code.Should().Be(0, said);
        said.Should().MatchRegex(@"open after the kill in \d+\.\d\d s").And.Contain("2,000 items were acknowledged, 2,000 are there");
        JsonReport.Read(JsonPath).Rows.Should().ContainSingle().Which.Name.Should().Be("open after a kill");
    }

    [Fact]
    public void A_cold_tree_is_read_written_and_walked()
    {
        string said = Run(["cold", "--megabytes", "8", "--memory", "256", "--seconds", "1"], out int code);
        if (BlockDevice.Under(_folder) is null)
        {
            code.Should().Be(1);
            said.Should().Contain("Reads cannot be counted");
            return;
        }

        code.Should().Be(0, said);
        IReadOnlyList<Row> rows = JsonReport.Read(JsonPath).Rows;
        rows.Select(static row => row.Name).Should().Equal("random get", "whole scan", "random put, 100 a tx");
        rows.Should().OnlyContain(static row => row.Seconds > 0 && row.DeviceBytesReadPerItem >= 0 && row.Items > 0);
        rows[2].Note.Should().Contain("in a tree of 8 MiB; in ");
        said.Should().MatchRegex(@"random get +[\d,]+ in \d+\.\d s +[\d,.]+ us and [\d,]+ bytes read each");
    }

    [Fact]
    public void Multi_value_trees_are_measured_and_judged()
    {
        string said = Run(["multi", "--scale", "0.01", "--rounds", "1"], out int code);
        code.Should().Be(0, said);
        said.Should().MatchRegex(@"1/1  Voron\.Storage +adds +\d+\.\d\d M/s +\d+\.\d B a pair  contains +\d+ ns")
            .And.Contain("1,000 x 1,000 x 8: adds, times dupsort:  (≥ 0.9) not measured")
            .And.Contain("bytes of journal a transaction: 4096 (≤ 4096) pass")
            .And.Contain("managed bytes a get and step: 0 (≤ 0) pass").And.Contain("managed bytes a transaction: 0 (≤ 0) pass");
        IReadOnlyList<Row> rows = JsonReport.Read(JsonPath).Rows;
        rows.Should().HaveCount(21).And.OnlyContain(static row => row.Seconds > 0 && row.Section == "multi");
        rows.Single(static row => row.Group == "durable transactions of 100 adds").BytesPerCommit.Should().Be(4096);
    }

    [Fact]
    public void Fixed_size_trees_are_measured_and_judged()
    {
        string said = Run(["fixed", "--scale", "0.02", "--rounds", "1"], out int code);
        code.Should().Be(0, said);
        said.Should().MatchRegex(@"1/1  Voron\.Storage +append +\d+\.\d M/s, \d+\.\d with its commit  room \d\.\d{3}  get +\d+ ns")
            .And.MatchRegex(@"get, times the ordered tree: [\d.]+ \(≥ 1\.4\)").And.MatchRegex(@"appends, M/s: [\d.]+ \(≥ 15\)")
            .And.MatchRegex(@"sum in blocks, G values/s: [\d.]+ \(≥ 1\)").And.MatchRegex(@"room, of the bytes appended: [\d.]+ \(≤ 1\.02\)")
            .And.Contain("managed bytes a get and step: 0 (≤ 0) pass").And.Contain("managed bytes of 100 puts: 0 (≤ 0) pass");
        IReadOnlyList<Row> rows = JsonReport.Read(JsonPath).Rows;
        rows.Should().HaveCount(10).And.OnlyContain(static row => row.Seconds > 0 && row.Section == "fixed" && row.Items == 20_000);
    }

    [Fact]
    public void Replicas_are_measured_beside_their_logs_where_those_are_installed()
    {
        string said = Run(
            ["replica", "--engines", "nats,etcd", "--scale", "0.005", "--rounds", "1"], out int code);
        code.Should().Be(0, said);
        foreach (string log in (string[])["nats", "etcd"])
        {
            if (said.Contains($"{log}: skipped", StringComparison.OrdinalIgnoreCase))
            {
                continue;
            }

            said.Should().MatchRegex($@"{log}, one caller, of the carrier's own append: [\d.]+ \(≥ 0\.7\)")
                .And.MatchRegex($@"{log}, 256 callers, of an engine alone: [\d.]+ \(≥ 0\.5\)")
                .And.MatchRegex($@"{log}, transactions a second that a follower applies: [\d.]+ \(≥ 50000\)")
                .And.MatchRegex($@"{log}, seconds from the kill to the next acknowledged write: [\d.]+ \(≤ 7\)");
        }
    }

    [Fact]
    public void Tables_are_measured_beside_a_peer_and_judged()
    {
        string said = Run(
            ["tables", "--rows", "500", "--rounds", "2", "--scale", "0.4", "--engines", "voron,microsoft.data.sqlite"], out int code);
        code.Should().Be(0, said);
        said.Should().MatchRegex(@"2/2  Voron\.Storage +200 rows, +[\d,]+ rows/s, +[\d,]+ µs a transaction; [\d.]+ µs a get")
            .And.MatchRegex(@"inserts, times SQLite: [\d.]+ \(≥ 5\)").And.Contain("inserts, times LiteDB:  (≥ 10) not measured")
            .And.MatchRegex(@"get by unique index, times SQLite: [\d.]+ \(≥ 3\)")
            .And.MatchRegex(@"2/2  Voron\.Storage +2,000 rows in [\d.]+ s; beside [\d,]+ commits/s, [\d,]+ without")
            .And.MatchRegex(@"seconds of a build over 1,000,000 rows: [\d.]+ \(≤ 3\)");
        IReadOnlyList<Row> rows = JsonReport.Read(JsonPath).Rows;
        rows.Should().HaveCount(6).And.OnlyContain(static row => row.Seconds > 0 && row.Section == "tables" && row.Rounds == 2);
        rows.Where(static row => row.Engine == OurStore.Name).Select(static row => (row.Name, row.Items)).Should().Equal(
            ("insert, 100 rows a tx", 100), ("get by unique index", 1), ("build of a unique index", 2_000));
        new ResultPages(JsonReport.Read(JsonPath), _folder).Write().Should().Contain("tables.md")
            .And.Contain("tables-get-by-unique-index.svg");
    }

    private string Run(string[] words, out int code)
    {
        string[] engines = words.Contains("--engines") ? [] : ["--engines", "voron"];
        string[] arguments = [.. words, .. engines, "--dir", _folder, "--json", JsonPath];
        string[] command = [.. OwnProgram.Command, .. arguments];
        using Process process = Process.Start(new ProcessStartInfo(command[0], command.Skip(1)) { RedirectStandardOutput = true })!;
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        code = process.ExitCode;
        return said;
    }
}
