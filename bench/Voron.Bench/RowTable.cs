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
                RowColumn.Number(row.Seconds * 1e3, "N0"),
                $"{RowColumn.Number(row.SecondsMin * 1e3, "N0")}-{RowColumn.Number(row.SecondsMax * 1e3, "N0")}",
                RowColumn.Number(row.ItemsPerSecond, "N0"),
                RowColumn.Number(row.RatioToLimit, "0.00"),
                row.RatioToLimitMin is null
                    ? string.Empty
                    : $"{RowColumn.Number(row.RatioToLimitMin, "0.00")}-{RowColumn.Number(row.RatioToLimitMax, "0.00")}",
                RowColumn.Number(row.P50Microseconds, "N0"),
                RowColumn.Number(row.P99Microseconds, "N0"),
                RowColumn.Number(row.BytesPerCommit, "N0"),
                RowColumn.Number(row.WritesPerCommit, "0.00"),
                RowColumn.Number(row.SyncsPerCommit, "0.00"),
                $"{RowColumn.Number(row.ProbeBeforeMicroseconds, "N0")} > {RowColumn.Number(row.ProbeAfterMicroseconds, "N0")}",
                RowColumn.Number(row.CloseSeconds * 1e3, "N0"));
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
                RowColumn.Number(row.Items, "N0"),
                RowColumn.Number(row.Seconds * 1e3, "N1"),
                $"{RowColumn.Number(row.SecondsMin * 1e3, "N1")}-{RowColumn.Number(row.SecondsMax * 1e3, "N1")}",
                RowColumn.Number(row.ItemsPerSecond, "N0"),
                RowColumn.Number(row.ManagedBytesPerItem, "0.####"),
                RowColumn.Number(row.AllocatedToLogical, "0.000"));
        }

        AnsiConsole.Write(table);
    }

    /// <summary>Rows of any kind: the columns that at least one of them has, and remarks below.</summary>
    internal static void WriteAll(IReadOnlyList<Row> rows)
    {
        List<RowColumn> columns = RowColumn.Brief(rows);
        Table table = New(["row", .. columns.Select(static column => column.Name)]);
        foreach (Row row in rows)
        {
            table.AddRow([Markup.Escape(row.Name), .. columns.Select(column => Markup.Escape(column.TextOf(row)))]);
        }

        AnsiConsole.Write(table);
        foreach (Row row in rows.Where(static row => RowColumn.RemarksOf(row).Length > 0))
        {
            AnsiConsole.WriteLine($"{row.Name}, {row.Engine}: {RowColumn.RemarksOf(row)}");
        }
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
}
