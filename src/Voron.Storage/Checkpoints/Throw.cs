using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Checkpoints;

/// <summary>The exceptions of checkpoints.</summary>
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
        $"'{path}' has format version {found}; this build reads versions {FormatConstants.FormatVersion} and "
        + $"{FormatConstants.FeatureVersion}. Open it with the version of the library that wrote it.");

    [DoesNotReturn]
    internal static void UnknownFeatures(string path, FormatFeatures unknown) => throw new FormatVersionException(
        $"'{path}' uses features that this build does not know: "
        + string.Join(", ", Enumerable.Range(0, 64).Where(bit => (((ulong)unknown >> bit) & 1) != 0).Select(static bit => $"bit {bit}"))
        + $" of format version {FormatConstants.FeatureVersion}. Open it with the version of the library that wrote it.");

    [DoesNotReturn]
    internal static void ForeignSlot(string path) => throw new StorageCorruptException(
        $"The two header slots of '{path}' are of different databases. {Restore}", path);
}
