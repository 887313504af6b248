using Voron.Storage;

namespace Voron.Cli;

/// <summary>An error as the user sees it: one message, an exit code, and the place when the error names one.</summary>
internal sealed record Fault(
    string Kind, string Message, ExitCode ExitCode, string? File = null, long? Page = null, long? Offset = null, long? Line = null)
{
    /// <summary>What an exception means to the user; null for one that is a fault of this program.</summary>
    internal static Fault? Of(Exception error) => error switch
    {
        StorageCorruptException e => new Fault(e, ExitCode.Damaged) { File = e.File, Page = e.PageNumber < 0 ? null : e.PageNumber },
        CorruptJournalException e => new Fault(e, ExitCode.Damaged) { File = e.File, Offset = e.Offset < 0 ? null : e.Offset },
        BackupFormatException => new Fault(error, ExitCode.Damaged) { IsOfFile = true },
        DumpFormatException e => new Fault(e, ExitCode.Damaged) { Line = e.Line },
        TreeKindMismatchException => new Fault(error, ExitCode.Damaged),
        NotADatabaseException or FormatVersionException => new Fault(error, ExitCode.Foreign),
        StorageLockedException => new Fault(error, ExitCode.Locked),
        StorageIOException e => new Fault(e, ExitCode.Refused) { File = e.Path },
        NotFoundException or TreeNotFoundException or ChangesGoneException => new Fault(error, ExitCode.NotFound),
        StorageException or IOException or UnauthorizedAccessException or InsufficientMemoryException or OutOfMemoryException
            => new Fault(error, ExitCode.Refused),
        FormatException or ArgumentException => new Fault(error, ExitCode.Usage),
        OperationCanceledException => new Fault(nameof(OperationCanceledException), "Stopped.", ExitCode.Cancelled),
        _ => null,
    };

    internal int Show(Screen screen)
    {
        if (screen.IsJson)
        {
            screen.Document(new { Error = new { Kind, Message, File, Page, Offset, Line }, ExitCode = (int)ExitCode });
        }
        else
        {
            screen.Complain($"voron: {Message}");
            if (Advice is { } advice)
            {
                screen.Error.WriteLine(advice);
            }
        }

        return (int)ExitCode;
    }

    /// <summary>Whether it is about a file that is no part of a database.</summary>
    private bool IsOfFile { get; init; }

    private string? Advice => ExitCode switch
    {
        ExitCode.Damaged when Line is null && !IsOfFile =>
            "'voron page' and 'voron journal' show what is there; 'voron salvage' copies what is readable, if anything, to a new database.",
        ExitCode.Foreign when Kind == nameof(NotADatabaseException) =>
            "If it was a database, keep the file: 'voron page' shows what is there, and 'voron salvage' copies what is readable.",
        ExitCode.Locked => "Only check, stat, trees, get, scan, space, dump and replica work beside a process that writes. Stop it, or use "
            + "a copy.",
        _ => null,
    };

    private Fault(Exception error, ExitCode exitCode)
        : this(error.GetType().Name, error.Message, exitCode)
    {
    }
}
