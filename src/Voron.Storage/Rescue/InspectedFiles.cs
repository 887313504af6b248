using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>The files of a database that is not open, under the shared lock, so that no process changes them meanwhile.</summary>
internal sealed class InspectedFiles : IDisposable
{
    private readonly DatabaseLock _lock;

    internal InspectedFiles(IDisk disk, string directory)
    {
        Disk = disk;
        Paths = new DatabasePaths(directory);
        _lock = DatabaseLock.AcquireShared(disk, Paths);
        IDiskFile? file = null;
        try
        {
            IO.Throw.IfFailed(disk.OpenFile(Paths.DataFile, FileOpening.ReadOnly, out file), "open", Paths.DataFile);
            DatabaseLock.Take(file!, exclusive: false);
            Data = file!;
            Identity = SalvageIdentity.Find(disk, Paths, Data);
            Journal = new JournalFiles(disk, Paths.Journal, Identity.DatabaseId);
        }
        catch
        {
            file?.Dispose();
            _lock.Dispose();
            throw;
        }
    }

    internal IDisk Disk { get; }

    internal DatabasePaths Paths { get; }

    internal IDiskFile Data { get; }

    internal SalvageIdentity Identity { get; }

    internal JournalFiles Journal { get; }

    public void Dispose()
    {
        Data.Dispose();
        _lock.Dispose();
    }
}
