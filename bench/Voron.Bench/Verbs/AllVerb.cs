using System.Diagnostics;
using Spectre.Console;
using Voron.Bench.Measuring;
using Voron.Bench.Reports;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// Everything, group by group, into one file. A run that was broken off, or had a group that failed, goes on where the file ends when it is
/// started again with the same file.
/// </summary>
internal static class AllVerb
{
    private const string DefaultFile = "voron-bench.json";

    internal static int Run(Arguments arguments)
    {
        Arguments whole = arguments.ForWholeRun();
        RunFile file = new(arguments.JsonPath ?? DefaultFile, JsonReport.SettingsOf(whole), arguments.Line, SourceCommit.Read());
        using BenchRun run = new(whole);
        List<string> failed = [];
        long start = Stopwatch.GetTimestamp();
        foreach (Group group in Sections.All(run).Where(group => arguments.Wants(group.Key)))
        {
            AnsiConsole.WriteLine();
            AnsiConsole.WriteLine($"{group.Key}  (after {Stopwatch.GetElapsedTime(start):h\\:mm\\:ss})");
            if (file.Has(group))
            {
                AnsiConsole.WriteLine("done before");
                continue;
            }

            try
            {
                IReadOnlyList<Row> rows = group.Run(run);
                RowTable.WriteAll(rows);
                file.Add(rows);
            }
            catch (Exception failure) when (failure is IOException or StorageException or VerificationException)
            {
                // The other groups still say something; this one is tried again when the run is started again.
                AnsiConsole.MarkupLineInterpolated($"[red]{group.Key} failed: {failure.Message}[/]");
                failed.Add(group.Key);
            }
        }

        Console.WriteLine();
        Console.Write(Gates.Table(file.Rows));
        AnsiConsole.WriteLine($"{failed.Count} groups failed after {Stopwatch.GetElapsedTime(start):h\\:mm\\:ss}");
        return failed.Count == 0 ? 0 : 1;
    }
}
