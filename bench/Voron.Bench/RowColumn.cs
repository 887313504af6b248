using System.Globalization;

namespace Voron.Bench;

/// <summary>A column of a table for people.</summary>
/// <param name="Name">Its head.</param>
/// <param name="TextOf">What stands in a row; empty when the row has none.</param>
internal sealed record RowColumn(string Name, Func<Row, string> TextOf)
{
    /// <summary>What a row says whose device bytes no device counted.</summary>
    internal const string NotMeasured = "not measured";

    /// <summary>What a terminal has no room for; it stands in files and pages.</summary>
    private static readonly HashSet<string> Wide =
        ["version", "min-max", "p99.9 us", "max us", "managed bytes/item", "peak MiB", "close ms", "probe us", "remarks"];

    private static readonly RowColumn[] All =
    [
        new("engine", static row => row.Engine),
        new("version", static row => row.Version ?? string.Empty),
        new("ms", static row => row.SkippedBecause is not null ? "skipped"
            : row.Seconds > 0 ? Number(row.Seconds * 1e3, "N1")
            : string.Empty),
        new("min-max", static row => row.Rounds < 2
            ? string.Empty : $"{Number(row.SecondsMin * 1e3, "N1")}-{Number(row.SecondsMax * 1e3, "N1")}"),
        new("per second", static row => row.Items == 0 || row.Seconds == 0 ? string.Empty : Number(row.ItemsPerSecond, "N0")),
        new("of limit", static row => Number(row.RatioToLimit, "0.00")),
        new("p50 us", static row => Number(row.P50Microseconds, "N0")),
        new("p99 us", static row => Number(row.P99Microseconds, "N0")),
        new("p99.9 us", static row => Number(row.P999Microseconds, "N0")),
        new("max us", static row => Number(row.MaxMicroseconds, "N0")),
        new("bytes/commit", static row => Number(row.BytesPerCommit, "N0")),
        new("writes/commit", static row => Number(row.WritesPerCommit, "0.00")),
        new("written through/commit", static row => Number(row.WriteThroughPerCommit, "0.00")),
        new("syncs/commit", static row => Number(row.SyncsPerCommit, "0.00")),
        new("seeks/commit", static row => Number(row.SeeksPerCommit, "0.00")),
        new("largest write", static row => Number(row.LargestWriteBytes, "N0")),
        new("device bytes/item", static row =>
            row.DeviceBytesPerItem is null && row.DeviceBytesOf is not null ? NotMeasured : Number(row.DeviceBytesPerItem, "N0")),
        new("device bytes read/item", static row => Number(row.DeviceBytesReadPerItem, "N0")),
        new("cpu us/item", static row => Number(row.CpuMicrosecondsPerItem, "N2")),
        new("managed bytes/item", static row => Number(row.ManagedBytesPerItem, "0.##")),
        new("peak MiB", static row => Number(row.PeakBytes / (1 << 20), "N0")),
        new("disk MiB", static row => Number(row.DiskBytes / (1 << 20), "N1")),
        new("close ms", static row => Number(row.CloseSeconds * 1e3, "N0")),
        new("probe us", static row => row.ProbeBeforeMicroseconds is null
            ? string.Empty : $"{Number(row.ProbeBeforeMicroseconds, "N0")} > {Number(row.ProbeAfterMicroseconds, "N0")}"),
        new("remarks", RemarksOf),
    ];

    /// <summary>The columns that say something about at least one of the rows.</summary>
    internal static List<RowColumn> Filled(IReadOnlyList<Row> rows) =>
        [.. All.Where(column => rows.Any(row => column.TextOf(row).Length > 0))];

    /// <summary>The same without those that a terminal has no room for.</summary>
    internal static List<RowColumn> Brief(IReadOnlyList<Row> rows) => [.. Filled(rows).Where(static column => !Wide.Contains(column.Name))];

    /// <summary>All that is to be said beside the figures of a row.</summary>
    internal static string RemarksOf(Row row) => string.Join(
        "; ",
        new[] { row.Disturbed ? "disturbed" : null, row.SkippedBecause is null ? null : "skipped: " + row.SkippedBecause, row.Note }
            .Where(static text => text is not null));

    internal static string Number(double? figure, string format) =>
        figure?.ToString(format, CultureInfo.InvariantCulture) ?? string.Empty;
}
