using System.Buffers.Binary;
using System.IO.Compression;
using System.Xml.Linq;
using FluentAssertions;
using Voron.Bench.Io;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Reports;
using Voron.Bench.Verbs;
using Voron.Bench.Workloads;
using Xunit;

namespace Voron.Bench.Tests;

public sealed class ReportTests : IDisposable
{
    private const string Headline = WorkloadTable.Headline;

    private readonly string _folder = Directory.CreateTempSubdirectory("voron-bench-tests-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Bars_are_as_long_as_their_figures()
    {
        XElement svg = XElement.Parse(SvgChart.Bars("a < b & c", "/s", [("ours", 200, true), ("peer", 100, false)]));
        double[] widths = [.. svg.Elements().Where(IsBar).Select(bar => (double)bar.Attribute("width")!)];
        widths.Should().HaveCount(2);
        widths[0].Should().BeApproximately(2 * widths[1], 0.2);
        svg.Value.Should().Contain("a < b & c");
    }

    [Fact]
    public void Every_pair_is_a_dot()
    {
        Dictionary<string, double[]> series = new() { ["data.mdb"] = [0, 0, 1, 4096, 0.5, 2048], ["empty"] = [], ["lock.mdb"] = [1, 0] };
        byte[] pixels = PixelsOf(SvgChart.Dots("places", "s", "bytes", series), out int width, out int height);
        pixels.Count(static pixel => pixel == 1).Should().Be(3);
        pixels[(height - 1) * width].Should().Be(1, "the first pair is at the left and at the bottom");
        pixels[width - 1].Should().Be(1, "the second one is at the right and at the top");
        pixels[(height * width) - 1].Should().Be(3, "the third series has a color of its own");
    }

    [Fact]
    public void A_line_is_one_path_and_short()
    {
        double[] flat = [.. Enumerable.Range(0, 80).Select(static at => at % 2 == 0 ? at : 50.0)];
        Dictionary<string, double[]> series = new() { ["ours"] = [0, 0, 10, 100], ["a < b"] = flat, ["none"] = [] };
        string svg = SvgChart.Lines("puts a second", "s", string.Empty, series);
        string[] paths = [.. XElement.Parse(svg).Elements().Where(static element => element.Name.LocalName == "path")
            .Select(static path => (string)path.Attribute("d")!)];
        paths.Should().HaveCount(3, "each series is one path");
        paths[0].Should().StartWith("M90 300").And.EndWith(" 40", "from the bottom on the left to the top");
        paths[1].Split('L').Should().HaveCount(40).And.OnlyContain(static at => at.EndsWith(" 170", StringComparison.Ordinal));
        paths[2].Should().BeEmpty();
        svg.Length.Should().BeLessThan(4_000);
    }

    [Fact]
    public void Dots_take_no_more_bytes_than_the_picture_has_cells()
    {
        double[] points = [.. Enumerable.Range(0, 200_000).Select(static at => (double)(at * 7919 % 100_003))];
        SvgChart.Dots("places", "s", "bytes", new Dictionary<string, double[]> { ["data"] = points }).Length.Should().BeLessThan(40_000);
    }

    /// <summary>The pixels of the picture inside, row by row without their filter types, all of them 0.</summary>
    private static byte[] PixelsOf(string svg, out int width, out int height)
    {
        const string Prefix = "data:image/png;base64,";
        string link = XElement.Parse(svg).Elements().Select(static element => (string?)element.Attribute("href")).Single(
            static link => link is not null)!;
        link.Should().StartWith(Prefix);
        byte[] png = Convert.FromBase64String(link[Prefix.Length..]);
        int columns = width = BinaryPrimitives.ReadInt32BigEndian(png.AsSpan(16));
        height = BinaryPrimitives.ReadInt32BigEndian(png.AsSpan(20));
        int content = png.AsSpan().IndexOf("IDAT"u8) + 4;
        using ZLibStream unzip = new(new MemoryStream(png, content, png.Length - content), CompressionMode.Decompress);
        using MemoryStream rows = new();
        unzip.CopyTo(rows);
        return [.. rows.ToArray().Where((_, at) => at % (columns + 1) != 0)];
    }

    [Fact]
    public void No_bars_are_a_chart_as_well() => XElement.Parse(SvgChart.Bars("none", "/s", [])).Should().NotBeNull();

    [Fact]
    public void A_table_has_the_columns_that_its_rows_fill()
    {
        Row skipped = Row.Skipped("a|b", "lmdb", "sync", "apt-get install liblmdb0");
        string table = MarkdownTable.Of([Ours(1) with { P50Microseconds = 7 }, skipped]);
        string[] lines = table.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        lines.Should().HaveCount(4);
        lines[0].Should().Contain("p50 us").And.NotContain("p99 us");
        lines[3].Should().Contain("a\\|b").And.Contain("skipped: apt-get install liblmdb0");
        lines.Select(static line => line.Replace("\\|", string.Empty, StringComparison.Ordinal).Count(static letter => letter == '|'))
            .Distinct().Should().HaveCount(1);
    }

    [Fact]
    public void Rows_in_which_a_peer_was_faster_are_named()
    {
        Slower.Of([Ours(1), Peer(2)]).Should().Be("In no row.\n");
        Slower.Of([Ours(2), Peer(1)]).Should().Contain(Headline).And.Contain("lmdb (2.00 times ours)");
    }

    [Theory]
    [InlineData(10.0, "goal")]
    [InlineData(5.0, "holds")]
    [InlineData(3.9, "missed")]
    public void A_gate_is_held_against_rows_of_one_run(double times, string verdict)
    {
        Gate gate = Gates.All.Single(static gate => gate.Name == "random fill, times LMDB");
        double? figure = gate.Figure([Ours(1), Peer(times)]);
        figure.Should().BeApproximately(times, 1e-9);
        Row apart = Ours(9) with { Section = "headline" };
        gate.Figure([apart, Ours(1), Peer(times)]).Should().Be(figure, "a ratio is of rows that were measured beside each other");
        gate.Verdict(figure).Should().Be(verdict);
        gate.Verdict(gate.Figure([Ours(1)])).Should().Be("not measured");
    }

    [Fact]
    public void Rows_that_gates_look_for_are_rows_that_are_measured()
    {
        string[] names = [.. WorkloadTable.Scaled(static (count, _) => count).Select(static workload => workload.Name)];
        Row[] rows =
        [
            .. from name in names
               from engine in (string[])[OurStore.Name, StoreKinds.OursAsync.Name, .. StoreKinds.Peers.Select(static kind => kind.Name)]
               select Row.Timed(name, engine, "sync", 1, [1]) with { Section = "peers", RatioToLimit = 1, DeviceBytesPerItem = 1 },
        ];
        Gates.All.Where(gate => gate.Figure(rows) is null).Select(static gate => gate.Name).Should().BeEquivalentTo(
            ["random get, times LMDB", "random gets a second", "two threads, times one", "full scan, times LMDB", "scanned items a second",
             "positions a second", "commit on the largest database, of an empty one", "headline beside a held reader, of without",
             "bytes of the largest commit write, random GUID"],
            "those come from the reads, the snapshots, the growing database and the traces");
    }

    [Fact]
    public void The_block_of_the_readme_changes_and_nothing_else_does()
    {
        string readme = $"before\n{ReadmeBlock.Begin}\nold\n{ReadmeBlock.End}\nafter\n";
        string block = ReadmeBlock.Of(Content())!;
        string replaced = ReadmeBlock.Replace(readme, block);
        replaced.Should().StartWith("before\n").And.EndWith("\nafter\n").And.Contain("lmdb").And.NotContain("old");
        ReadmeBlock.Replace(replaced, block).Should().Be(replaced, "a second time changes nothing");
        ReadmeBlock.Replace("no marks", block).Should().Be("no marks");
    }

    [Fact]
    public void The_block_has_versions_and_the_rows_that_ended_early_apart()
    {
        Row early = Peer(9) with { Engine = "slow", Version = "NuGet Slow 1.2", Items = 700, Note = "ended early: 7 of 10,000 tx" };
        Row asItComes = Row.Counted(CommitWaits.AsItComes, "rocksdb", "default", 20) with
        {
            Section = DurabilityVerb.Section, SyncsPerCommit = 0, WriteThroughPerCommit = 0, Durability = "not synced", Version = "7.8",
        };
        Row counted = Ours(1) with { Version = "Voron.Storage 1", DeviceBytesPerItem = 483, DeviceBytesOf = "vda1" };
        RunContent content = Content() with { Rows = [counted, Peer(2) with { DeviceBytesOf = BlockDevice.Unknown }, early, asItComes] };
        string block = ReadmeBlock.Of(content)!;
        block.Should().Contain("| Voron.Storage | Voron.Storage 1 |").And.Contain(" 483 |").And.Contain("block device vda1 wrote")
            .And.Contain("| slow | NuGet Slow 1.2 | 7 |").And.Contain($" {RowColumn.NotMeasured} |")
            .And.Contain("| rocksdb | 7.8 | 0 | not synced |");
        ReadmeBlock.ChartOf(content).Should().NotContain("slow");
    }

    [Fact]
    public void Pages_name_only_files_that_are_there()
    {
        IReadOnlyList<string> written = new ResultPages(Content(), _folder).Write();
        written.Should().Contain("README.md").And.Contain("peers.md").And.OnlyHaveUniqueItems();
        Directory.GetFiles(_folder).Select(Path.GetFileName).Should().BeEquivalentTo(written);
        string page = File.ReadAllText(Path.Combine(_folder, "peers.md"));
        written.Where(file => file.EndsWith(".svg", StringComparison.Ordinal)).Should().OnlyContain(file => page.Contains($"({file})"));
    }

    [Fact]
    public void Figures_over_time_have_a_chart_with_a_line_for_each_engine()
    {
        Dictionary<string, double[]> overTime = new() { ["puts a second"] = [5, 100, 10, 80] };
        Row[] rows = [Ours(1) with { Section = "sustain", OverTime = overTime }, Peer(2) with { Section = "sustain", OverTime = overTime }];
        new ResultPages(Content() with { Rows = rows }, _folder).Write().Should().Contain("sustain-puts-a-second.svg");
        File.ReadAllText(Path.Combine(_folder, "sustain.md")).Should().Contain("(sustain-puts-a-second.svg)");
        XElement.Load(Path.Combine(_folder, "sustain-puts-a-second.svg")).Elements()
            .Count(static element => element.Name.LocalName == "path").Should().Be(2);
    }

    private static bool IsBar(XElement element) => element.Name.LocalName == "rect" && element.Attribute("x") is not null;

    private static RunContent Content() => new("a machine", [], "seed 1", [Ours(1), Peer(2)]);

    private static Row Ours(double seconds) => Of(OurStore.Name, seconds);

    private static Row Peer(double seconds) => Of("lmdb", seconds);

    private static Row Of(string engine, double seconds) =>
        Row.Timed(Headline, engine, "sync", 100, [seconds]) with { Section = "peers", Group = Headline, Durability = "synced" };
}
