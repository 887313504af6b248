using System.CommandLine;
using Voron.Cli.Verbs;

namespace Voron.Cli;

/// <summary>The whole command line: its verbs, and what their results and errors are for the process.</summary>
internal static class CommandLine
{
    private static readonly Option<bool> JsonOption = new("--json")
    {
        Description = "Write the result as one JSON document, errors included.",
        Recursive = true,
    };

    internal static async Task<int> RunAsync(string[] args, Screen screen)
    {
        // Without any word a terminal shows the verbs, and a script gets an error.
        ParseResult parsed = Make(screen).Parse(args.Length == 0 && screen.IsInteractive ? ["--help"] : args);
        if (parsed.GetValue(JsonOption))
        {
            screen.SpeakJson();
        }

        if (UsageProblem.Of(parsed) is { } problems)
        {
            return new Fault("usage", $"{problems} 'voron --help' lists the verbs and their options.", ExitCode.Usage).Show(screen);
        }

        using StreamWriter output = new(screen.Output, leaveOpen: true) { AutoFlush = true };
        InvocationConfiguration surroundings = new() { Output = output, Error = screen.Error, EnableDefaultExceptionHandler = false };
        try
        {
            return await parsed.InvokeAsync(surroundings).ConfigureAwait(false);
        }
        catch (Exception error) when (Fault.Of(error) is { } fault)
        {
            return fault.Show(screen);
        }
    }

    /// <summary>A verb runs beside the thread that waits for Ctrl-C.</summary>
    internal static void Does(this Command command, Func<ParseResult, CancellationToken, ExitCode> verb) =>
        command.SetAction((parsed, stop) => Task.Run(() => (int)verb(parsed, stop), CancellationToken.None));

    private static RootCommand Make(Screen screen) =>
        new("Looks into databases of Voron.Storage. Only load, put, delete, compact and replica --discard "
            + "change one; salvage and restore write to a new folder.")
        {
            JsonOption,
            CheckVerb.Make(screen),
            StatVerb.Make(screen),
            WatchVerb.Make(screen),
            TreesVerb.Make(screen),
            GetVerb.Make(screen),
            ScanVerb.Make(screen),
            PageVerb.Make(screen),
            JournalVerb.Make(screen),
            SalvageVerb.Make(screen),
            SpaceVerb.Make(screen),
            DumpVerb.Make(screen),
            LoadVerb.Make(screen),
            PutVerb.Make(screen),
            DeleteVerb.Make(screen),
            CompactVerb.Make(screen),
            BackupVerb.Make(screen),
            RestoreVerb.Make(screen),
            VerifyVerb.Make(screen),
            ReplicaVerb.Make(screen),
        };
}
