using Voron.Storage;

namespace Voron.Simulation.Fuzz;

/// <summary>An open file of a <see cref="FuzzDisk"/>.</summary>
internal sealed class FuzzFile(FuzzDisk disk, FuzzContent content, string path, FileOpening opening) : IDiskFile
{
    private const int AccessDenied = 9;
    private bool _isShared;
    private bool _isClosed;

    public string Path => path;

    public bool IsUnbuffered => opening.HasFlag(FileOpening.Unbuffered);

    private bool IsReadOnly => opening.HasFlag(FileOpening.ReadOnly);

    public IoError GetLength(out long bytes)
    {
        bytes = content.Length;
        return IoError.Success;
    }

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        read = content.Read(offset, destination);
        return IoError.Success;
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        long end = offset + source.Length;
        if (Refuse(end) is { Failed: true } refused)
        {
            return refused;
        }

        content.Write(offset, source);
        return IoError.Success;
    }

    public IoError WriteOut(long offset, long bytes) => IoError.Success;

    public IoError SyncData() => IoError.Success;

    public IoError SetLength(long bytes) => Resize(bytes);

    public IoError Allocate(long bytes) => bytes <= content.Length ? IoError.Success : Resize(bytes);

    public IoError Punch(long offset, long bytes)
    {
        content.Clear(offset, bytes);
        return IoError.Success;
    }

    public IoError Map(long bytes, out nint address)
    {
        address = 0;
        if (bytes > content.Length)
        {
            return new IoError(IoErrorKind.Device, AccessDenied);
        }

        address = content.Map();
        return IoError.Success;
    }

    public IoError TryLock(bool exclusive)
    {
        bool isTaken = content.ExclusiveLock is { } holder && holder != this;
        if (isTaken || (exclusive && content.SharedLocks > (_isShared ? 1 : 0)))
        {
            return new IoError(IoErrorKind.Locked, AccessDenied);
        }

        content.ExclusiveLock = exclusive ? this : null;
        content.SharedLocks += !exclusive && !_isShared ? 1 : 0;
        _isShared |= !exclusive;
        return IoError.Success;
    }

    public void Dispose()
    {
        if (_isClosed)
        {
            return;
        }

        _isClosed = true;
        content.ExclusiveLock = content.ExclusiveLock == this ? null : content.ExclusiveLock;
        content.SharedLocks -= _isShared ? 1 : 0;
        content.Closed();
        disk.Closed();
    }

    private IoError Resize(long bytes)
    {
        if (Refuse(bytes) is { Failed: true } refused)
        {
            return refused;
        }

        content.SetLength(bytes);
        return IoError.Success;
    }

    private IoError Refuse(long end) => IsReadOnly
        ? new IoError(IoErrorKind.AccessDenied, AccessDenied)
        : end > FuzzDisk.MostFileBytes ? new IoError(IoErrorKind.DiskFull, AccessDenied) : IoError.Success;
}
