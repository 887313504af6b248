using Voron.Storage.IO;
using Voron.Storage.Rescue;

namespace Voron.Storage;

/// <summary>
/// Copies everything readable from a damaged database into a new one, without writing to the damaged files. Use it if there is no backup:
/// the result is sound, but may be a state that never existed.
/// </summary>
public static class StorageSalvage
{
    /// <summary>
    /// Reads the sound parts of header slots, image sets, trees and the commit journal, and writes the entries to a new database. Entries
    /// whose tree is unknown are put into trees named <c>lost+found/page-N</c>, and what the journal has of a tree whose kind is lost into
    /// one named <c>lost+found/NAME</c>.
    /// </summary>
    /// <param name="damagedPath">The folder of the damaged database; it must not be open for writing.</param>
    /// <param name="targetPath">Another folder, which contains no database.</param>
    /// <param name="options">Settings of the new database; the default page size is that of the old one.</param>
    /// <param name="cancellationToken">Cancels the copy; the new database is then incomplete.</param>
    /// <exception cref="NotADatabaseException">The data file contains no page of this engine.</exception>
    /// <exception cref="StorageLockedException">An environment has the damaged database open.</exception>
    /// <exception cref="ArgumentException">The target already contains a database.</exception>
    public static SalvageReport Copy(
        string damagedPath, string targetPath, StorageOptions? options = null, CancellationToken cancellationToken = default) =>
        Run(damagedPath, targetPath, options, null, cancellationToken);

    /// <summary>
    /// Copies like <see cref="Copy(string, string, StorageOptions?, CancellationToken)"/> and reports progress every few MiB.
    /// </summary>
    /// <param name="damagedPath">The folder of the damaged database; it must not be open for writing.</param>
    /// <param name="targetPath">Another folder, which contains no database.</param>
    /// <param name="options">Settings of the new database; the default page size is that of the old one.</param>
    /// <param name="progress">Receives the amount written to the new database.</param>
    /// <param name="cancellationToken">Cancels the copy; the new database is then incomplete.</param>
    /// <exception cref="NotADatabaseException">The data file contains no page of this engine.</exception>
    /// <exception cref="StorageLockedException">An environment has the damaged database open.</exception>
    /// <exception cref="ArgumentException">The target already contains a database.</exception>
    public static SalvageReport Copy(
        string damagedPath,
        string targetPath,
        StorageOptions? options,
        IProgress<SalvageProgress> progress,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(progress);
        return Run(damagedPath, targetPath, options, progress, cancellationToken);
    }

    private static SalvageReport Run(
        string damagedPath,
        string targetPath,
        StorageOptions? options,
        IProgress<SalvageProgress>? progress,
        CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(damagedPath);
        ArgumentException.ThrowIfNullOrWhiteSpace(targetPath);
        options ??= new StorageOptions();
        OptionRules.Check(options);
        IDisk disk = options.Engine.Disk ?? new NativeDisk();
        return new Salvage(disk, Path.GetFullPath(damagedPath), Path.GetFullPath(targetPath), options, cancellation, progress).Run();
    }
}
