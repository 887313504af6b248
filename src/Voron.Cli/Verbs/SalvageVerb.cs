using System.CommandLine;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron salvage</c>: copies what is readable of a damaged database to a new one; the damaged files are only read.</summary>
internal static class SalvageVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string> target = new("target") { Description = "A new or empty folder for what is readable." };
        Command command = new("salvage", "Copy what is readable of a damaged database to a new one.") { folder, target };
        command.Does((parsed, stop) => Run(screen, parsed.GetRequiredValue(folder), parsed.GetRequiredValue(target), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, string target, CancellationToken stop)
    {
        DatabaseFolder.Demand(folder);
        SalvageReport report = screen.Follow(
            "copying", far => StorageSalvage.Copy(folder, target, null, new Distance(far), stop));
        screen.Show(
            new { Folder = folder, Target = target, report.IsComplete, report.Trees, report.Entries, report.Transactions, report.Losses },
            () => Tell(screen, target, report));
        return report.IsComplete ? ExitCode.Good : ExitCode.Damaged;
    }

    private static void Tell(Screen screen, string target, SalvageReport report)
    {
        foreach (SalvageLoss loss in report.Losses)
        {
            screen.Verdict($"LOST: {loss.Message}", isGood: false);
        }

        screen.Line($"In '{target}': {ByteCount.Count(report.Trees, "tree")}, {ByteCount.Count(report.Entries, "entry", "entries")}, "
            + $"with {ByteCount.Count(report.Transactions, "transaction")} of the journal.");
        screen.Line(report.IsComplete
            ? "Nothing is known to be lost."
            : $"Known: {ByteCount.Count(report.Losses.Count, "loss", "losses")}. "
                + "What was copied is sound, but may be a state that never was.");
    }

    private sealed class Distance(IProgress<string> far) : IProgress<SalvageProgress>
    {
        public void Report(SalvageProgress value) => far.Report($"{ByteCount.Plain(value.Changes)} entries, {ByteCount.Text(value.Bytes)}");
    }
}
