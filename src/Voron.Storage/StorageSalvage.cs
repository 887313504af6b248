using Voron.Storage.Engine;
using Voron.Storage.Platform;

namespace Voron.Storage;

/// <summary>
/// Copies whatever is readable of a damaged database into a new one. The damaged files are only read. For when there is no backup: what
/// comes out is sound, but it may be a state that never was.
/// </summary>
public static class StorageSalvage
{
    /// <summary>
    /// Reads header slots, page batches, trees and the commit journal, each as far as it is sound, and writes the entries to a new
    /// database. Entries whose tree cannot be told any more go to trees named <c>lost+found/page-N</c>.
    /// </summary>
    /// <param name="damagedPath">The folder of the damaged database; nobody may have it open for writing.</param>
    /// <param name="targetPath">Another folder, without a database in it.</param>
    /// <param name="options">Settings of the new database; its page size is the old one's when none is given.</param>
    /// <param name="cancellationToken">Gives up; the new database is then incomplete.</param>
    /// <exception cref="NotADatabaseException">Nothing in the data file looks like a page of this engine.</exception>
    /// <exception cref="StorageLockedException">Someone has the damaged database open.</exception>
    /// <exception cref="ArgumentException">The target holds a database already.</exception>
    public static SalvageReport Copy(
        string damagedPath, string targetPath, StorageOptions? options = null, CancellationToken cancellationToken = default) =>
        Run(damagedPath, targetPath, options, null, cancellationToken);

    /// <summary>
    /// Copies like <see cref="Copy(string, string, StorageOptions?, CancellationToken)"/> and tells how far it is after every few MiB.
    /// </summary>
    /// <param name="damagedPath">The folder of the damaged database; nobody may have it open for writing.</param>
    /// <param name="targetPath">Another folder, without a database in it.</param>
    /// <param name="options">Settings of the new database; its page size is the old one's when none is given.</param>
    /// <param name="progress">Learns how much was put into the new database.</param>
    /// <param name="cancellationToken">Gives up; the new database is then incomplete.</param>
    /// <exception cref="NotADatabaseException">Nothing in the data file looks like a page of this engine.</exception>
    /// <exception cref="StorageLockedException">Someone has the damaged database open.</exception>
    /// <exception cref="ArgumentException">The target holds a database already.</exception>
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
