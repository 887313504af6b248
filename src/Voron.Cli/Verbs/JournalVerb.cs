using System.CommandLine;
using System.Globalization;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron journal</c>: the chunks of both journals, and the records of the commit journal when asked for.</summary>
internal static class JournalVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Option<bool> records = new("--records") { Description = "List every record of the commit journal." };
        Command command = new("journal", "Show the files of the journal, and what in them is damaged or missing.") { folder, records };
        command.Does((parsed, stop) => Run(screen, parsed.GetRequiredValue(folder), parsed.GetValue(records), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, bool withRecords, CancellationToken stop)
    {
        DatabaseFolder.Demand(folder);
        List<JournalRecord> records = [];
        JournalReport report = screen.Follow("reading", far => StorageInspection.ReadJournal(
            folder,
            record =>
            {
                far.Report($"transaction {record.TransactionId}");
                if (withRecords)
                {
                    records.Add(record);
                }
            },
            stop));
        screen.Show(
            new { Folder = folder, report.IsClean, report.Chunks, report.Findings, Records = withRecords ? records : null },
            () => Tell(screen, report, records));
        return report.IsClean ? ExitCode.Good : ExitCode.Damaged;
    }

    private static void Tell(Screen screen, JournalReport report, List<JournalRecord> records)
    {
        screen.Table(
            ["chunk", "size", "records", "transactions", "after", "state"],
            report.Chunks.Select(static chunk => Row(chunk)),
            1, 2);
        if (records.Count > 0)
        {
            screen.Table(
                ["chunk", "offset", "transaction", "kind", "bytes", "names the one before"],
                records.Select(static record => Row(record)),
                1, 2, 4);
        }

        foreach (string finding in report.Findings)
        {
            screen.Verdict($"DAMAGED: {finding}", isGood: false);
        }

        screen.Line(!report.IsClean ? "Whether recovery needs what is damaged, 'voron check' says."
            : report.Chunks.Count == 0 ? "There is no file in the journal. Whether one is missed, 'voron check' says."
            : "Every chunk is sound. What recovery makes of them, 'voron check' says.");
    }

    private static string[] Row(ChunkReport chunk) =>
    [
        Path.GetFileName(chunk.File),
        ByteCount.Text(chunk.Bytes),
        ByteCount.Plain(chunk.Records),
        chunk.Records == 0 ? string.Empty
            : string.Create(CultureInfo.InvariantCulture, $"{chunk.FirstTransactionId} to {chunk.LastTransactionId}"),
        chunk.PreviousSequence == 0 ? string.Empty : chunk.PreviousSequence.ToString(CultureInfo.InvariantCulture),
        chunk.Problem ?? (chunk.IsTorn ? "ends with an unfinished write" : "sound"),
    ];

    private static string[] Row(in JournalRecord record) =>
    [
        Path.GetFileName(record.File),
        record.Offset.ToString(CultureInfo.InvariantCulture),
        record.TransactionId.ToString(CultureInfo.InvariantCulture),
        record.IsCommit ? "commit" : "fragment",
        record.BodyBytes.ToString(CultureInfo.InvariantCulture),
        record.FollowsPrevious ? "yes" : "no",
    ];
}
