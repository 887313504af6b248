using System.Globalization;
using System.Text;
using Voron.Bench.Workloads;

namespace Voron.Bench.Reports;

/// <summary>
/// The part of README.md between two marks: the headline of ours and its peers, and one chart. Nothing else of it is touched.
/// </summary>
internal static class ReadmeBlock
{
    /// <summary>How the note of a row begins that did not run all of its transactions.</summary>
    private const string EndedEarly = "ended early: ";

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
        text.Append("before it is confirmed.\n\n");
        text.Append("| engine | puts a second | of the raw limit | p50 of a transaction | p99 | bytes to the device a put |\n");
        text.Append("|---|---:|---:|---:|---:|---:|\n");
        foreach (Row row in rows)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {row.Engine} | {row.ItemsPerSecond:N0} | {row.RatioToLimit:0.00} | ");
            text.Append(CultureInfo.InvariantCulture, $"{row.P50Microseconds:N0} µs | {row.P99Microseconds:N0} µs | ");
            text.Append(CultureInfo.InvariantCulture, $"{row.DeviceBytesPerItem:N0} |\n");
        }

        List<Row> early = [.. rows.Where(static row => row.Note is { } note && note.StartsWith(EndedEarly, StringComparison.Ordinal))];
        if (early.Count > 0)
        {
            text.Append("\nStopped before the end, with smaller trees than the others: ");
            text.AppendJoin(", ", early.Select(static row => $"{row.Engine} ({row.Note![EndedEarly.Length..]})")).Append(".\n");
        }

        text.Append("\n![Puts a second](docs/results/readme.svg)\n\n");
        text.Append(content.Begun is null ? string.Empty : content.Begun + ", ").Append(content.Machine);
        return text.Append(". How each is set, and every other row: [`docs/results`](docs/results/README.md).\n\n").ToString();
    }

    /// <summary>Its chart.</summary>
    internal static string ChartOf(RunContent content) => ResultPages.Bars(
        "Random puts a second, 100 a durable transaction, one caller",
        content.Rows.Where(static row => row is { Section: "peers", Name: WorkloadTable.Headline, Seconds: > 0 })
            .OrderByDescending(static row => row.ItemsPerSecond));
}
