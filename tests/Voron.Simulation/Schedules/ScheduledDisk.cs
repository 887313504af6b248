using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <summary>A simulated disk before and after whose calls another thread may run.</summary>
internal sealed class ScheduledDisk(SimDisk disk, IScheduler scheduler, Action<string> closed) : IDisk
{
    public IoError CreateDirectory(string path) => Around(disk.CreateDirectory(Before(path)));

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        IoError error = disk.OpenFile(Before(path), opening, out IDiskFile? opened);
        file = opened is null ? null : new ScheduledFile(opened, disk, scheduler, closed, (opening & FileOpening.Unbuffered) == 0);
        return error;
    }

    public IoError Rename(string from, string to) => Around(disk.Rename(Before(from), to));

    public IoError Delete(string path) => Around(disk.Delete(Before(path)));

    public IoError ListFiles(string directory, List<string> names) => disk.ListFiles(Before(directory), names);

    public IoError SyncDirectory(string path) => Around(disk.SyncDirectory(Before(path)));

    public IWriteInFlight CreateWriteInFlight() => new ScheduledWrite();

    public void FillRandom(Span<byte> destination) => disk.FillRandom(destination);

    private string Before(string path)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return path;
    }

    private IoError Around(IoError result)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return result;
    }
}
