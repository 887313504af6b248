using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>The throws of the journal room.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void OutcomeUnknown(Exception first) => throw MakeOutcomeUnknown(first);

    internal static CommitOutcomeUnknownException MakeOutcomeUnknown(Exception first) => new(
        "The journal write of this commit failed. Reopen the database: the transaction is then there as a whole or not at all. "
        + first.Message,
        first);

    [DoesNotReturn]
    internal static void RecordTooLong(long bytes, long limit) => throw new ValueTooLongException(bytes, limit);

    [DoesNotReturn]
    internal static void LostMiddle(string file, JournalPosition bad, JournalPosition proof) => throw new CorruptJournalException(
        $"The commit journal is damaged at {bad} ('{file}'): the record at {proof} proves that more was acknowledged. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file,
        bad.Offset);

    [DoesNotReturn]
    internal static void ChunkVersion(string path, uint version) => throw new FormatVersionException(
        $"'{path}' has format version {version}; this build reads version {FormatConstants.FormatVersion}. "
        + "Open it with a build of that version.");

    [DoesNotReturn]
    internal static void LostChunk(string path, ChunkState state) => throw new CorruptJournalException(
        $"Recovery needs the chunk '{path}' of the commit journal, but {Describe(state)}. "
        + "Nothing was changed; put the file back, restore a backup or copy out what is readable.",
        path);

    [DoesNotReturn]
    internal static void ShortRead(string path, long read, long expected) => throw new StorageCorruptException(
        $"Only {read} of {expected} bytes of '{path}' could be read, although the file says that it is long enough. "
        + "Nothing was changed; check the disk and open the database again, or restore a backup.",
        path);

    [DoesNotReturn]
    internal static void BadMark(string file, JournalPosition position) => throw new CorruptJournalException(
        $"The record at {position} ('{file}') is not the one that the newest checkpoint names. "
        + "Restore a backup or copy out what is readable.",
        file,
        position.Offset);

    [DoesNotReturn]
    internal static void BadBody(string what) => throw new CorruptJournalException(
        $"A commit record has a sound checksum but a body that cannot be read: {what}. "
        + "It was written by another version or by a fault of this one.");

    [DoesNotReturn]
    internal static void BadTable(string file, long checkpoint) => throw new StorageCorruptException(
        $"The head of page batch {checkpoint} in '{file}' is sound, so its table was once on the device, but the table is damaged. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file);

    [DoesNotReturn]
    internal static void BadLink(string file, long checkpoint, in BatchEntry link) => throw new StorageCorruptException(
        $"Page batch {checkpoint} in '{file}' lists only what it changed of the deferred pages; the list before that, "
        + $"{link.PageCount} entries at offset {link.Offset} of page chunk {link.Sequence}, is damaged or missing. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file);

    [DoesNotReturn]
    internal static void BadRemoval(string file, long checkpoint, long page) => throw new StorageCorruptException(
        $"Page batch {checkpoint} in '{file}' removes page {page} from the list of deferred pages, but it is not there: "
        + "the list that it changed was another one. Nothing was changed; restore a backup or copy out what is readable.",
        file,
        page);

    [DoesNotReturn]
    internal static void ImpossibleHead(string file, long checkpoint) => throw new StorageCorruptException(
        $"The head of page batch {checkpoint} in '{file}' has a sound checksum, but its transaction or the place of the next batch "
        + "cannot be. Nothing was changed; restore a backup or copy out what is readable.",
        file);

    private static string Describe(ChunkState state) => state switch
    {
        ChunkState.Missing => "the file is missing",
        ChunkState.Foreign => "it belongs to another database",
        _ => "its header is damaged or the file was cut short",
    };
}
