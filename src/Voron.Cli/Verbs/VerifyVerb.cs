using System.CommandLine;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron verify</c>: whether backups are whole; nothing is written.</summary>
internal static class VerifyVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string[]> files = new("file") { Description = "The backups.", Arity = ArgumentArity.OneOrMore };
        Option<bool> deep = new("--deep")
        {
            Description = "Restore them together into memory, a full backup first, and check every page and tree.",
        };
        Command command = new("verify", "Check that backups are whole.") { files, deep };
        command.Does((parsed, stop) => parsed.GetValue(deep)
            ? RunDeep(screen, parsed.GetRequiredValue(files), stop)
            : Run(screen, parsed.GetRequiredValue(files), stop));
        return command;
    }

    /// <summary>Opens a backup; says so when there is none.</summary>
    internal static FileStream Open(string file)
    {
        if (!File.Exists(file))
        {
            throw new NotFoundException($"There is no file '{file}'.");
        }

        return new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1);
    }

    private static ExitCode Run(Screen screen, string[] files, CancellationToken stop)
    {
        List<(string File, BackupReport Report)> reports = [];
        foreach (string file in files)
        {
            using FileStream stream = Open(file);
            PipeReader reader = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 1 << 20));
            BackupReport report = screen.Follow(
                $"reading '{file}'", _ => StorageBackup.VerifyAsync(reader, stop).AsTask().GetAwaiter().GetResult());
            reports.Add((file, report));
            if (!screen.IsJson)
            {
                screen.Verdict($"'{file}' is whole: {BackupVerb.Words(report)}, {ByteCount.Text(report.Bytes)}.", isGood: true);
            }
        }

        if (screen.IsJson)
        {
            screen.Document(reports.Select(static found => new
            {
                found.File,
                found.Report.TransactionId,
                found.Report.DatabaseId,
                found.Report.IsFull,
                found.Report.Transactions,
                found.Report.Bytes,
            }));
        }

        return ExitCode.Good;
    }

    private static ExitCode RunDeep(Screen screen, string[] files, CancellationToken stop)
    {
        CheckReport report = RestoreVerb.Read(files, streams => screen.Follow("restoring into memory", far =>
            StorageBackup.CheckAsync(streams, new RestoreVerb.Distance(far), stop).AsTask().GetAwaiter().GetResult()));
        screen.Show(
            new { Files = files, report.IsClean, report.PagesChecked, report.EntriesChecked, report.Findings },
            () => CheckVerb.Tell(screen, report));
        return report.IsClean ? ExitCode.Good : ExitCode.Damaged;
    }
}
