using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// The process lock: the lock file and the data file itself, so that neither a second process, nor a second environment in this one, nor
/// a link to the same file gets in.
/// </summary>
internal sealed class DatabaseLock : IDisposable
{
    private readonly IDiskFile? _file;

    private DatabaseLock(IDiskFile? file) => _file = file;

    /// <summary>Takes the lock file's lock; the data file's is taken with <see cref="Take"/> once it is open.</summary>
    internal static DatabaseLock Acquire(IDisk disk, DatabasePaths paths, bool create)
    {
        IoError error = disk.OpenFile(paths.LockFile, create ? FileOpening.Create : FileOpening.None, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound && !create)
        {
            RefuseWithoutData(disk, paths);
            error = disk.OpenFile(paths.LockFile, FileOpening.Create, out file);
        }

        Platform.Throw.IfFailed(error, "open", paths.LockFile);
        try
        {
            Take(file!);
            return new DatabaseLock(file!);
        }
        catch
        {
            file!.Dispose();
            throw;
        }
    }

    /// <summary>
    /// The lock of readers, which many may have together and nobody beside a writer. Nothing is created for it: where there is no lock
    /// file, the data file's own lock is enough.
    /// </summary>
    internal static DatabaseLock AcquireShared(IDisk disk, DatabasePaths paths)
    {
        IoError error = disk.OpenFile(paths.LockFile, FileOpening.ReadOnly, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound)
        {
            RefuseWithoutData(disk, paths);
            return new DatabaseLock(null);
        }

        Platform.Throw.IfFailed(error, "open", paths.LockFile);
        try
        {
            Take(file!, exclusive: false);
            return new DatabaseLock(file);
        }
        catch
        {
            file!.Dispose();
            throw;
        }
    }

    /// <summary>The lock file is nobody's data: a database that was copied without it is one all the same.</summary>
    private static void RefuseWithoutData(IDisk disk, DatabasePaths paths)
    {
        IoError error = disk.OpenFile(paths.DataFile, FileOpening.ReadOnly, out IDiskFile? data);
        data?.Dispose();
        if (error.Kind == IoErrorKind.NotFound)
        {
            Throw.MissingDatabase(paths.Directory);
        }
    }

    internal static void Take(IDiskFile file, bool exclusive = true) =>
        Platform.Throw.IfFailed(file.TryLock(exclusive), "lock", file.Path);

    public void Dispose() => _file?.Dispose();
}
