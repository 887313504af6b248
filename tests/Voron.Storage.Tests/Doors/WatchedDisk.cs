using Voron.Storage.Platform;

namespace Voron.Storage.Tests.Doors;

/// <summary>A disk in memory whose writes to commit chunks a test can hold up or let fail.</summary>
internal sealed class WatchedDisk : IDisk, IDisposable
{
    private readonly MemoryDisk _inner = new();

    /// <summary>Asked before each write to a commit chunk; a failure it gives is the write's result.</summary>
    internal Func<IoError>? OnCommitWrite { get; set; }

    public IoError CreateDirectory(string path) => _inner.CreateDirectory(path);

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        IoError error = _inner.OpenFile(path, opening, out file);
        if (file is not null && path.EndsWith(".commit", StringComparison.Ordinal))
        {
            file = new WatchedFile(this, file);
        }

        return error;
    }

    public IoError Rename(string from, string to) => _inner.Rename(from, to);

    public IoError Delete(string path) => _inner.Delete(path);

    public IoError ListFiles(string directory, List<string> names) => _inner.ListFiles(directory, names);

    public IoError SyncDirectory(string path) => _inner.SyncDirectory(path);

    public void FillRandom(Span<byte> destination) => _inner.FillRandom(destination);

    public void Dispose() => _inner.Dispose();

    private sealed class WatchedFile(WatchedDisk disk, IDiskFile inner) : IDiskFile
    {
        public string Path => inner.Path;

        public bool IsUnbuffered => inner.IsUnbuffered;

        public IoError GetLength(out long bytes) => inner.GetLength(out bytes);

        public IoError Read(long offset, Span<byte> destination, out int read) => inner.Read(offset, destination, out read);

        public IoError Write(long offset, ReadOnlySpan<byte> source)
        {
            IoError error = disk.OnCommitWrite?.Invoke() ?? IoError.Success;
            return error.Failed ? error : inner.Write(offset, source);
        }

        public IoError SyncData() => inner.SyncData();

        public IoError WriteOut(long offset, long bytes) => inner.WriteOut(offset, bytes);

        public IoError SetLength(long bytes) => inner.SetLength(bytes);

        public IoError Allocate(long bytes) => inner.Allocate(bytes);

        public IoError Punch(long offset, long bytes) => inner.Punch(offset, bytes);

        public IoError Map(long bytes, out nint address) => inner.Map(bytes, out address);

        public IoError TryLock(bool exclusive) => inner.TryLock(exclusive);

        public void Dispose() => inner.Dispose();
    }
}
