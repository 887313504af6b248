using System.Globalization;
using System.Text;
using Voron.Storage;

namespace Voron.Cli.Picture;

/// <summary>The chunks of both journals as bars: what is written, and what of it an open replays.</summary>
internal static class JournalPicture
{
    private const int RowUnits = 26;
    private const int BarLeft = 250;
    private const int BarUnits = 360;
    private const int MostChunks = 100;

    internal static string Draw(SpaceFacts facts)
    {
        StringBuilder text = new();
        text.AppendLine(CultureInfo.InvariantCulture, $"<p>{Sentence(facts)}</p>");
        foreach (string finding in facts.Journal.Findings)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"<p class=\"bad\">{PicturePage.Encode(finding)}</p>");
        }

        IReadOnlyList<ChunkReport> chunks = facts.Journal.Chunks;
        if (chunks.Count == 0)
        {
            return text.AppendLine("<p class=\"note\">The journal has no files.</p>").ToString();
        }

        int shown = Math.Min(chunks.Count, MostChunks);
        text.AppendLine("<p class=\"legend\"><span><i style=\"background:#90a4ae\"></i>written</span>"
            + "<span><i style=\"background:#1e88e5\"></i>replayed by an open</span></p>");
        text.AppendLine(CultureInfo.InvariantCulture, $"<svg viewBox=\"0 0 840 {shown * RowUnits}\" role=\"img\" "
            + $"aria-label=\"Chunks of the journal\">");
        long most = chunks.Max(static chunk => Math.Max(1, chunk.Bytes));
        for (int i = 0; i < shown; i++)
        {
            DrawChunk(text, facts, chunks[i], i, most);
        }

        return text.AppendLine("</svg>").ToString();
    }

    private static string Sentence(SpaceFacts facts) => facts.ReplayRecords == 0
        ? "An open has nothing to replay."
        : $"An open replays {ByteCount.Count(facts.ReplayTransactions, "transaction")} in "
            + $"{ByteCount.Count(facts.ReplayRecords, "record")} of {ByteCount.Text(facts.ReplayBytes)}.";

    private static void DrawChunk(StringBuilder text, SpaceFacts facts, ChunkReport chunk, int row, long most)
    {
        int top = row * RowUnits;
        double scale = BarUnits / (double)most;
        long written = chunk.IsCommitChunk ? chunk.EndOffset : chunk.Bytes;
        double replayed = Math.Min(written, facts.ReplayBytesIn(chunk)) * scale;
        double end = written * scale;
        string transactions = chunk.Records == 0 ? "empty"
            : $"{PicturePage.Number(chunk.FirstTransactionId)} to {PicturePage.Number(chunk.LastTransactionId)}";
        text.AppendLine(CultureInfo.InvariantCulture, $"<text x=\"0\" y=\"{top + 16}\">"
            + $"{PicturePage.Encode(Path.GetFileName(chunk.File))}</text>");
        Bar(text, top, 0, chunk.Bytes * scale, "#eceff1");
        Bar(text, top, 0, end - replayed, "#90a4ae");
        Bar(text, top, end - replayed, replayed, "#1e88e5");
        text.AppendLine(CultureInfo.InvariantCulture, $"<text x=\"{BarLeft + BarUnits + 8}\" y=\"{top + 16}\">"
            + $"{PicturePage.Encode(chunk.Problem ?? transactions)}{(chunk.IsTorn ? ", torn" : string.Empty)}</text>");
    }

    private static void Bar(StringBuilder text, int top, double from, double width, string color) =>
        text.AppendLine(CultureInfo.InvariantCulture, $"<rect x=\"{PicturePage.Units(BarLeft + from)}\" y=\"{top + 3}\" "
            + $"width=\"{PicturePage.Units(Math.Max(0, width))}\" height=\"18\" fill=\"{color}\"/>");
}
