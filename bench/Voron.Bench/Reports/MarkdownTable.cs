using System.Text;

namespace Voron.Bench.Reports;

/// <summary>Rows as a table of a Markdown page: the columns that at least one of them has.</summary>
internal static class MarkdownTable
{
    internal static string Of(IReadOnlyList<Row> rows)
    {
        List<RowColumn> columns = RowColumn.Filled(rows);
        StringBuilder text = new();
        Line(text, ["row", .. columns.Select(static column => column.Name)]);
        Line(text, ["---", .. columns.Select(static column => column.Name is "engine" or "version" or "remarks" ? "---" : "---:")]);
        foreach (Row row in rows)
        {
            Line(text, [row.Name, .. columns.Select(column => column.TextOf(row))]);
        }

        return text.ToString();
    }

    private static void Line(StringBuilder text, IEnumerable<string> cells) =>
        text.Append("| ").AppendJoin(" | ", cells.Select(static cell => cell.Replace("|", "\\|", StringComparison.Ordinal))).Append(" |\n");
}
