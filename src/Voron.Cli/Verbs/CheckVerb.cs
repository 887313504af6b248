using System.CommandLine;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron check</c>: proves the whole database, and names every page, key range or file that is damaged.</summary>
internal static class CheckVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Option<long?> rate = new("--rate")
        {
            Description = "Scrub: read every page in use from the device, at most this many MiB a second.",
        };
        Command command = new("check", "Check every page, tree and free page of a database.") { folder, rate };
        command.Does((parsed, stop) => Run(screen, parsed.GetRequiredValue(folder), parsed.GetValue(rate), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, long? rate, CancellationToken stop)
    {
        if (rate is < 1 or > 1 << 20)
        {
            throw new ArgumentException("--rate is a number of MiB a second, from 1 to 1048576.");
        }

        CheckReport report;
        using (StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop))
        {
            report = screen.Watch("checking", part => rate is { } limit
                ? environment.Check(limit << 20, part, stop) : environment.Check(part, stop));
        }

        screen.Show(
            new { Folder = folder, report.IsClean, report.PagesChecked, report.EntriesChecked, report.Findings },
            () => Tell(screen, report));
        return report.IsClean ? ExitCode.Good : ExitCode.Damaged;
    }

    /// <summary>Shows what a check has found.</summary>
    internal static void Tell(Screen screen, CheckReport report)
    {
        foreach (CheckFinding finding in report.Findings)
        {
            screen.Verdict(finding.Message, isGood: false);
        }

        string looked = $"{ByteCount.Plain(report.PagesChecked)} pages and {ByteCount.Plain(report.EntriesChecked)} entries were checked";
        screen.Verdict(
            report.IsClean ? $"Sound: {looked}."
            : $"DAMAGED: {ByteCount.Count(report.Findings.Count, "finding")}; {looked}. "
                + "'voron salvage' copies what is readable to a new database.",
            report.IsClean);
    }
}
