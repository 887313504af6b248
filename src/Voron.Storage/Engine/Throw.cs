using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Engine;

/// <summary>The throws of the engine room.</summary>
internal static class Throw
{
    private const string Restore = "Restore a backup or copy out what is readable; nothing was changed.";

    [DoesNotReturn]
    internal static void NotADatabase(string path, string why) => throw new NotADatabaseException(
        $"'{path}' is not a database of Voron.Storage: {why}. Choose another folder, or remove the file if it is not needed.");

    [DoesNotReturn]
    internal static void DataFileLost(string path, string why) => throw new StorageCorruptException(
        $"'{path}' holds nothing of the database whose journal is beside it: {why}. It was cut off or overwritten, and the journal holds "
        + "only the latest changes. Keep the folder and restore a backup of all of it; nothing was changed.",
        path);

    [DoesNotReturn]
    internal static void NoValidSlot(string path) => throw new StorageCorruptException(
        $"Both header slots of '{path}' are damaged, so it cannot be opened; nothing was changed. Keep the folder. Restore a backup, or "
        + "copy out what is readable with StorageSalvage.Copy (voron salvage), which does without the slots.",
        path);

    [DoesNotReturn]
    internal static void Version(string path, uint found) => throw new FormatVersionException(
        $"'{path}' has format version {found}; this build reads version {FormatConstants.FormatVersion}. "
        + "Open it with the version of the library that wrote it.");

    [DoesNotReturn]
    internal static void PageSizeMismatch(string path, int asked, int found) => throw new ArgumentException(
        $"'{path}' was created with pages of {found} bytes, not {asked}. Leave StorageOptions.PageSize null to take what the file has.");

    [DoesNotReturn]
    internal static void Locked(string path, int holder)
    {
        string user = holder == 0 ? "another environment of this or another process"
            : holder == Environment.ProcessId ? $"another environment of this process ({holder})"
            : $"process {holder}";
        throw new StorageLockedException($"'{path}' is in use by {user}. Close that one first; a database is open only once at a time.");
    }

    [DoesNotReturn]
    internal static void MissingDatabase(string path) => throw new StorageIOException(
        $"There is no database in '{path}' and CreateIfMissing is false. Check the path, or allow it to be created.", "open", path, 2);

    [DoesNotReturn]
    internal static void JournalWithoutData(string path) => throw new StorageCorruptException(
        $"'{path}' has a journal but no data file. A new database is not created over it. {Restore}", path);

    [DoesNotReturn]
    internal static void MissingBatch(string path, long checkpoint, string why) => throw new StorageCorruptException(
        $"The page batch of checkpoint {checkpoint} in '{path}' cannot be read: {why}. {Restore}", path);

    [DoesNotReturn]
    internal static void FileTooShort(string path, long bytes, long needed) => throw new StorageCorruptException(
        $"'{path}' is {bytes} bytes long but its newest checkpoint needs {needed}: it was truncated. {Restore}", path);

    [DoesNotReturn]
    internal static void JournalChanged(TransactionId found, TransactionId before) => throw new CorruptJournalException(
        $"Read a second time, the commit journal ends with transaction {found}; a moment before it ended with {before}. "
        + "Something else writes to these files, or the disk does not return what it holds; nothing was changed.");

    [DoesNotReturn]
    internal static void JournalFull(Exception? cause) => throw new StorageFullException(
        "The journal has reached its hard limit because checkpoints cannot proceed. "
        + "Make room on the disk; commits go on by themselves afterwards. "
        + (cause?.Message ?? string.Empty),
        cause);

    [DoesNotReturn]
    internal static void Busy(int readers, bool writer, TimeSpan waited) => throw new StorageBusyException(
        $"After {waited.TotalSeconds:0.###} s there are still {readers} read transactions"
        + $"{(writer ? " and a write transaction" : string.Empty)} open. "
        + "Nothing was closed; end them and dispose again.");

    [DoesNotReturn]
    internal static void NextPageOutOfRange(string path, long next, long pages) => throw new StorageCorruptException(
        $"The newest page batch says that page {next - 1} is in use, but '{path}' has only {pages} pages. {Restore}", path);

    [DoesNotReturn]
    internal static void ForeignSlot(string path) => throw new StorageCorruptException(
        $"The two header slots of '{path}' are of different databases. {Restore}", path);

    [DoesNotReturn]
    internal static void ImageOutOfRange(string path, long page, long count, long pages) => throw new StorageCorruptException(
        $"A page batch holds an image of {count} pages at {page}, but '{path}' has only {pages} pages. {Restore}", path, page);

    [DoesNotReturn]
    internal static void BadImage(string path, in BatchEntry entry) => throw new StorageCorruptException(
        $"The image of page {entry.PageNumber} of '{path}' at offset {entry.Offset} of page chunk {entry.Sequence} is damaged or missing. "
        + Restore,
        path,
        entry.PageNumber);

    [DoesNotReturn]
    internal static void OccupiedTarget(string path) => throw new ArgumentException(
        $"There is a database in '{path}' already. A salvage fills a new one: choose an empty folder.");

    [DoesNotReturn]
    internal static void ReadOnly(string path) => throw new StorageReadOnlyException(
        $"'{path}' was opened with StorageOptions.ReadOnly; it cannot be changed. Open it without that option to write.");

    [DoesNotReturn]
    internal static void BadReplay(TransactionId id, Exception cause) => throw new CorruptJournalException(
        $"The record of transaction {id} cannot be replayed: {cause.Message} {Restore}");

    [DoesNotReturn]
    internal static void NoTreeInReplay(RedoOperation operation) => throw new CorruptJournalException(
        $"A commit record has an operation {operation} before any tree was selected, or on a tree or savepoint that does not "
        + $"exist. {Restore}");
}
