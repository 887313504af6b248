using System.Globalization;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Load;

/// <summary>What our engine says it has written so far, or for each put of an interval, by cause; and what of it waits.</summary>
/// <param name="JournalBytes">To the commit journal.</param>
/// <param name="DataBytes">Of pages to their places in the data file.</param>
/// <param name="ImageBytes">Of pages to the page journal first.</param>
/// <param name="MergedEntries">Entries that were merged into their leaves.</param>
/// <param name="PendingBytes">Memory of entries that are to be merged, at the end.</param>
internal sealed record FillCauses(double JournalBytes, double DataBytes, double ImageBytes, double MergedEntries, long PendingBytes)
{
    /// <summary>Null for another engine, which does not say.</summary>
    internal static FillCauses? Of(IStore store)
    {
        if (store is not OurStore ours)
        {
            return null;
        }

        EnvironmentReport report = ours.Environment.GetReport();
        return new FillCauses(
            report.JournalBytesWritten, report.DataBytesWritten, report.ImageBytesWritten, report.MergedEntries, report.PendingBytes);
    }

    /// <summary>What has come since an earlier moment, divided by the number of puts.</summary>
    internal FillCauses PerPut(FillCauses from, double puts) => new(
        (JournalBytes - from.JournalBytes) / puts, (DataBytes - from.DataBytes) / puts, (ImageBytes - from.ImageBytes) / puts,
        (MergedEntries - from.MergedEntries) / puts, PendingBytes);

    /// <summary>Of an interval, as the end of its line.</summary>
    internal string ToText() => string.Create(
        CultureInfo.InvariantCulture,
        $"  (commits {JournalBytes:N0} pages {DataBytes:N0} images {ImageBytes:N0} B a put, {MergedEntries:N2} merged; "
        + $"{PendingBytes >> 20:N0} MiB pending)");
}
