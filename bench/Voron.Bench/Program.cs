using Spectre.Console;
using Voron.Bench;
using Voron.Bench.Verbs;
using Voron.Storage;

if (args is ["bdn", .. string[] rest])
{
    return BenchmarkVerb.Run(rest);
}

if (OwnProgram.TryRunOrder())
{
    return 0;
}

if (!Arguments.TryParse(args, out Arguments arguments, out string problem))
{
    Console.Error.WriteLine(problem);
    Console.Error.WriteLine(Arguments.Usage);
    return 2;
}

try
{
    RowTable.FitOutput();
    if (VerbTable.Find(arguments.Verb) is { } verb)
    {
        return verb.Run(arguments);
    }

    Console.WriteLine(Arguments.Usage);
    return 0;
}
catch (VerificationException failure)
{
    AnsiConsole.MarkupLineInterpolated($"[red]verification failed: {failure.Message}[/]");
    return 1;
}
catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
{
    AnsiConsole.MarkupLineInterpolated($"[red]{failure.Message}[/]");
    return 1;
}
catch (StorageException failure)
{
    // Caught so that the run's files go; whoever measures an engine that fails wants to see where.
    AnsiConsole.WriteException(failure);
    return 1;
}
