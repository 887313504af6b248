using System.Globalization;
using Spectre.Console;

namespace Voron.Bench;

/// <summary>Draws rows for people.</summary>
internal static class RowTable
{
    private const int WidthWithoutTerminal = 180;

    /// <summary>A file or pipe has no width of its own; the default of 80 columns would break every line of the table.</summary>
    internal static void FitOutput()
    {
        if (Console.IsOutputRedirected)
        {
            AnsiConsole.Profile.Width = WidthWithoutTerminal;
        }
    }

    /// <summary>Rows of fills beside the limit.</summary>
    internal static void WriteFills(IEnumerable<Row> rows)
    {
        Table table = New(
            "row", "ms", "min-max", "items/s", "of limit", "min-max", "p50 us", "p99 us", "bytes/commit", "writes", "syncs",
            "probe us", "close");
        foreach (Row row in rows)
        {
            table.AddRow(
                Markup.Escape(row.Name + (row.Disturbed ? " (disturbed)" : string.Empty)),
                Number(row.Seconds * 1e3, "N0"),
                $"{Number(row.SecondsMin * 1e3, "N0")}-{Number(row.SecondsMax * 1e3, "N0")}",
                Number(row.ItemsPerSecond, "N0"),
                Number(row.RatioToLimit, "0.00"),
                row.RatioToLimitMin is null ? string.Empty : $"{Number(row.RatioToLimitMin, "0.00")}-{Number(row.RatioToLimitMax, "0.00")}",
                Number(row.P50Microseconds, "N0"),
                Number(row.P99Microseconds, "N0"),
                Number(row.BytesPerCommit, "N0"),
                Number(row.WritesPerCommit, "0.00"),
                Number(row.SyncsPerCommit, "0.00"),
                $"{Number(row.ProbeBeforeMicroseconds, "N0")} > {Number(row.ProbeAfterMicroseconds, "N0")}",
                Number(row.CloseSeconds * 1e3, "N0"));
        }

        AnsiConsole.Write(table);
    }

    /// <summary>Rows of reads.</summary>
    internal static void WriteReads(IEnumerable<Row> rows)
    {
        Table table = New("row", "engine", "items", "ms", "min-max", "items/s", "managed bytes per item", "allocated/logical");
        foreach (Row row in rows)
        {
            table.AddRow(
                Markup.Escape(row.Name),
                row.Engine,
                Number(row.Items, "N0"),
                Number(row.Seconds * 1e3, "N1"),
                $"{Number(row.SecondsMin * 1e3, "N1")}-{Number(row.SecondsMax * 1e3, "N1")}",
                Number(row.ItemsPerSecond, "N0"),
                Number(row.ManagedBytesPerItem, "0.####"),
                Number(row.AllocatedToLogical, "0.000"));
        }

        AnsiConsole.Write(table);
    }

    /// <summary>Rows of the device alone.</summary>
    internal static void WriteRaw(IEnumerable<Row> rows)
    {
        Table table = New("row", "writes/s", "us", "min-max", "p50 us", "p99 us", "MB/s");
        foreach (Row row in rows)
        {
            table.AddRow(
                Markup.Escape(row.Name),
                Number(row.ItemsPerSecond, "N0"),
                Number(row.Seconds * 1e6 / row.Items, "N1"),
                $"{Number(row.SecondsMin * 1e6 / row.Items, "N1")}-{Number(row.SecondsMax * 1e6 / row.Items, "N1")}",
                Number(row.P50Microseconds, "N1"),
                Number(row.P99Microseconds, "N1"),
                Number(row.ItemsPerSecond * row.BytesPerCommit / 1e6, "N1"));
        }

        AnsiConsole.Write(table);
    }

    private static Table New(params ReadOnlySpan<string> columns)
    {
        Table table = new Table().Border(TableBorder.Simple);
        foreach (string column in columns)
        {
            table.AddColumn(new TableColumn(column) { NoWrap = true, Alignment = column == "row" ? Justify.Left : Justify.Right });
        }

        return table;
    }

    private static string Number(double? figure, string format) =>
        figure?.ToString(format, CultureInfo.InvariantCulture) ?? string.Empty;
}
