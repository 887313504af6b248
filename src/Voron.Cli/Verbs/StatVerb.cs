using System.CommandLine;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron stat</c>: sizes, limits and positions of a database.</summary>
internal static class StatVerb
{
    internal static Command Make(Screen screen) => DatabaseFolder.Verb(
        screen,
        "stat",
        "Show sizes, limits and positions of a database.",
        (folder, environment, transaction, _) => Run(screen, folder, environment, transaction));

    private static void Run(Screen screen, string folder, StorageEnvironment environment, ReadTransaction transaction)
    {
        EnvironmentReport report = environment.GetReport();
        int trees = transaction.TreeNames.Count;
        screen.Show(
            new
            {
                Folder = folder,
                report.PageBytes,
                report.DataFileBytes,
                report.FreeBytes,
                report.JournalBytes,
                report.PendingBytes,
                report.LastTransactionId,
                report.CheckpointTransactionId,
                Trees = trees,
                environment.Limits.MaxKeyBytes,
                environment.Limits.MaxNameBytes,
                environment.Limits.MaxValueBytes,
            },
            () => screen.Pairs(
            [
                new("page size", ByteCount.Text(report.PageBytes)),
                new("data file", ByteCount.Text(report.DataFileBytes)),
                new("free in it", ByteCount.Text(report.FreeBytes)),
                new("journal", ByteCount.Text(report.JournalBytes)),
                new("to be merged", ByteCount.Text(report.PendingBytes)),
                new("last transaction", ByteCount.Plain(report.LastTransactionId)),
                new("checkpoint holds", ByteCount.Plain(report.CheckpointTransactionId)),
                new("trees", ByteCount.Plain(trees)),
                new("longest key", ByteCount.Text(environment.Limits.MaxKeyBytes)),
                new("longest value", ByteCount.Text(environment.Limits.MaxValueBytes)),
            ]));
    }
}
