using System.Globalization;
using System.Text;
using Voron.Bench.Io;
using Voron.Bench.Verbs;
using Voron.Bench.Workloads;

namespace Voron.Bench.Reports;

/// <summary>
/// The part of README.md between two marks: the headline of ours and its peers. Nothing else of it is touched; its chart is on the
/// first screen, in a file of its own.
/// </summary>
internal static class ReadmeBlock
{
    private const int PutsPerTransaction = 100;

    internal const string Begin = "<!-- results: begin -->";
    internal const string End = "<!-- results: end -->";

    /// <summary>The README with the block of this run; as it was when it has no marks.</summary>
    internal static string Replace(string readme, string block)
    {
        int begin = readme.IndexOf(Begin, StringComparison.Ordinal);
        int end = readme.IndexOf(End, StringComparison.Ordinal);
        return begin < 0 || end < begin ? readme : readme[..(begin + Begin.Length)] + "\n" + block + readme[end..];
    }

    /// <summary>The block; null when the run has no headline beside peers.</summary>
    internal static string? Of(RunContent content)
    {
        List<Row> rows =
        [
            .. content.Rows.Where(static row => row is { Section: "peers", Name: WorkloadTable.Headline, Seconds: > 0 })
                .OrderByDescending(static row => row.ItemsPerSecond),
        ];
        if (rows.Count == 0)
        {
            return null;
        }

        StringBuilder text = new();
        text.Append("\n10,000 transactions of 100 random puts (16-byte key, 100-byte value), each on the device ");
        text.Append("before it is confirmed");
        text.Append(rows.Exists(static row => row.Durability?.Contains(CommitWaits.Unproved, StringComparison.Ordinal) == true)
            ? ".\n\n"
            : ", which a trace of system calls proved of each store.\n\n");
        List<Row> whole = [.. rows.Where(static row => !EndedEarly(row))];
        text.Append("| engine | version | puts a second | of the raw limit | p50 of a transaction | p99 | bytes to the device a put |\n");
        text.Append("|---|---|---:|---:|---:|---:|---:|\n");
        whole.ForEach(row => AppendRow(text, row, string.Empty));
        List<Row> early = [.. rows.Where(EndedEarly)];
        if (early.Count > 0)
        {
            text.Append("\nThose that would have taken more than ten minutes, stopped before the end with smaller trees:\n\n");
            text.Append("| engine | version | transactions | puts a second | of the raw limit | p50 of a transaction | p99 | ");
            text.Append("bytes to the device a put |\n|---|---|---:|---:|---:|---:|---:|---:|\n");
            early.ForEach(row => AppendRow(text, row, $"{row.Items / PutsPerTransaction:N0} | "));
        }

        text.Append("\nBytes to the device: ").Append(ResultPages.DeviceBytesOf(content)).Append(".\n");
        AppendDefaults(text, content);
        text.Append('\n').Append(content.Begun is null ? string.Empty : content.Begun + ", ").Append(content.Machine);
        return text.Append(". How each is set, and every other row: [`docs/results`](docs/results/README.md).\n\n").ToString();
    }

    private static void AppendRow(StringBuilder text, Row row, string transactions)
    {
        text.Append(CultureInfo.InvariantCulture, $"| {row.Engine} | {row.Version} | {transactions}{row.ItemsPerSecond:N0} | ");
        text.Append(CultureInfo.InvariantCulture, $"{row.RatioToLimit:0.00} | {row.P50Microseconds:N0} µs | ");
        text.Append(CultureInfo.InvariantCulture, $"{row.P99Microseconds:N0} µs | ");
        text.Append(row.DeviceBytesPerItem?.ToString("N0", CultureInfo.InvariantCulture) ?? RowColumn.NotMeasured).Append(" |\n");
    }

    private static bool EndedEarly(Row row) => row.Note?.StartsWith(WorkloadRun.EndedEarly, StringComparison.Ordinal) == true;

    /// <summary>What a commit does where nothing is set; where the run has no such rows, nothing.</summary>
    private static void AppendDefaults(StringBuilder text, RunContent content)
    {
        List<Row> rows =
        [
            .. content.Rows.Where(static row =>
                row is { Section: DurabilityVerb.Section, Name: CommitWaits.AsItComes, SyncsPerCommit: not null }),
        ];
        if (rows.Count == 0)
        {
            return;
        }

        text.Append("\nWhat a commit costs by default: how often it waits for the device when nothing is set.\n\n");
        text.Append("| engine | version | waits a commit | by default |\n|---|---|---:|---|\n");
        foreach (Row row in rows)
        {
            double waits = row.SyncsPerCommit!.Value + row.WriteThroughPerCommit.GetValueOrDefault();
            text.Append(CultureInfo.InvariantCulture, $"| {row.Engine} | {row.Version} | {waits:0.##} | {row.Durability} |\n");
        }
    }

    /// <summary>Its chart.</summary>
    internal static string ChartOf(RunContent content) => ResultPages.Bars(
        "Random puts a second, 100 a durable transaction, one caller",
        content.Rows.Where(static row => row is { Section: "peers", Name: WorkloadTable.Headline, Seconds: > 0 } && !EndedEarly(row))
            .OrderByDescending(static row => row.ItemsPerSecond));
}
