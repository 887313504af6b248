using System.CommandLine;
using System.Globalization;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron watch</c>: what another process does to a database, a line at a time.</summary>
internal static class WatchVerb
{
    private const double MostSeconds = 86_400;

    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Option<double> every = new("--every")
        {
            Description = "Seconds from one line to the next.",
            DefaultValueFactory = static _ => 1,
        };
        Option<int> lines = new("--lines") { Description = "Number of lines to show; 0 goes on until Ctrl-C." };
        every.Validators.Add(static given =>
        {
            if (given.GetValueOrDefault<double>() is not (> 0 and <= MostSeconds))
            {
                given.AddError($"--every takes seconds above 0, at most {ByteCount.Plain((long)MostSeconds)}.");
            }
        });
        Command command = new("watch", "Show what the process that writes a database does to it.") { folder, every, lines };
        command.Does((parsed, stop) =>
        {
            using StorageEnvironment environment = DatabaseFolder.Open(parsed.GetRequiredValue(folder), screen, stop);
            TimeSpan pause = TimeSpan.FromSeconds(parsed.GetValue(every));
            Run(screen, environment, pause, parsed.GetValue(lines), stop);
            return ExitCode.Good;
        });
        return command;
    }

    private static void Run(Screen screen, StorageEnvironment environment, TimeSpan pause, int lines, CancellationToken stop)
    {
        if (!screen.IsJson)
        {
            screen.Line("    time        transaction     a second      data file        journal");
        }

        long last = environment.GetReport().LastTransactionId;
        long begin = TimeProvider.System.GetTimestamp();
        for (int line = 0; lines == 0 || line < lines; line++)
        {
            if (stop.WaitHandle.WaitOne(pause))
            {
                stop.ThrowIfCancellationRequested();
            }

            environment.Refresh();
            EnvironmentReport report = environment.GetReport();
            double perSecond = (report.LastTransactionId - last) / TimeProvider.System.GetElapsedTime(begin).TotalSeconds;
            last = report.LastTransactionId;
            begin = TimeProvider.System.GetTimestamp();
            Show(screen, report, perSecond);
        }
    }

    /// <summary>A line, of JSON too: a document of its own for each.</summary>
    private static void Show(Screen screen, EnvironmentReport report, double perSecond)
    {
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        if (screen.IsJson)
        {
            screen.DocumentLine(new
            {
                Time = now, report.LastTransactionId, TransactionsPerSecond = Math.Round(perSecond, 1), report.DataFileBytes,
                report.JournalBytes,
            });
            return;
        }

        screen.Line(string.Create(
            CultureInfo.InvariantCulture,
            $"{now.ToLocalTime():HH:mm:ss}  {report.LastTransactionId,17:N0}  {perSecond,11:N0}  {ByteCount.Text(report.DataFileBytes),13}"
            + $"  {ByteCount.Text(report.JournalBytes),13}"));
    }
}
