using System.Text;
using Voron.Bench.Peers;

namespace Voron.Bench.Reports;

/// <summary>The pages of docs/results: one for each section of a run, with charts, and one that leads to them.</summary>
internal sealed class ResultPages(RunContent content, string folder)
{
    private const string Command = "dotnet run -c Release --project bench/Voron.Bench -- ";

    private static readonly (string Section, string Title, string Says)[] Pages =
    [
        ("headline", "The headline against the raw limit",
            "One caller, 100 puts of 16 + 100 bytes a transaction. The limit: write-through writes of 12,288 bytes, one in flight, 100 "
            + "items in each, before and after each round; the faster one counts."),
        ("peers", "Beside its peers",
            "Each set so that a commit is on the device before it returns; how is in the list below. Each database was closed, opened "
            + "again and compared with what was written. The asynchronous row of ours is confirmed later than those of its peers: its "
            + "measure are the rows of 16 writer threads."),
        ("matrix", "The matrix of 2013",
            "none: the system decides (CommitMode.Lazy). buff: out of the process (CommitMode.Buffered). sync: on the device "
            + "(CommitMode.Durable, the default)."),
        ("io", "How do they do this?",
            "What a commit of 100 puts asks of the system, from a trace of system calls; an item is a commit, and times are those of the "
            + "trace. Writes, syncs, bytes and seeks are those of the thread that commits; others are in the remarks. A store that writes "
            + "through a map shows no write calls: see its device bytes."),
        ("durability", "What a commit costs by default",
            "How often a commit of 100 puts waits for the device, from a trace of the system calls of all threads of a process: sync "
            + "calls, and writes to files that were opened so that a write returns only when the device has it. First with the settings "
            + "of a user who sets nothing, then with those of all other tables. A store that does not wait at least once in every commit "
            + "is not compared: its rows there say so."),
        ("commits", "Commits of all kinds", "Asynchronous, shared and lazy ones, and those of many callers; an item is a transaction."),
        ("readers", "Snapshots", "Beginning and ending one; the headline beside one that is held."),
        ("raw", "The device alone", "What the device gives to whoever asks it directly, in the ways of 2013 and in ours."),
        ("dotnet", "Plain .NET for the same bytes",
            "11,600 bytes, which are 100 items, then a flush; no tree, no recovery. The limit is that of the headline."),
        ("latency", "Latency at fixed rates",
            "Durable transactions of one put. Latencies count from when a transaction ought to have begun, so one that waited for a slow "
            + "one before it shows its wait; the calls alone are in the remarks."),
        ("sustain", "Random puts that go on",
            "New items under random keys, one durable transaction after another, each engine in a process of its own; charts have a point "
            + "for every five seconds. Device bytes of the rows include the close, memory is what the fill added at its peak."),
        ("cold", "A tree larger than memory",
            "Random gets, puts and a whole scan, each in a process that may use the memory in its remarks and begins with nothing of the "
            + "tree in memory; the latencies are those of a get, or of a transaction of puts."),
        ("tables", "Tables with indexes",
            "Rows of 300 bytes with a unique index and two others, 100 inserts in each durable transaction; gets by the unique index, "
            + "which read the whole row; and a unique index built over rows that are there: ours beside a writer that commits all the "
            + "while."),
        ("windows-sync", "Commit time against the size of the database",
            "1,000 durable transactions of one put on a database that grows and is reopened before."),
    ];

    /// <summary>Writes all pages; the names of the files.</summary>
    internal IReadOnlyList<string> Write()
    {
        Directory.CreateDirectory(folder);
        List<string> written = [];
        StringBuilder index = new();
        index.Append("# Results\n\nOne run on one machine. Ratios of rows that stand together mean something, absolute figures of two ");
        index.Append("machines do not.\n\n");
        index.Append("* begun: ").Append(content.Begun ?? "unknown").Append('\n');
        index.Append("* machine: ").Append(content.Machine).Append('\n');
        index.Append("* engine: commit ").Append(content.Engines is { } engines ? string.Join(", ", engines) : "unknown").Append('\n');
        index.Append("* settings: ").Append(content.Settings.Length == 0 ? "none" : content.Settings).Append('\n');
        index.Append("* bytes to the device: ").Append(DeviceBytesOf(content)).Append('\n');
        index.Append("* libraries: ").Append(content.Versions.Count == 0 ? "none" : string.Join("; ", content.Versions)).Append("\n\n");
        index.Append("```sh\n");
        foreach (string command in content.Commands ?? ["all --json run.json"])
        {
            index.Append(Command).Append(command).Append('\n');
        }

        index.Append(Command).Append("report --json run.json\n```\n\n");
        foreach ((string section, string title, string says) in Pages)
        {
            List<Row> rows = [.. content.Rows.Where(row => row.Section == section)];
            if (rows.Count > 0)
            {
                written.Add($"{section}.md");
                File.WriteAllText(Path.Combine(folder, $"{section}.md"), Page(section, title, says, rows, written));
                index.Append("* [").Append(title).Append("](").Append(section).Append(".md)\n");
            }
        }

        index.Append("\n## What must be reached\n\n").Append(Gates.Table(content.Rows));
        File.WriteAllText(Path.Combine(folder, "README.md"), index.ToString());
        written.Add("README.md");
        return written;
    }

