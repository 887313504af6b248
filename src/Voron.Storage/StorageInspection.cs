using Voron.Storage.Engine;
using Voron.Storage.Platform;

namespace Voron.Storage;

/// <summary>
/// Looks at single pages and journal records of a database that is not opened, and may be too damaged for that. Only reads; nothing of
/// what it finds is thrown. For tools and for whoever wants to know what an error message means; programs need none of it.
/// </summary>
public static class StorageInspection
{
    /// <summary>Decodes one page of the data file.</summary>
    /// <param name="path">The folder; nobody may have it open for writing.</param>
    /// <param name="pageNumber">From 0 to the last page of the file.</param>
    /// <exception cref="ArgumentOutOfRangeException">The file has no such page.</exception>
    /// <exception cref="NotADatabaseException">Nothing in the data file looks like a page of this engine.</exception>
    /// <exception cref="FormatVersionException">Another version of the format.</exception>
    /// <exception cref="StorageLockedException">Someone has the database open for writing.</exception>
    /// <exception cref="StorageIOException">There is no database, or the operating system refused to read it.</exception>
    public static PageReport ReadPage(string path, long pageNumber) => ReadPage(new NativeDisk(), path, pageNumber);

    /// <summary>Reads all chunks of the commit journal and of the page journal.</summary>
    /// <param name="path">The folder; nobody may have it open for writing.</param>
    /// <param name="onRecord">Called for each sound record of the commit journal, in their order; null for none.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="NotADatabaseException">Nothing in the data file looks like a page of this engine.</exception>
    /// <exception cref="FormatVersionException">Another version of the format.</exception>
    /// <exception cref="StorageLockedException">Someone has the database open for writing.</exception>
    /// <exception cref="StorageIOException">There is no database, or the operating system refused to read it.</exception>
    public static JournalReport ReadJournal(
        string path, Action<JournalRecord>? onRecord = null, CancellationToken cancellationToken = default) =>
        ReadJournal(new NativeDisk(), path, onRecord, cancellationToken);

    /// <summary>On another disk, for the engine's own tests.</summary>
    internal static PageReport ReadPage(IDisk disk, string path, long pageNumber)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentOutOfRangeException.ThrowIfNegative(pageNumber);
        using InspectedFiles files = new(disk, Path.GetFullPath(path));
        return new PageInspection(files).Read(pageNumber);
    }

    /// <inheritdoc cref="ReadPage(IDisk, string, long)"/>
    internal static JournalReport ReadJournal(
        IDisk disk, string path, Action<JournalRecord>? onRecord, CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        using InspectedFiles files = new(disk, Path.GetFullPath(path));
        return new JournalInspection(files, onRecord, cancellation).Read();
    }
}
