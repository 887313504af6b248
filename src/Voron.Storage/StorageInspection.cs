using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Rescue;

namespace Voron.Storage;

/// <summary>
/// Reads single pages and journal records of a database that is not open and may be too damaged to open. It never writes, and reports
/// damage instead of throwing. For tools and for diagnosing error messages; applications do not need it.
/// </summary>
public static class StorageInspection
{
    /// <summary>Decodes one page of the data file.</summary>
    /// <param name="path">The folder; it must not be open for writing.</param>
    /// <param name="pageNumber">From 0 to the last page of the file.</param>
    /// <exception cref="ArgumentOutOfRangeException">The file has no such page.</exception>
    /// <exception cref="NotADatabaseException">The data file contains no page of this engine.</exception>
    /// <exception cref="FormatVersionException">The database has another format version.</exception>
    /// <exception cref="StorageLockedException">An environment has the database open for writing.</exception>
    /// <exception cref="StorageIOException">The database does not exist, or the operating system refused to read it.</exception>
    public static PageReport ReadPage(string path, long pageNumber) => ReadPage(new NativeDisk(), path, pageNumber);

    /// <summary>Reads all chunks of the commit journal and of the page journal.</summary>
    /// <param name="path">The folder; it must not be open for writing.</param>
    /// <param name="onRecord">Called for each sound record of the commit journal, in order; may be null.</param>
    /// <param name="cancellationToken">Cancels the read.</param>
    /// <exception cref="NotADatabaseException">The data file contains no page of this engine.</exception>
    /// <exception cref="FormatVersionException">The database has another format version.</exception>
    /// <exception cref="StorageLockedException">An environment has the database open for writing.</exception>
    /// <exception cref="StorageIOException">The database does not exist, or the operating system refused to read it.</exception>
    public static JournalReport ReadJournal(
        string path, Action<JournalRecord>? onRecord = null, CancellationToken cancellationToken = default) =>
        ReadJournal(new NativeDisk(), path, onRecord, cancellationToken);

    /// <summary>Decodes one page of a database on the given disk.</summary>
    internal static PageReport ReadPage(IDisk disk, string path, long pageNumber)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentOutOfRangeException.ThrowIfNegative(pageNumber);
        using InspectedFiles files = new(disk, Path.GetFullPath(path));
        return new PageInspection(files).Read(new PageNumber(pageNumber));
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
