using Voron.Storage;

namespace Voron.Simulation.Outside;

/// <summary>An open file of <see cref="SharedDisk"/>.</summary>
internal sealed class SharedFile(IDiskFile file, SharedDisk disk, bool isLockFile) : IDiskFile
{
    public string Path => file.Path;

    public bool IsUnbuffered => file.IsUnbuffered;

    public IoError GetLength(out long bytes) => file.GetLength(out bytes);

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        if (!isLockFile)
        {
            return file.Read(offset, destination, out read);
        }

        disk.Words.AsSpan((int)offset, destination.Length).CopyTo(destination);
        read = destination.Length;
        return IoError.Success;
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        disk.Between?.Invoke(Path);
        if (!isLockFile)
        {
            return file.Write(offset, source);
        }

        source.CopyTo(disk.Words.AsSpan((int)offset));
        return IoError.Success;
    }

    public IoError WriteOut(long offset, long bytes) => file.WriteOut(offset, bytes);

    public IoError SyncData()
    {
        disk.Between?.Invoke(Path);
        return file.SyncData();
    }

    public IoError SetLength(long bytes)
    {
        disk.Between?.Invoke(Path);
        return file.SetLength(bytes);
    }

    public IoError Allocate(long bytes) => file.Allocate(bytes);

    public IoError Punch(long offset, long bytes)
    {
        disk.Between?.Invoke(Path);
        return file.Punch(offset, bytes);
    }

    public IoError Map(long bytes, out nint address) => file.Map(bytes, out address);

    public IoError TryLock(bool exclusive) => file.TryLock(exclusive);

    public IoError TryLockSlot(int slot, bool exclusive)
    {
        if (!isLockFile)
        {
            return new IoError(IoErrorKind.NotSupported, 0);
        }

        return disk.Slots.TryAdd(slot, this) || disk.Slots[slot] == this ? IoError.Success : new IoError(IoErrorKind.Locked, 11);
    }

    public bool IsSlotLocked(int slot) => isLockFile && disk.Slots.TryGetValue(slot, out SharedFile? holder) && holder != this;

    public void Dispose()
    {
        foreach ((int slot, SharedFile holder) in disk.Slots)
        {
            if (holder == this)
            {
                disk.Slots.Remove(slot);
            }
        }

        file.Dispose();
    }
}
