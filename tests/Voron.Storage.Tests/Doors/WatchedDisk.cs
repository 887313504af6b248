using Voron.Storage.IO;

namespace Voron.Storage.Tests.Doors;

/// <summary>A disk, in memory if no other is given, whose calls a test can hold up or let fail.</summary>
internal sealed class WatchedDisk(IDisk? inner = null) : IDisk, IDisposable
{
    private readonly IDisk _inner = inner ?? new MemoryDisk();

    /// <summary>Asked before each write to a commit chunk; a failure it gives is the write's result.</summary>
    internal Func<IoError>? OnCommitWrite { get; set; }

    /// <summary>Asked before calls, with their name and file; a failure it gives is the call's result.</summary>
    internal Func<string, string, IoError>? OnCall { get; set; }

    /// <summary>Told of each write that is made: the file and its bytes.</summary>
    internal Action<string, long>? OnWritten { get; set; }

    /// <summary>Told of each range of a file that is to be read ahead; while it is set, no page is in memory.</summary>
    internal Action<string, long, long>? OnReadAhead { get; set; }

    /// <summary>Told of each range that is brought into memory.</summary>
    internal Action<long, long>? OnPopulate { get; set; }

    /// <summary>Given a file and how many bytes a read gives: how many of them the caller gets.</summary>
    internal Func<string, int, int>? ReadLimit { get; set; }

    /// <summary>As on a file system that has no unbuffered access.</summary>
    internal bool IsBuffered { get; set; }

    public IoError CreateDirectory(string path) => _inner.CreateDirectory(path);

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        file = null;
        bool isToRead = (opening & FileOpening.ReadOnly) != 0;
        IoError refused = isToRead ? Ask("open to read", path) : IoError.Success;
        IoError error = refused.Failed ? refused : _inner.OpenFile(path, opening, out file);
        file = file is null ? null : new WatchedFile(this, file);
        return error;
    }

    public IoError Rename(string from, string to) => _inner.Rename(from, to);

    public IoError Delete(string path) => _inner.Delete(path);

    public IoError ListFiles(string directory, List<string> names) => _inner.ListFiles(directory, names);

    public IoError SyncDirectory(string path) => Ask("sync directory", path) is { Failed: true } error ? error : _inner.SyncDirectory(path);

    public void FillRandom(Span<byte> destination) => _inner.FillRandom(destination);

    public void Dispose() => (_inner as IDisposable)?.Dispose();

    private IoError Ask(string call, string path) => OnCall?.Invoke(call, path) ?? IoError.Success;

    private sealed class WatchedFile(WatchedDisk disk, IDiskFile inner) : IDiskFile
    {
        public string Path => inner.Path;

        public bool IsUnbuffered => inner.IsUnbuffered && !disk.IsBuffered;

        public IoError GetLength(out long bytes) => inner.GetLength(out bytes);

        public IoError Read(long offset, Span<byte> destination, out int read)
        {
            IoError error = inner.Read(offset, destination, out read);
            read = disk.ReadLimit?.Invoke(Path, read) ?? read;
            return error;
        }

        public IoError Write(long offset, ReadOnlySpan<byte> source)
        {
            bool isCommit = Path.EndsWith(".commit", StringComparison.Ordinal);
            IoError error = isCommit ? disk.OnCommitWrite?.Invoke() ?? IoError.Success : disk.Ask("write", Path);
            if (error.Failed)
            {
                return error;
            }

            disk.OnWritten?.Invoke(Path, source.Length);
            return inner.Write(offset, source);
        }

        public IoError SyncData() => disk.Ask("sync", Path) is { Failed: true } error ? error : inner.SyncData();

        public IoError WriteOut(long offset, long bytes) => inner.WriteOut(offset, bytes);

        public IoError SetLength(long bytes) => inner.SetLength(bytes);

        public IoError Allocate(long bytes) => inner.Allocate(bytes);

        public IoError Punch(long offset, long bytes) =>
            disk.Ask("punch", Path) is { Failed: true } error ? error : inner.Punch(offset, bytes);

        public IoError Map(long bytes, out nint address)
        {
            address = 0;
            return disk.Ask("map", Path) is { Failed: true } error ? error : inner.Map(bytes, out address);
        }

        public void ExpectRandomReads() => disk.Ask("expect random reads", Path);

        public void ReadAhead(long offset, long bytes) => disk.OnReadAhead?.Invoke(Path, offset, bytes);

        public bool IsInMemory(long offset, long bytes) => disk.OnReadAhead is null;

        public IoError Populate(long offset, long bytes)
        {
            disk.OnPopulate?.Invoke(offset, bytes);
            return inner.Populate(offset, bytes);
        }

        public long ForgetCached(long bytes, out bool isKnown)
        {
            disk.Ask(bytes == long.MaxValue ? "forget" : "forget slots", Path);
            return inner.ForgetCached(bytes, out isKnown);
        }

        public IoError TryLock(bool exclusive) => inner.TryLock(exclusive);

        public IoError TryLockSlot(int slot, bool exclusive) => inner.TryLockSlot(slot, exclusive);

        public bool IsSlotLocked(int slot) => inner.IsSlotLocked(slot);

        public void Dispose() => inner.Dispose();
    }
}
