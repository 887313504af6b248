using FluentAssertions;
using Voron.Bench.Measuring;
using Voron.Bench.Reports;
using Xunit;

namespace Voron.Bench.Tests;

public sealed class RunFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("voron-bench-tests-").FullName;

    private static readonly Group Peers = new("peers", "fill", _ => []);

    private string FilePath => Path.Combine(_folder, "run.json");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_run_goes_on_where_it_was_broken_off()
    {
        RunFile first = new(FilePath, "seed 1", "all", "1a");
        first.Has(Peers).Should().BeFalse();
        first.Add([Row() with { Points = new Dictionary<string, double[]> { ["data"] = [0.5, 4096] } }]);

        RunFile second = new(FilePath, "seed 1", "all", "1a");
        second.Has(Peers).Should().BeTrue();
        second.Has(Peers with { Name = "another" }).Should().BeFalse();
        second.Has(Peers with { Section = "io" }).Should().BeFalse();
        second.Rows.Should().BeEquivalentTo(first.Rows);
        second.Add([Row() with { Group = "another" }]);
        new RunFile(FilePath, "seed 1", "all", "1a").Rows.Should().HaveCount(2);
    }

    [Fact]
    public void Rows_of_other_settings_are_refused()
    {
        new RunFile(FilePath, "seed 1", "all", "1a").Add([Row()]);
        Action open = () => _ = new RunFile(FilePath, "seed 2", "all", "1a");
        open.Should().Throw<IOException>().WithMessage("*seed 1*seed 2*");
    }

    [Fact]
    public void A_skipped_row_survives_the_file()
    {
        new RunFile(FilePath, string.Empty, "all", "1a")
            .Add([Voron.Bench.Row.Skipped("fill", "lmdb", "sync", "apt-get install liblmdb0")]);
        new RunFile(FilePath, string.Empty, "all", "1a").Rows.Single().SkippedBecause.Should().Be("apt-get install liblmdb0");
    }

    [Fact]
    public void The_file_says_which_engine_and_which_commands_its_rows_came_from()
    {
        string[] line = ["all", "--dir", "/disks/fast", "--json", "/results/run.json", "--only", "peers"];
        Arguments.TryParse(line, out Arguments arguments, out _).Should().BeTrue();
        new RunFile(FilePath, string.Empty, arguments.Line, "1a").Add([Row()]);
        new RunFile(FilePath, string.Empty, "all", "1a").Add([Row()]);
        new RunFile(FilePath, string.Empty, "all", "2b").Add([Row()]);
        RunContent content = JsonReport.Read(FilePath);
        content.Commands.Should().Equal("all --json run.json --only peers", "all");
        content.Engines.Should().Equal("1a", "2b");
        new ResultPages(content, _folder).Write();
        File.ReadAllText(Path.Combine(_folder, "README.md")).Should().Contain("-- all --json run.json --only peers\n")
            .And.Contain("commit 1a, 2b");
    }

    private static Row Row() => Voron.Bench.Row.Timed("fill", "lmdb", "sync", 100, [2, 1, 3]) with { Section = "peers", Group = "fill" };
}
