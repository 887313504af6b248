using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <summary>
/// An open file of a <see cref="ScheduledDisk"/>. A buffered write comes in two pieces that part a page, so that a reader of the map meets
/// torn pages as it does on a real machine.
/// </summary>
internal sealed class ScheduledFile(IDiskFile file, SimDisk disk, IScheduler scheduler, Action<string> closed, bool isBuffered)
    : IDiskFile
{
    public string Path => file.Path;

    public bool IsUnbuffered => file.IsUnbuffered;

    public IoError GetLength(out long bytes) => file.GetLength(out bytes);

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return file.Read(offset, destination, out read);
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        if (isBuffered && source.Length > SimContent.BlockBytes / 2)
        {
            int first = (source.Length / 2 / SimContent.BlockBytes * SimContent.BlockBytes) + (3 * SimContent.SectorBytes);
            IoError error = file.Write(offset, source[..first]);
            if (error.Failed)
            {
                return error;
            }

            scheduler.Pass(SchedulingPoint.Disk);
            offset += first;
            source = source[first..];
        }

        return After(file.Write(offset, source));
    }

    public IoError WriteOut(long offset, long bytes)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return AfterSync(file.WriteOut(offset, bytes));
    }

    public IoError SyncData()
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return AfterSync(file.SyncData());
    }

    public IoError SetLength(long bytes)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return After(file.SetLength(bytes));
    }

    public IoError Allocate(long bytes)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return After(file.Allocate(bytes));
    }

    public IoError Punch(long offset, long bytes)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return After(file.Punch(offset, bytes));
    }

    public void ReadAhead(long offset, long bytes) => file.ReadAhead(offset, bytes);

    public bool IsInMemory(long offset, long bytes) => file.IsInMemory(offset, bytes);

    public IoError Populate(long offset, long bytes) => file.Populate(offset, bytes);

    public IoError Map(long bytes, out nint address)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return file.Map(bytes, out address);
    }

    public IoError TryLock(bool exclusive) => file.TryLock(exclusive);

    public void Dispose()
    {
        closed(file.Path);
        file.Dispose();
    }

    private IoError AfterSync(IoError error)
    {
        if (error.Failed)
        {
            // The worst case: the cache forgets at once what the device refused.
            disk.EvictLost();
        }

        return After(error);
    }

    private IoError After(IoError result)
    {
        scheduler.Pass(SchedulingPoint.Disk);
        return result;
    }
}
