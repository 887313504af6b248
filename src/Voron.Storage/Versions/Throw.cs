using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>The exceptions of page versions and the data file.</summary>
internal static class Throw
{
    private const string Restore = "Restore a backup or copy out what is readable; nothing was changed.";

    [DoesNotReturn]
    internal static void PageOutOfRange(PageNumber page, long pages) => throw new StorageCorruptException(
        $"Page {page} is named by another page but the data file has only {pages} pages. "
        + "The database is damaged: restore a backup or copy out what is readable.",
        pageNumber: page.Value);

    [DoesNotReturn]
    internal static void BadChecksum(string file, PageNumber page, ulong expected, ulong found) => throw new StorageCorruptException(
        $"Page {page} of '{file}' is damaged: it says checksum {expected:x16}, its bytes have {found:x16}. "
        + "Restore a backup or copy out what is readable.",
        file,
        page.Value);

    [DoesNotReturn]
    internal static void Unreadable(string file, PageNumber page, IoError error) => throw new StorageIOException(
        $"Page {page} of '{file}' cannot be read: the device reported an error (code {error.Code}). Other pages stay readable. "
        + "Check the disk; restore a backup or copy out what is readable.",
        "read",
        file,
        error.Code,
        page.Value);

    [DoesNotReturn]
    internal static void ImageCut(string file, PageNumber page) => throw new StorageCorruptException(
        $"The image of page {page} in '{file}' was whole a moment ago and is cut short now: something else writes to these files.",
        file,
        page.Value);

    [DoesNotReturn]
    internal static void WrongPage(string file, PageNumber page, string expected, string found) => throw new StorageCorruptException(
        $"Page {page} of '{file}' is not what it should be: expected {expected}, found {found}. "
        + "Restore a backup or copy out what is readable.",
        file,
        page.Value);

    [DoesNotReturn]
    internal static void LaterPage(string file, PageNumber page, TransactionId newest, TransactionId found) =>
        throw new StorageCorruptException(
        $"Page {page} of '{file}' is of a checkpoint that is lost: expected a page of transaction {newest} or before, which the newest "
        + $"complete image set ends with, found one of transaction {found}. The head of a later set in the journal is damaged. "
        + "Restore a backup or copy out what is readable.",
        file,
        page.Value);

    [DoesNotReturn]
    internal static void NoContent(PageNumber page, TransactionId transactionId) => throw new InvalidOperationException(
        $"A checkpoint needs page {page} as transaction {transactionId} made it, and memory has let go of that: a mistake of the engine.");

    [DoesNotReturn]
    internal static void ValueInPieces(PageNumber page) => throw new ValueInPiecesException(
        $"The value whose pieces page {page} lists was written as a stream and is not in one piece, so no span can hold it. "
        + "Read it with TryOpenValueReader, or OpenValueReader of its entry or cursor.");

    [DoesNotReturn]
    internal static void SyncedInVain(string path, Exception first) => throw new StoragePoisonedException(
        $"An earlier sync of '{path}' failed, so nobody knows what of it is on the device. Dispose the environment and open the database "
        + "again: what was acknowledged is recovered. First error: " + first.Message,
        first);
}
