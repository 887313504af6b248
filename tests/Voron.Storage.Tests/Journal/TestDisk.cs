using System.Runtime.InteropServices;
using Voron.Storage.Threads;

namespace Voron.Storage.Tests.Journal;

/// <summary>
/// A disk in memory for the journal's tests: counts calls, checks alignment, can be full or broken, and remembers the last write so that it
/// can be torn.
/// </summary>
internal sealed class TestDisk(int seed = 1) : IDisk
{
    private readonly Random _random = new(seed);

    internal Dictionary<string, byte[]> Files { get; private init; } = [];

    public int CachePageBytes { get; set; } = 4096;

    /// <summary>What overlapped writes are made by, when set.</summary>
    internal IWriteInFlight? Flight { get; set; }

    internal object Gate { get; } = new();

    /// <summary>Every call as one line, when set.</summary>
    internal List<string>? Calls { get; set; }

    /// <summary>Asked before every call; a failure it gives is the call's result.</summary>
    internal Func<string, string, IoError>? Fault { get; set; }

    /// <summary>Given a file and how many bytes a read would give: how many it gives instead.</summary>
    internal Func<string, int, int>? ReadLimit { get; set; }

    internal long CapacityBytes { get; set; } = long.MaxValue;

    internal bool RemembersLastWrite { get; set; }

    internal (string Path, long Offset, byte[] Before, byte[] After) LastWrite { get; private set; }

    internal int Writes { get; private set; }

    internal int Syncs { get; private set; }

    internal TestDisk Clone()
    {
        lock (Gate)
        {
            return new TestDisk { Files = Files.ToDictionary(pair => pair.Key, pair => (byte[])pair.Value.Clone()) };
        }
    }

