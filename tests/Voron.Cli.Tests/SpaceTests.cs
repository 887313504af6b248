using System.Text.Json;
using System.Xml.Linq;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>The page with pictures is well formed and shows the numbers of the reports.</summary>
public sealed class SpaceTests
{
    [Fact]
    public void The_page_has_a_map_the_trees_and_the_journal()
    {
        using TestDatabase database = new();
        string file = database.Beside("space.html");
        CliRun run = CliRun.Of("space", database.Path, "--html", file).Ends(ExitCode.Good);
        run.Output.Should().Contain("users").And.Contain("(free)").And.Contain("nothing to replay").And.Contain(file);
        JsonElement json = CliRun.Of("space", database.Path, "--json").Ends(ExitCode.Good).Json;
        XElement page = Parse(file);
        XElement map = Section(page, "map");
        XElement[] cells = [.. map.Descendants("rect")];
        cells.Should().HaveCount(json.GetProperty("pages").GetInt32(), "a small file has a cell for each page");
        cells.Count(static cell => cell.Value.Contains("(free): 1", StringComparison.Ordinal))
            .Should().Be(json.GetProperty("freePages").GetInt32());
        cells[0].Value.Should().Be("from page 0: (headers and space maps): 1");
        JsonElement users = json.GetProperty("trees")[3];
        cells.Count(static cell => cell.Value.Contains("users: 1", StringComparison.Ordinal))
            .Should().Be(users.GetProperty("pages").GetInt32());
        cells.Where(static cell => cell.Value.Contains("users: 1", StringComparison.Ordinal))
            .Select(static cell => cell.Attribute("fill")!.Value).Distinct().Should().ContainSingle();
        map.Value.Should().Contain("blobs").And.NotContain("<script");

        XElement trees = Section(page, "trees");
        trees.Elements("h3").Select(static name => name.Value).Should().BeEquivalentTo("users", "blobs", "odd", "empty");
        trees.Value.Should().Contain("1,000 entries").And.Contain("level 1").And.Contain("90 to 100 %");
        Section(page, "journal").Value.Should().Contain("nothing to replay");
        Section(page, "numbers").Value.Should().Contain("held until the next checkpoint");
        page.Descendants().Attributes().Should().NotContain(
            static one => one.Name.LocalName == "src" || one.Name.LocalName == "href", "it needs no other file");
    }

    [Fact]
    public void What_an_open_replays_is_counted_and_drawn()
    {
        using TestDatabase killed = new(isClosed: false);
        string file = killed.Beside("space.html");
        CliRun.Of("space", killed.Path, "--html", file).Ends(ExitCode.Good).Output.Should().Contain("An open replays 11 transactions");
        XElement journal = Section(Parse(file), "journal");
        journal.Value.Should().Contain("replays 11 transactions").And.Contain(".commit").And.Contain("1 to 11");
        journal.Descendants("rect").Where(static bar => bar.Attribute("fill")!.Value == "#1e88e5")
            .Should().Contain(static bar => double.Parse(
                bar.Attribute("width")!.Value, System.Globalization.CultureInfo.InvariantCulture) > 0);
        JsonElement json = CliRun.Of("space", killed.Path, "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("replayTransactions").GetInt64().Should().Be(11);
        json.GetProperty("replayBytes").GetInt64().Should().BeGreaterThan(TestDatabase.Users * 10);
    }

    [Fact]
    public void Names_are_escaped_and_large_files_have_fewer_cells_than_pages()
    {
        using TestDatabase database = new();
        string path = database.Beside("large");
        using (StorageEnvironment environment = StorageEnvironment.Open(path, new StorageOptions { PageSize = 4096 }))
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("<b>&").Put("k"u8, new byte[40 << 20]);
            transaction.Commit();
        }

        string file = database.Beside("large.html");
        CliRun.Of("space", path, "--html", file).Ends(ExitCode.Good);
        XElement map = Section(Parse(file), "map");
        map.Descendants("rect").Count().Should().BeInRange(2000, 3072);
        map.Value.Should().Contain("4 in each cell").And.Contain("<b>&: 4");
        CliRun.Of("space", path, "--html", file).Ends(ExitCode.Refused);
    }

    private static XElement Section(XElement page, string id) =>
        page.Descendants("section").Single(section => section.Attribute("id")!.Value == id);

    /// <summary>The page is written so that a strict parser reads it as well.</summary>
    private static XElement Parse(string file)
    {
        string text = File.ReadAllText(file);
        const string Head = "<!doctype html>";
        text.Should().StartWith(Head);
        return XElement.Parse(text[Head.Length..]);
    }
}
