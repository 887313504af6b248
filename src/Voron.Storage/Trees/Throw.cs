using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>The exceptions of the tree room.</summary>
internal static class Throw
{
    private const string Advice = "Run a check; restore a backup, or copy out what is readable.";

    [DoesNotReturn]
    internal static void NotANode(PageNumber page, int kind, int count, int heapUsedBytes, int prefixBytes) =>
        throw new StorageCorruptException(
            $"Page {page} should be a node of a tree, but its head makes no sense (kind {kind}, {count} slots, " +
            $"{heapUsedBytes} heap bytes, prefix of {prefixBytes} bytes). {Advice}",
            null,
            page.Value);

    [DoesNotReturn]
    internal static void BadEntry(PageNumber page, int index) =>
        throw new StorageCorruptException($"Entry {index} of page {page} does not lie within its page. {Advice}", null, page.Value);

    [DoesNotReturn]
    internal static void BadChild(PageNumber page, int index, PageNumber child) =>
        throw new StorageCorruptException(
            $"Entry {index} of branch page {page} names page {child}, which no tree can contain. {Advice}", null, page.Value);

    [DoesNotReturn]
    internal static void BadOverflow(PageNumber page, int index) =>
        throw new StorageCorruptException(
            $"Entry {index} of leaf page {page} should refer to an overflow run, but does not. {Advice}", null, page.Value);

    [DoesNotReturn]
    internal static void Overfull(PageNumber page) =>
        throw new StorageCorruptException(
            $"The entries of page {page} overlap: together they are larger than the page. {Advice}", null, page.Value);

    [DoesNotReturn]
    internal static void OutOfOrder(PageNumber page, int index) =>
        throw new StorageCorruptException($"The keys of page {page} are not in order at entry {index}. {Advice}", null, page.Value);

    [DoesNotReturn]
    internal static void NoProgress(PageNumber root, PageNumber page) =>
        throw new StorageCorruptException(
            $"The tree with root page {root} makes no room for an entry on page {page} however often it is divided. {Advice}",
            null,
            page.Value);

    [DoesNotReturn]
    internal static void TooDeep(PageNumber root, PageNumber page) =>
        throw new StorageCorruptException(
            $"The tree with root page {root} is too deep: page {page} is still not a leaf after {TreePath.MaxDepth} levels. {Advice}",
            null,
            page.Value);

    [DoesNotReturn]
    internal static void LostNode(PageNumber root, PageNumber page) =>
        throw new StorageCorruptException(
            $"The tree with root page {root} does not lead to its own page {page}. {Advice}", null, page.Value);

    [DoesNotReturn]
    internal static void KeyTooLong(int length, int limit) => throw new KeyTooLongException(length, limit);

    [DoesNotReturn]
    internal static void CursorLost() => throw new InvalidOperationException(
        "The move before this one failed at a page that cannot be read, so there is no position to go on from. "
        + "Seek a key behind the damage, or move to the first or last row.");

    [DoesNotReturn]
    internal static void NoRow() => throw new InvalidOperationException("The cursor has no current row: move or seek it to one first.");
}
