using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>The exceptions of change feeds.</summary>
internal static class Throw
{
    private const string TakeFull = "Take a full copy of the data, and go on after its transaction.";

    [DoesNotReturn]
    internal static void Gone(TransactionId after, TransactionId oldest) => throw new ChangesGoneException(
        $"The changes after transaction {after} are no longer in the journal; the oldest ones there follow transaction {oldest}. "
        + $"{TakeFull} StorageOptions.KeepChangesBytes and KeepChangesFromAsync keep them for longer.",
        oldest.Value);

    [DoesNotReturn]
    internal static void ValueGone(TransactionId id, in PlacedRun run) => throw new ChangesGoneException(
        $"A value of {run.ValueBytes} bytes that transaction {id} put was replaced or deleted later, and its pages, from page "
        + $"{run.FirstPage} on, are used again. {TakeFull} Or go on after transaction {id}, without its changes.",
        id.Value);

    [DoesNotReturn]
    internal static void ValueDamaged(string path, TransactionId id, in PlacedRun run, ulong found) => throw new StorageCorruptException(
        $"The value of {run.ValueBytes} bytes that transaction {id} put into page {run.FirstPage} of '{path}' is damaged: its checksum is "
        + $"{found:x16}, not {run.Checksum:x16}. Check the disk; if the value is still in its tree, put it again.",
        path,
        run.FirstPage.Value);

    [DoesNotReturn]
    internal static void BadParts(TransactionId id, long expected, long found) => Journal.Throw.BadBody(
        $"transaction {id} has {expected} fragments, {found} were found");

    [DoesNotReturn]
    internal static void BadOperation(TransactionId id, RedoOperation operation) => Journal.Throw.BadBody(
        $"operation {(byte)operation} of transaction {id} has no tree or no meaning");

    [DoesNotReturn]
    internal static void AfterNewest(long after, TransactionId newest) => throw new ArgumentOutOfRangeException(
        nameof(after), after, $"Changes can be read after transactions 0 to {newest}, the newest one of this database.");

    [DoesNotReturn]
    internal static void KeepsNothing() => throw new InvalidOperationException(
        "Nothing is kept for named positions: open the database for writing, with StorageOptions.KeepChangesBytes above 0.");

    [DoesNotReturn]
    internal static void LongName(string name, int bytes) => throw new ArgumentException(
        $"The name of a position has at most {FormatConstants.MaxNameBytes} bytes in UTF-8, and '{name}' has {bytes}.", nameof(name));

    [DoesNotReturn]
    internal static void PipeClosed() => throw new StorageIOException(
        "The reader of the pipe completed before the stream was written to its end. Read it until the call returns.",
        "write",
        "the pipe",
        0);

    [DoesNotReturn]
    internal static void PipeCancelled() => throw new OperationCanceledException("The pending read or flush of the pipe was cancelled.");

    [DoesNotReturn]
    internal static void BadFrame(long number, string what) => throw new BackupFormatException(
        $"Frame {number} of the stream cannot be used: {what}. The stream is damaged, or not one of this engine; use another copy of it.",
        number);

    [DoesNotReturn]
    internal static void BadContent(long number, TransactionId id, Exception inner) => throw new BackupFormatException(
        $"Frame {number} of the stream does not fit this database: transaction {id} cannot be applied. {inner.Message}", number, inner);

    [DoesNotReturn]
    internal static void Incomplete(long number) => throw new BackupFormatException(
        $"The stream ends after frame {number}, without its last frame: the backup was cut off, or was not finished. Nothing was restored.",
        number);

    [DoesNotReturn]
    internal static void OtherDatabase(DatabaseId found, DatabaseId expected) => throw new ChangesGoneException(
        $"The stream has changes of database {found}, and those of {expected} are expected: two histories cannot be mixed.", 0);

    [DoesNotReturn]
    internal static void Gap(TransactionId found, TransactionId last) => throw new ChangesGoneException(
        $"The stream goes on with transaction {found}, and this database is at transaction {last}: those in between are missing. "
        + "Apply them first, or begin again with a full backup.",
        found.Value - 1);

    [DoesNotReturn]
    internal static void NoFollower(TransactionId newest) => throw new InvalidOperationException(
        $"Changes of another database can be applied to an empty database or to a follower; this one has {newest} transactions of its "
        + "own. Restore a backup with RestoreOptions.AsFollower.");

    [DoesNotReturn]
    internal static void FullToApply() => throw new InvalidOperationException(
        "A full backup is restored into a new folder, by StorageBackup.RestoreAsync; only changes can be applied to an open database.");

    [DoesNotReturn]
    internal static void NotFull() => throw new BackupFormatException(
        "The first stream of a restore must be a full backup, and this one has only changes. Give the full backup first.", 0);

    [DoesNotReturn]
    internal static void SecondFull() => throw new BackupFormatException(
        "Only the first stream of a restore is a full backup; the others have the changes after it.", 0);

    [DoesNotReturn]
    internal static void NotCovered(TransactionId upToTransaction, TransactionId first, TransactionId last) => throw new
        ArgumentOutOfRangeException(
        nameof(upToTransaction),
        upToTransaction.Value,
        $"The streams reach from transaction {first} to {last}. Nothing was restored.");

    [DoesNotReturn]
    internal static void BeforeBackup(DateTimeOffset upToTime, DateTimeOffset earliest) => throw new ArgumentOutOfRangeException(
        nameof(upToTime),
        upToTime,
        $"The full backup is of {earliest:O}, so that is the earliest time that can be restored. Begin with an earlier full backup.");

    [DoesNotReturn]
    internal static void NoTimes(DateTimeOffset upToTime) => throw new ArgumentOutOfRangeException(
        nameof(upToTime),
        upToTime,
        "The streams name no times: they were noted only after changes of the source had been read or backed up. Restore up to a "
        + "transaction. Nothing was restored.");

    [DoesNotReturn]
    internal static void StaleSet() => throw new InvalidOperationException(
        "The feed has gone on to the next transaction: the changes of a set can be read until then. Copy what is needed for longer.");
}
