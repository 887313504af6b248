using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>
/// The locks of an open database. Those of the lock file and of the data file keep out a second process, a second environment in this one,
/// and one that opens the same file by a link. The directories are held open, so that names used later are those of the files that were
/// locked, whatever has their paths by then.
/// </summary>
internal sealed class DatabaseLock : IDisposable
{
    private readonly Stack<IDisposable> _held = new();
    private readonly IDisk _disk;
    private readonly DatabasePaths _paths;

    private DatabaseLock(IDisk disk, DatabasePaths paths)
    {
        _disk = disk;
        _paths = paths;
    }

    /// <summary>Locks the lock file; <see cref="Take"/> locks the data file once it is open.</summary>
    internal static DatabaseLock Acquire(IDisk disk, DatabasePaths paths, bool create)
    {
        DatabaseLock taken = new(disk, paths);
        return taken.OrDispose(() => taken.Acquire(create));
    }

    /// <summary>
    /// Takes the shared lock of read-only opens, which excludes a writer. Creates nothing: without a lock file, the lock of the data file
    /// is enough.
    /// </summary>
    internal static DatabaseLock AcquireShared(IDisk disk, DatabasePaths paths)
    {
        DatabaseLock taken = new(disk, paths);
        return taken.OrDispose(taken.AcquireShared);
    }

    internal static void Take(IDiskFile file, bool exclusive = true)
    {
        IoError error = file.TryLock(exclusive);
        if (error.Kind == IoErrorKind.Locked)
        {
            Throw.Locked(file.Path, file.FindLockHolder());
        }

        IO.Throw.IfFailed(error, "lock", file.Path);
    }

    /// <summary>Holds the directory of the journal, which may be a link to another disk. A read-only open may find none.</summary>
    internal void HoldJournal()
    {
        IoError error = _disk.HoldDirectory(_paths.Journal, out IDisposable? journal);
        IO.Throw.IfFailed(error.Kind == IoErrorKind.NotFound ? IoError.Success : error, "open", _paths.Journal);
        Keep(journal);
    }

    public void Dispose()
    {
        while (_held.TryPop(out IDisposable? held))
        {
            held.Dispose();
        }
    }

    private void Acquire(bool create)
    {
        HoldFolder();
        IoError error = _disk.OpenFile(_paths.LockFile, create ? FileOpening.Create : FileOpening.None, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound && !create)
        {
            RefuseWithoutData();
            error = _disk.OpenFile(_paths.LockFile, FileOpening.Create, out file);
        }

        Keep(file);
        IO.Throw.IfFailed(error, "open", _paths.LockFile);
        Take(file!);
    }

    private void AcquireShared()
    {
        HoldFolder();
        IoError error = _disk.OpenFile(_paths.LockFile, FileOpening.ReadOnly, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound)
        {
            RefuseWithoutData();
            return;
        }

        Keep(file);
        IO.Throw.IfFailed(error, "open", _paths.LockFile);
        Take(file!, exclusive: false);
    }

    private void HoldFolder()
    {
        IoError error = _disk.HoldDirectory(_paths.Directory, out IDisposable? folder);
        if (error.Kind == IoErrorKind.NotFound)
        {
            Throw.MissingDatabase(_paths.Directory);
        }

        IO.Throw.IfFailed(error, "open", _paths.Directory);
        Keep(folder);
    }

    /// <summary>Creates the lock file, which holds no data: a database that was copied without it is complete.</summary>
    private void RefuseWithoutData()
    {
        IoError error = _disk.OpenFile(_paths.DataFile, FileOpening.ReadOnly, out IDiskFile? data);
        data?.Dispose();
        if (error.Kind == IoErrorKind.NotFound)
        {
            Throw.MissingDatabase(_paths.Directory);
        }
    }

    private void Keep(IDisposable? held)
    {
        if (held is not null)
        {
            _held.Push(held);
        }
    }

    private DatabaseLock OrDispose(Action acquire)
    {
        try
        {
            acquire();
            return this;
        }
        catch
        {
            Dispose();
            throw;
        }
    }
}
