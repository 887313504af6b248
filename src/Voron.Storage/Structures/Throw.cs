using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Structures;

/// <summary>The exceptions of structures.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void BadBlock(PageNumber root) => throw new StorageCorruptException(
        $"A block of values in the multi-value tree with the root page {root} is damaged. Restore a backup or copy out what is readable.",
        pageNumber: root.Value);

    [DoesNotReturn]
    internal static void BadColumns(PageNumber root, PageNumber page = default) => throw new StorageCorruptException(
        $"A block of columns{(page == default ? "" : $" in page {page}")} of the fixed-size tree with the root page {root} is damaged. "
        + "Restore a backup or copy out what is readable.",
        pageNumber: page == default ? root.Value : page.Value);

    [DoesNotReturn]
    internal static void NoRow() => throw new InvalidOperationException(
        "The cursor has no current row: it was not moved yet, it is past an end, or its row was deleted. Move it first.");

    [DoesNotReturn]
    internal static void NoBlocks() => throw new InvalidOperationException(
        "The values of this tree have no common length, so they cannot be read as blocks. Use Values.");

    [DoesNotReturn]
    internal static void NoColumn(Type type, int typeBytes, int valueBytes) => throw new ArgumentException(
        $"{type.Name} has {typeBytes} bytes; the values of this tree have {valueBytes}. Use a type of that length, or ValueBytes.");
}
