using System.CommandLine;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron compact</c>: shortens the data file to little more than what is in use.</summary>
internal static class CompactVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Option<int> percent = new("--leave-free")
        {
            Description = "Free space to leave, in percent of what is in use.",
            DefaultValueFactory = static _ => 5,
        };
        Command command = new("compact", "Shorten the data file: move what lies at its end to free pages.") { folder, percent };
        command.Does((parsed, stop) => Run(screen, parsed.GetRequiredValue(folder), parsed.GetValue(percent) / 100.0, stop));
        return command;
    }

    /// <summary>No other thread of this process writes, so it may be as quick as the disk.</summary>
    private static ExitCode Run(Screen screen, string folder, double share, CancellationToken stop)
    {
        CompactOptions options = new() { LeaveFreeShare = share, BytesPerSecond = 0, BytesPerTransaction = 4 << 20 };
        using StorageEnvironment environment = DatabaseFolder.OpenToChange(folder, create: false, screen, stop);
        CompactReport report = screen.Watch(
            "compacting", part => environment.CompactAsync(options, part, stop).AsTask().GetAwaiter().GetResult());
        screen.Show(
            report,
            () => screen.Line(
                $"Moved {ByteCount.Count(report.MovedPages, "page")} and merged {report.MergedPages}: the data file has "
                + $"{ByteCount.Text(report.FileBytesAfter)}, {ByteCount.Text(report.UsedBytes)} of them in use; before it had "
                + $"{ByteCount.Text(report.FileBytesBefore)}."));
        return ExitCode.Good;
    }
}
