using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>The throws of the journal room.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void OutcomeUnknown(Exception first) => throw new CommitOutcomeUnknownException(
        "The journal write of this commit failed. Reopen the database: the transaction is then there as a whole or not at all. "
        + first.Message,
        first);

    [DoesNotReturn]
    internal static void LostMiddle(string file, JournalPosition bad, JournalPosition proof) => throw new CorruptJournalException(
        $"The commit journal is damaged at {bad} ('{file}'): the record at {proof} proves that more was acknowledged. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file,
        bad.Offset);

    [DoesNotReturn]
    internal static void MissingChunk(string directory, long sequence) => throw new CorruptJournalException(
        $"Chunk {sequence} of the commit journal in '{directory}' is missing or its header is damaged, and recovery needs it. "
        + "Put the file back, restore a backup or copy out what is readable.",
        directory);

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
    internal static void BadImage(string file, long page, long offset) => throw new StorageCorruptException(
        $"The image of page {page} at offset {offset} of '{file}' is damaged. Restore a backup or copy out what is readable.", file, page);
}
