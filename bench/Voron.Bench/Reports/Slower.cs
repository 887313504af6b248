using System.Globalization;
using System.Text;
using Voron.Bench.Peers;

namespace Voron.Bench.Reports;

/// <summary>The rows in which a peer was faster than ours, with the reason where one is known.</summary>
internal static class Slower
{
    /// <summary>Parts of names of rows, and why ours may be behind there.</summary>
    private static readonly (string Name, string Because)[] Reasons =
    [
        ("64 KiB values", "ours puts the values of a short transaction into its record, and checkpoints write them to their places "
            + "beside the commits"),
        ("4 KiB values", "ours writes values of this size to the journal and again at the checkpoint; a log-structured store "
            + "compacts them later, after the clock has stopped"),
        ("seq in one tx", "ours notes every entry for the journal beside placing it in its page; LMDB only places it, in its last page"),
        ("sequential GUID", "100 transactions take some 30 ms on every engine that appends, and rounds differ by as much"),
        ("in one tx", "a log-structured store sorts in memory and leaves the work to its background, after the clock has stopped"),
        ("reopen", "ours locks, reads both header slots and makes its journal ready for the first commit"),
        ("16 writers", "a log-structured store lets writers fill batches beside each other; ours has one writer at a time"),
        ("overwrite", "ours changes pages; a log-structured store only notes the new value and drops the old one after the clock has "
            + "stopped"),
        ("delete", "ours changes pages; a log-structured store only notes that the key is gone"),
    ];

    internal static string Of(IReadOnlyList<Row> rows)
    {
        StringBuilder text = new();
        foreach (Row ours in rows.Where(static row => row.Engine == OurStore.Name && row.Seconds > 0))
        {
            List<Row> faster =
            [
                .. rows.Where(row => row.Name == ours.Name && row.Engine != ours.Engine && row.ItemsPerSecond > ours.ItemsPerSecond
                    && !row.Engine.StartsWith(OurStore.Name, StringComparison.Ordinal)),
            ];
            if (faster.Count > 0)
            {
                string engines = string.Join(", ", faster.Select(row => string.Create(
                    CultureInfo.InvariantCulture, $"{row.Engine} ({row.ItemsPerSecond / ours.ItemsPerSecond:0.00} times ours)")));
                string reason = ReasonOf(ours, faster);
                text.Append("* **").Append(ours.Name).Append("**: ").Append(engines).Append(". ").Append(reason).Append('\n');
            }
        }

        return text.Length == 0 ? "In no row.\n" : text.ToString();
    }

    private static string ReasonOf(Row ours, List<Row> faster)
    {
        string? because = Reasons.FirstOrDefault(reason => ours.Name.Contains(reason.Name, StringComparison.Ordinal)).Because;
        if (because is null && faster.TrueForAll(row => row.Seconds >= ours.SecondsMin))
        {
            because = "within the spread of our own rounds";
        }

        return because is null ? "Why is not known yet." : char.ToUpperInvariant(because[0]) + because[1..] + ".";
    }
}
