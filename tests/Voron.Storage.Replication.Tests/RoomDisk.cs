using Voron.Storage.IO;

namespace Voron.Storage.Replication.Tests;

/// <summary>The disk of the operating system, which a test can say is full: then no file is created and none grows.</summary>
internal sealed class RoomDisk : IDisk
{
    private static readonly IoError Full = new(IoErrorKind.DiskFull, 28);

    private readonly NativeDisk _inner = new();
    private volatile bool _isFull;
    private long _refused;

    internal bool IsFull
    {
        get => _isFull;
        set => _isFull = value;
    }

    /// <summary>Calls that were refused.</summary>
    internal long Refused => Interlocked.Read(ref _refused);

    public IoError CreateDirectory(string path) => _inner.CreateDirectory(path);

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        file = null;
        if (IsFull && (opening & FileOpening.Create) != 0 && !File.Exists(path))
        {
            return Refuse();
        }

        IoError error = _inner.OpenFile(path, opening, out IDiskFile? opened);
        file = opened is null ? null : new RoomFile(this, opened);
        return error;
    }

    public IoError Rename(string from, string to) => _inner.Rename(from, to);

    public IoError Delete(string path) => _inner.Delete(path);

    public IoError ListFiles(string directory, List<string> names) => _inner.ListFiles(directory, names);

    public IoError SyncDirectory(string path) => _inner.SyncDirectory(path);

    public void FillRandom(Span<byte> destination) => _inner.FillRandom(destination);

    private IoError Refuse()
    {
        Interlocked.Increment(ref _refused);
        return Full;
    }

    private sealed class RoomFile(RoomDisk disk, IDiskFile inner) : IDiskFile
    {
        public string Path => inner.Path;

        public bool IsUnbuffered => inner.IsUnbuffered;

        public bool FlushesWrites => inner.FlushesWrites;

        public IoError GetLength(out long bytes) => inner.GetLength(out bytes);

        public IoError Read(long offset, Span<byte> destination, out int read) => inner.Read(offset, destination, out read);

        public IoError Write(long offset, ReadOnlySpan<byte> source) =>
            Grows(offset + source.Length) ? disk.Refuse() : inner.Write(offset, source);

        public IoError WriteOut(long offset, long bytes) => inner.WriteOut(offset, bytes);

        public IoError SyncData() => inner.SyncData();

        public IoError SetLength(long bytes) => Grows(bytes) ? disk.Refuse() : inner.SetLength(bytes);

        public IoError Allocate(long bytes) => Grows(bytes) ? disk.Refuse() : inner.Allocate(bytes);

        public IoError Punch(long offset, long bytes) => inner.Punch(offset, bytes);

        public IoError Map(long bytes, out nint address) => inner.Map(bytes, out address);

        public IoError TryLock(bool exclusive) => inner.TryLock(exclusive);

        public void Dispose() => inner.Dispose();

        private bool Grows(long bytes) => disk.IsFull && !inner.GetLength(out long length).Failed && bytes > length;
    }
}