    /// <summary>How the bytes to the device were counted, in a sentence.</summary>
    internal static string DeviceBytesOf(RunContent content)
    {
        string[] devices = [.. content.Rows.Where(static row => row.DeviceBytesPerItem is not null)
            .Select(static row => row.DeviceBytesOf).OfType<string>().Distinct()];
        return devices.Length == 0
            ? RowColumn.NotMeasured
            : $"sectors that the block device {string.Join(", ", devices)} wrote while a row ran and until its files were synced, "
                + "those of other processes included";
    }

    private string Page(string section, string title, string says, List<Row> rows, List<string> written)
    {
        StringBuilder page = new();
        page.Append("# ").Append(title).Append("\n\n").Append(says).Append("\n\n```sh\n").Append(Command).Append(section).Append("\n```\n");
        if (section == "peers")
        {
            page.Append("\n## Where a peer was faster\n\n").Append(Slower.Of(rows)).Append("\n## How each commits\n\n");
            foreach (Row row in rows.Where(static row => row.Durability is not null).DistinctBy(static row => row.Engine))
            {
                page.Append("* ").Append(row.Engine).Append(row.Version is null ? string.Empty : $" ({row.Version})");
                page.Append(": ").Append(row.Durability).Append('\n');
            }
        }

        foreach (IGrouping<string, Row> group in rows.GroupBy(static row => row.Group ?? string.Empty))
        {
            page.Append("\n## ").Append(group.Key).Append("\n\n");
            AddCharts(page, section, [.. group], written);
            page.Append(MarkdownTable.Of([.. group]));
        }

        return page.ToString();
    }

    private void AddCharts(StringBuilder page, string section, List<Row> rows, List<string> written)
    {
        foreach (Row row in rows.Where(static row => row.Points is { Count: > 0 }))
        {
            AddChart(page, $"{section}-{row.Name}-{row.Engine}", $"{row.Engine}: where each write goes, {row.Name}",
                title => SvgChart.Dots(title, "s", "bytes", row.Points!), written);
        }

        foreach (string figure in rows.SelectMany(static row => row.OverTime?.Keys ?? []).Distinct())
        {
            Dictionary<string, double[]> lines = rows.Where(row => row.OverTime?.ContainsKey(figure) == true)
                .ToDictionary(static row => row.Engine, row => row.OverTime![figure]);
            AddChart(page, $"{section}-{figure}", figure, title => SvgChart.Lines(title, "s", string.Empty, lines), written);
        }

        // Rows of one name, several engines: their speed is what to look at.
        IEnumerable<Row> timed = rows.Where(static row => row.Seconds > 0 && row.Points is null);
        foreach (IGrouping<string, Row> same in timed.GroupBy(static row => row.Name))
        {
            if (same.Select(static row => row.Engine).Distinct().Count() > 1)
            {
                AddChart(page, $"{section}-{same.Key}", same.Key, title => Bars(title, same), written);
            }
        }
    }

    private void AddChart(StringBuilder page, string name, string title, Func<string, string> draw, List<string> written)
    {
        string file = string.Concat(
            name.Select(static letter => char.IsAsciiLetterOrDigit(letter) ? char.ToLowerInvariant(letter) : '-')) + ".svg";
        File.WriteAllText(Path.Combine(folder, file), draw(title));
        written.Add(file);
        page.Append("![").Append(title).Append("](").Append(file).Append(")\n\n");
    }

    internal static string Bars(string title, IEnumerable<Row> rows) => SvgChart.Bars(
        title,
        "/s",
        [.. rows.Select(static row => (row.Engine, row.ItemsPerSecond, row.Engine.StartsWith(OurStore.Name, StringComparison.Ordinal)))]);
}
