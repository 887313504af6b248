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

    /// <summary>The slots of the lock file; null where there are none, or where this open could not take one.</summary>
    internal ProcessSlots? Slots { get; private set; }

    /// <summary>Locks the lock file; <see cref="Take"/> locks the data file once it is open.</summary>
    internal static DatabaseLock Acquire(IDisk disk, DatabasePaths paths, bool create)
    {
        DatabaseLock taken = new(disk, paths);
        return taken.OrDispose(() => taken.Acquire(create));
    }

    /// <summary>
    /// Takes a reader's slot, which excludes nothing. Where that is impossible (no lock file, no right to write to it, no such locks),
    /// takes the shared lock.
    /// </summary>
    internal static DatabaseLock AcquireReader(IDisk disk, DatabasePaths paths)
    {
        DatabaseLock taken = new(disk, paths);
        return taken.OrDispose(taken.AcquireReader);
    }

    /// <summary>
    /// Takes the shared lock, which excludes a writer. Creates nothing: without a lock file, the lock of the data file is enough.
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
        Slots?.Leave();
        Slots = null;
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
        if (TryTakeSlot(file!, exclusive: true))
        {
            ProcessSlots slots = new(file!);
            IO.Throw.IfFailed(slots.BeginWriter(), "write", _paths.LockFile);
            Slots = slots;
        }
    }

    private void AcquireReader()
    {
        HoldFolder();
        IoError error = _disk.OpenFile(_paths.LockFile, FileOpening.None, out IDiskFile? file);
        if (!error.Failed)
        {
            ProcessSlots slots = new(file!);
            error = slots.TryTake();
            if (error.Kind == IoErrorKind.Locked)
            {
                file!.Dispose();
                Throw.SlotsFull(_paths.LockFile);
            }

            if (!error.Failed)
            {
                Keep(file);
                Slots = slots;
                return;
            }
        }

        file?.Dispose();
        AcquireShared();
    }

    /// <summary>
    /// Takes the writer's slot, or shares it against a writer. Returns false if the lock of the whole file was taken instead.
    /// </summary>
    private static bool TryTakeSlot(IDiskFile file, bool exclusive)
    {
        IoError error = file.TryLockSlot(0, exclusive);
        if (error.Kind == IoErrorKind.NotSupported)
        {
            Take(file, exclusive);
            return false;
        }

        if (error.Kind == IoErrorKind.Locked)
        {
            ProcessSlots slots = new(file);
            Throw.Locked(file.Path, slots.HasWriter && slots.WriterProcess is not 0 and var writer ? writer : file.FindLockHolder());
        }

        IO.Throw.IfFailed(error, "lock", file.Path);
        return true;
    }

    private void AcquireShared()
    {
        if (_held.Count == 0)
        {
            HoldFolder();
        }

        IoError error = _disk.OpenFile(_paths.LockFile, FileOpening.ReadOnly, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound)
        {
            RefuseWithoutData();
            return;
        }

        Keep(file);
        IO.Throw.IfFailed(error, "open", _paths.LockFile);
        TryTakeSlot(file!, exclusive: false);
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
