using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>The exceptions of this namespace, thrown out of line.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void BadNode(PageNumber page, int count, int heapUsedBytes) => throw new StorageCorruptException(
        $"Page {page} says it has {count} slots and {heapUsedBytes} heap bytes, which do not fit a page. "
        + "Restore a backup or copy out what is readable.",
        pageNumber: page.Value);

    [DoesNotReturn]
    internal static void WrongBit(PageNumber page, bool wasFree) => throw new StorageCorruptException(
        $"Page {page} was to be {(wasFree ? "taken but the space map says it is in use" : "freed but the space map says it is free")} "
        + "already. Restore a backup or copy out what is readable.",
        pageNumber: page.Value);

    [DoesNotReturn]
    internal static void BadSpaceMap(PageNumber page) => throw new StorageCorruptException(
        $"Page {page} should be a space map and is not. Restore a backup or copy out what is readable.",
        pageNumber: page.Value);

    [DoesNotReturn]
    internal static void BadRun(PageNumber page, long valueBytes) => throw new StorageCorruptException(
        $"Page {page} should begin a run with a value of {valueBytes} bytes and does not. Restore a backup or copy out what is readable.",
        pageNumber: page.Value);

    [DoesNotReturn]
    internal static void RunTooLong(long pages) => throw new StorageFullException(
        $"No run of {pages} contiguous pages can be had in one extent of the space map.");

    [DoesNotReturn]
    internal static void LostRun(string path, PageNumber page, long count, ulong expected, ulong? found) =>
        throw new StorageCorruptException(
        $"The commit journal names a value in the {count} pages from {page} on of '{path}', with checksum {expected:x16}; there is "
        + (found is { } other ? $"one with {other:x16}" : "none")
        + ". A write that the device acknowledged was lost. Restore a backup or copy out what is readable; nothing was changed.",
        path,
        page.Value);
}
