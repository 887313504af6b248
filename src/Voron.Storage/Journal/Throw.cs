using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>The exceptions of the journal files.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void ChunkVersion(string path, uint version) => throw new FormatVersionException(
        $"'{path}' has format version {version}; this build reads version {FormatConstants.FormatVersion}. "
        + "Open it with a build of that version.");

    [DoesNotReturn]
    internal static void ShortRead(string path, long read, long expected) => throw new StorageCorruptException(
        $"Only {read} of {expected} bytes of '{path}' could be read, although the file says that it is long enough. "
        + "Nothing was changed; check the disk and open the database again, or restore a backup.",
        path);

    [DoesNotReturn]
    internal static void BadBody(string what) => throw new CorruptJournalException(
        $"A commit record has a sound checksum but a body that cannot be read: {what}. "
        + "It was written by another version or by a fault of this one.");

    [DoesNotReturn]
    internal static void BadTable(string file, long checkpoint) => throw new StorageCorruptException(
        $"The head of image set {checkpoint} in '{file}' is sound, so its table was once on the device, but the table is damaged. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file);

    [DoesNotReturn]
    internal static void BadLink(string file, long checkpoint, in ImageEntry link) => throw new StorageCorruptException(
        $"Image set {checkpoint} in '{file}' lists only what it changed of the deferred pages; the list before that, "
        + $"{link.PageCount} entries at offset {link.Offset} of page chunk {link.Sequence}, is damaged or missing. "
        + "Nothing was changed; restore a backup or copy out what is readable.",
        file);

    [DoesNotReturn]
    internal static void BadRemoval(string file, long checkpoint, PageNumber page) => throw new StorageCorruptException(
        $"Image set {checkpoint} in '{file}' removes page {page} from the list of deferred pages, but it is not there: "
        + "the list that it changed was another one. Nothing was changed; restore a backup or copy out what is readable.",
        file,
        page.Value);

    [DoesNotReturn]
    internal static void ImpossibleHead(string file, long checkpoint) => throw new StorageCorruptException(
        $"The head of image set {checkpoint} in '{file}' has a sound checksum, but its transaction or the place of the next set "
        + "cannot be. Nothing was changed; restore a backup or copy out what is readable.",
        file);

    [DoesNotReturn]
    internal static void RecordTooLong(long bytes, long limit) => throw new ValueTooLongException(bytes, limit);
}
