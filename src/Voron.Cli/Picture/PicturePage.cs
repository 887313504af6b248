using System.Globalization;
using System.Net;
using System.Text;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Cli.Picture;

/// <summary>
/// One page of HTML that needs nothing else: pictures are drawn as SVG in it, details are shown by the browser where the mouse rests, and
/// the numbers behind them are in tables.
/// </summary>
internal static class PicturePage
{
    private const string Style = """
        body{font:15px/1.5 system-ui,sans-serif;color:#263238;max-width:72rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.2rem}h3{font-size:1rem;margin-bottom:.2rem}
        svg{display:block;max-width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#263238}
        table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:right}
        td:first-child,th:first-child{text-align:left}
        .legend span{display:inline-block;margin-right:1.2rem}.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.35em}
        .note{color:#607d8b}.bad{color:#c62828}
        """;

    internal static void Write(TextWriter writer, SpaceFacts facts)
    {
        string title = Encode($"Space of {facts.Folder}");
        writer.WriteLine($"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{title}</title>");
        writer.WriteLine($"<style>\n{Style}\n</style>\n</head>\n<body>\n<h1>{title}</h1>");
        writer.WriteLine(
            $"<p>As of transaction {Number(facts.Space.TransactionId)}, in pages of {Number(facts.Space.PageBytes)} bytes.</p>");
        Section(writer, "map", "Data file", SpaceMapPicture.Draw(facts));
        Section(writer, "trees", "Trees, level by level", TreePicture.Draw(facts));
        Section(writer, "journal", "Journal", JournalPicture.Draw(facts));
        Section(writer, "numbers", "Numbers", Numbers(facts));
        writer.WriteLine("</body>\n</html>");
    }

    internal static string Encode(string text) => WebUtility.HtmlEncode(text);

    internal static string NameOf(TreeSpace tree) => Encode(KeyText.Shortened(tree.NameBytes.Span, 60));

    internal static string Number(long number) => ByteCount.Plain(number);

    internal static string Percent(double part) => string.Create(CultureInfo.InvariantCulture, $"{part * 100:0} %");

    /// <summary>A length in a picture.</summary>
    internal static string Units(double length) => length.ToString("0.##", CultureInfo.InvariantCulture);

    internal static void Row(StringBuilder table, params ReadOnlySpan<string> cells)
    {
        table.Append("<tr>");
        foreach (string cell in cells)
        {
            table.Append("<td>").Append(cell).Append("</td>");
        }

        table.AppendLine("</tr>");
    }

    private static void Section(TextWriter writer, string id, string title, string content) =>
        writer.WriteLine($"<section id=\"{id}\">\n<h2>{title}</h2>\n{content}</section>");

    private static string Numbers(SpaceFacts facts)
    {
        SpaceReport space = facts.Space;
        StringBuilder text = new("<table>\n");
        Row(text, "data file", ByteCount.Text(facts.Sizes.DataFileBytes));
        Row(text, "free in it", ByteCount.Text(space.FreePages * space.PageBytes));
        Row(text, "held until the next checkpoint", ByteCount.Text(space.HeldPages * space.PageBytes));
        Row(text, "journal", ByteCount.Text(facts.Sizes.JournalBytes));
        Row(text, "last transaction", Number(facts.Sizes.LastTransactionId));
        Row(text, "last transaction of the checkpoint", Number(facts.Sizes.CheckpointTransactionId));
        text.AppendLine("</table>\n<table>\n<tr><th>tree</th><th>entries</th><th>pages</th><th>of long values</th><th>levels</th>"
            + "<th>fill of leaves</th></tr>");
        foreach (TreeSpace tree in space.Trees)
        {
            Row(
                text,
                NameOf(tree),
                Number(tree.Entries),
                Number(tree.Pages),
                Number(tree.OverflowPages),
                Number(tree.Levels.Count),
                Percent(tree.Levels[^1].Fill));
        }

        return text.AppendLine("</table>").ToString();
    }
}
