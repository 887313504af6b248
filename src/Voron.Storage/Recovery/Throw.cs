using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Recovery;

/// <summary>The exceptions of recovery.</summary>
internal static class Throw
{
    private const string Restore = "Restore a backup or copy out what is readable; nothing was changed.";

    [DoesNotReturn]
    internal static void MissingImageSet(string path, long checkpoint, string why) => throw new StorageCorruptException(
        $"The image set of checkpoint {checkpoint} in '{path}' cannot be read: {why}. {Restore}", path);

    [DoesNotReturn]
    internal static void FileTooShort(string path, long bytes, long needed) => throw new StorageCorruptException(
        $"'{path}' is {bytes} bytes long but its newest checkpoint needs {needed}: it was truncated. {Restore}", path);

    [DoesNotReturn]
    internal static void JournalChanged(TransactionId found, TransactionId before) => throw new CorruptJournalException(
        $"Read a second time, the commit journal ends with transaction {found}; a moment before it ended with {before}. "
        + "Something else writes to these files, or the disk does not return what it holds; nothing was changed.");

    [DoesNotReturn]
    internal static void NextPageOutOfRange(string path, PageNumber next, PageNumber end) => throw new StorageCorruptException(
        $"The newest image set says that page {next - 1} is in use, but '{path}' has only {end} pages. {Restore}", path);

    [DoesNotReturn]
    internal static void ImageOutOfRange(string path, PageNumber page, long count, PageNumber end) => throw new StorageCorruptException(
        $"An image set holds an image of {count} pages at {page}, but '{path}' has only {end} pages. {Restore}", path, page.Value);

    [DoesNotReturn]
    internal static void BadImage(string path, in ImageEntry entry) => throw new StorageCorruptException(
        $"The image of page {entry.PageNumber} of '{path}' at offset {entry.Offset} of page chunk {entry.Sequence} is damaged or missing. "
        + Restore,
        path,
        entry.PageNumber.Value);

    [DoesNotReturn]
    internal static void BadReplay(TransactionId id, Exception cause) => throw new CorruptJournalException(
        $"The record of transaction {id} cannot be replayed: {cause.Message} {Restore}");

    [DoesNotReturn]
    internal static void NoTreeInReplay(RedoOperation operation) => throw new CorruptJournalException(
        $"A commit record has an operation {operation} before any tree was selected, or on a tree or savepoint that does not "
        + $"exist. {Restore}");

    [DoesNotReturn]
    internal static void LostMiddle(string file, JournalPosition bad, JournalPosition proof) => throw new CorruptJournalException(
        $"The commit journal is damaged at {bad} ('{file}'): the record at {proof} proves that more was acknowledged. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file,
        bad.Offset);

    [DoesNotReturn]
    internal static void LostChunk(string path, ChunkState state) => throw new CorruptJournalException(
        $"Recovery needs the chunk '{path}' of the commit journal, but {Describe(state)}. "
        + "Nothing was changed; put the file back, restore a backup or copy out what is readable.",
        path);

    [DoesNotReturn]
    internal static void BadMark(string file, JournalPosition position) => throw new CorruptJournalException(
        $"The record at {position} ('{file}') is not the one that the newest checkpoint names. "
        + "Restore a backup or copy out what is readable.",
        file,
        position.Offset);

    private static string Describe(ChunkState state) => state switch
    {
        ChunkState.Missing => "the file is missing",
        ChunkState.Foreign => "it belongs to another database",
        _ => "its header is damaged or the file was cut short",
    };
}
