using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>An open file of a memory disk.</summary>
internal sealed class MemoryDiskFile(MemoryDisk disk, MemoryContent content, string path, FileOpening opening) : IDiskFile
{
    private readonly bool _readOnly = opening.HasFlag(FileOpening.ReadOnly);
    private int _disposed;

    public string Path => path;

    /// <summary>Whether the file bypasses the cache; there is none, so it is always as requested.</summary>
    public bool IsUnbuffered { get; } = opening.HasFlag(FileOpening.Unbuffered);

    internal bool IsDisposed => Volatile.Read(ref _disposed) != 0;

    private static IoError Denied => new(IoErrorKind.AccessDenied, Errno.BADF);

    public IoError GetLength(out long bytes) => Live().GetLength(path, out bytes);

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        BlockTransfer.Check(IsUnbuffered, offset, destination, path);
        return Live().Read(path, offset, destination, out read);
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        BlockTransfer.Check(IsUnbuffered, offset, source, path);
        MemoryContent live = Live();
        return _readOnly ? Denied : live.Write(path, offset, source);
    }

    public IoError WriteOut(long offset, long bytes) => Live().GetLength(path, out _);

    public IoError SyncData() => Live().GetLength(path, out _);

    public IoError SetLength(long bytes) => ChangeLength(bytes, growOnly: false);

    public IoError Allocate(long bytes) => ChangeLength(bytes, growOnly: true);

    public IoError Punch(long offset, long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        MemoryContent live = Live();
        return _readOnly ? Denied : live.Punch(path, offset, bytes);
    }

    public IoError Map(long bytes, out nint address)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        return Live().Map(path, bytes, out address);
    }

    public IoError TryLock(bool exclusive)
    {
        MemoryContent live = Live();
        return exclusive && _readOnly ? Denied : live.TryLock(this, exclusive);
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            disk.Close(this, content);
        }
    }

    private IoError ChangeLength(long bytes, bool growOnly)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        MemoryContent live = Live();
        return _readOnly ? Denied : live.SetLength(path, bytes, growOnly);
    }

    private MemoryContent Live()
    {
        if (IsDisposed)
        {
            Throw.Closed(path);
        }

        return content;
    }
}
