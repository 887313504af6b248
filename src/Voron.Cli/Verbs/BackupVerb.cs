using System.CommandLine;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron backup</c>: all of a database, or its transactions after one, as a stream in a new file.</summary>
internal static class BackupVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string> file = new("file") { Description = "The new file for the backup." };
        Option<long?> after = new("--after")
        {
            Description = "Only the transactions after this one, the last one of the backup before.",
        };
        Command command = new("backup", "Back a database up to a file.") { folder, file, after };
        command.Does((parsed, stop) =>
            Run(screen, parsed.GetRequiredValue(folder), parsed.GetRequiredValue(file), parsed.GetValue(after), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, string file, long? after, CancellationToken stop)
    {
        using StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop);
        BackupReport report = screen.Watch("backing up", part => Write(environment, file, after, part, stop));
        screen.Show(
            new { File = file, report.TransactionId, report.DatabaseId, report.IsFull, report.Transactions, report.Bytes },
            () => screen.Line($"'{file}': {Words(report)}, {ByteCount.Text(report.Bytes)}."));
        return ExitCode.Good;
    }

    internal static string Words(BackupReport report) => report.IsFull
        ? $"all of database {report.DatabaseId} up to transaction {report.TransactionId}"
        : $"{ByteCount.Count(report.Transactions, "transaction")} of database {report.DatabaseId} up to {report.TransactionId}";

    /// <summary>A backup that ends early is removed: it could not be restored.</summary>
    private static BackupReport Write(
        StorageEnvironment environment, string file, long? after, IProgress<double> part, CancellationToken stop)
    {
        using FileStream stream = new(file, FileMode.CreateNew, FileAccess.Write);
        try
        {
            PipeWriter writer = PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: 64 << 10, leaveOpen: true));
            ValueTask<BackupReport> writing = after is { } id
                ? environment.BackupChangesAsync(writer, id, stop)
                : environment.BackupAsync(writer, null, part, stop);
            BackupReport report = writing.AsTask().GetAwaiter().GetResult();
            writer.Complete();
            stream.Flush(flushToDisk: true);
            return report;
        }
        catch
        {
            stream.Dispose();
            File.Delete(file);
            throw;
        }
    }
}