    public IoError CreateDirectory(string path) => IoError.Success;

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        lock (Gate)
        {
            file = null;
            IoError error = Note("open", path);
            if (error.Failed)
            {
                return error;
            }

            if (!Files.ContainsKey(path))
            {
                if (!((opening & FileOpening.Create) != 0))
                {
                    return new IoError(IoErrorKind.NotFound, 2);
                }

                Files[path] = [];
            }

            file = new TestFile(this, path, opening);
            return IoError.Success;
        }
    }

    public IoError Rename(string from, string to)
    {
        lock (Gate)
        {
            IoError error = Note("rename", to);
            if (error.Failed)
            {
                return error;
            }

            if (!Files.Remove(from, out byte[]? content))
            {
                return new IoError(IoErrorKind.NotFound, 2);
            }

            Files[to] = content;
            return IoError.Success;
        }
    }

    public IoError Delete(string path)
    {
        lock (Gate)
        {
            IoError error = Note("delete", path);
            return error.Failed ? error : Files.Remove(path) ? IoError.Success : new IoError(IoErrorKind.NotFound, 2);
        }
    }

    public IoError ListFiles(string directory, List<string> names)
    {
        lock (Gate)
        {
            names.AddRange(Files.Keys.Select(path => Path.GetFileName(path)).Reverse());
            return IoError.Success;
        }
    }

    public IoError SyncDirectory(string path)
    {
        lock (Gate)
        {
            return Note("syncdir", path);
        }
    }

    public IWriteInFlight CreateWriteInFlight() => Flight ?? new WriteAtOnce();

    public void FillRandom(Span<byte> destination) => _random.NextBytes(destination);

    internal IoError Write(string path, FileOpening opening, long offset, ReadOnlySpan<byte> source)
    {
        lock (Gate)
        {
            string operation = (opening & FileOpening.WriteThrough) != 0 ? "through"
                : (opening & FileOpening.Unbuffered) != 0 ? "direct" : "write";
            IoError error = Note(operation, path);
            if (error.Failed)
            {
                return error;
            }

            Writes++;
            byte[] content = Files[path];
            if (offset + source.Length > content.Length)
            {
                if (Files.Values.Sum(static file => (long)file.Length) + offset + source.Length - content.Length > CapacityBytes)
                {
                    return new IoError(IoErrorKind.DiskFull, 28);
                }

                Array.Resize(ref content, (int)offset + source.Length);
                Files[path] = content;
            }

            Span<byte> target = content.AsSpan((int)offset, source.Length);
            if (RemembersLastWrite)
            {
                LastWrite = (path, offset, target.ToArray(), source.ToArray());
            }

            source.CopyTo(target);
            return IoError.Success;
        }
    }

    internal IoError Grow(string path, long bytes)
    {
        lock (Gate)
        {
            byte[] content = Files[path];
            if (Files.Values.Sum(static file => (long)file.Length) + Math.Max(0, bytes - content.Length) > CapacityBytes)
            {
                return new IoError(IoErrorKind.DiskFull, 28);
            }

            Array.Resize(ref content, (int)Math.Max(bytes, content.Length));
            Files[path] = content;
            return IoError.Success;
        }
    }

    internal IoError Cut(string path, long bytes)
    {
        lock (Gate)
        {
            if (bytes > Files[path].Length || path.EndsWith(".commit", StringComparison.Ordinal))
            {
                throw new InvalidOperationException("The journal grows no file so, and cuts none that recovery reads.");
            }

            IoError error = Note("cut", path);
            if (!error.Failed)
            {
                Files[path] = Files[path][..(int)bytes];
            }

            return error;
        }
    }

    internal IoError Sync(string path)
    {
        lock (Gate)
        {
            Syncs++;
            return Note("sync", path);
        }
    }

    private IoError Note(string operation, string path)
    {
        if (Calls is not null)
        {
            string name = Path.GetFileName(path);
            Calls.Add($"{operation} {(name.StartsWith("spare-", StringComparison.Ordinal) ? "spare" : name)}");
        }

        return Fault?.Invoke(operation, path) ?? IoError.Success;
    }

    private sealed class TestFile(TestDisk disk, string path, FileOpening opening) : IDiskFile
    {
        private byte[] _mapped = [];

        public string Path => path;

        public bool IsUnbuffered => ((opening & FileOpening.Unbuffered) != 0);

        public IoError GetLength(out long bytes)
        {
            lock (disk.Gate)
            {
                bytes = disk.Files[path].Length;
                return IoError.Success;
            }
        }

        public IoError Read(long offset, Span<byte> destination, out int read)
        {
            lock (disk.Gate)
            {
                read = 0;
                if (disk.Fault?.Invoke("read", path) is { Failed: true } error)
                {
                    return error;
                }

                byte[] content = disk.Files[path];
                read = (int)Math.Clamp(content.Length - offset, 0, destination.Length);
                read = disk.ReadLimit?.Invoke(path, read) ?? read;
                content.AsSpan((int)Math.Min(offset, content.Length), read).CopyTo(destination);
                return IoError.Success;
            }
        }

        public IoError Write(long offset, ReadOnlySpan<byte> source)
        {
            if (((opening & FileOpening.ReadOnly) != 0))
            {
                throw new InvalidOperationException("A write to a file opened for reading.");
            }

            if (IsUnbuffered && ((offset | (uint)source.Length) & 4095) != 0)
            {
                throw new InvalidOperationException("A misaligned unbuffered write.");
            }

            return disk.Write(path, opening, offset, source);
        }

        public IoError WriteOut(long offset, long bytes) => disk.Sync(path);

        public IoError SyncData() => disk.Sync(path);

        public IoError SetLength(long bytes) => disk.Cut(path, bytes);

        public IoError Allocate(long bytes) => disk.Grow(path, bytes);

        public IoError Punch(long offset, long bytes) => throw new InvalidOperationException("The journal has no holes.");

        /// <summary>A copy of the present bytes: recovery maps chunks that nobody writes meanwhile.</summary>
        public IoError Map(long bytes, out nint address)
        {
            address = 0;
            if (disk.Fault?.Invoke("map", path) is { Failed: true } error)
            {
                return error;
            }

            _mapped = GC.AllocateArray<byte>((int)bytes, pinned: true);
            disk.Files[path].AsSpan(0, (int)bytes).CopyTo(_mapped);
            address = Marshal.UnsafeAddrOfPinnedArrayElement(_mapped, 0);
            return IoError.Success;
        }

        public IoError TryLock(bool exclusive) => throw new InvalidOperationException("The journal locks nothing.");

        public void Dispose()
        {
        }
    }
}
