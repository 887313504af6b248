namespace Voron.Native;

/// <summary>
/// An open file. Calls may come from several threads at once. The descriptor is closed exactly once, when <see cref="Dispose"/> was
/// called and no call is in flight any more, so a late call never acts on a descriptor that the system has given to another file; a call
/// after dispose throws.
/// </summary>
public sealed unsafe class NativeFile : IDisposable
{
    /// <summary>
    /// Offset, length and address of unbuffered transfers are multiples of this. A file system that wants more is used through the cache.
    /// </summary>
    public const int DirectAlignmentBytes = 4096;

    private readonly FileGate _gate;

    private NativeFile(string path, SystemFile file)
    {
        Path = path;
        IsDirect = file.IsDirect;
        FlushesWrites = file.FlushesWrites;
        _gate = new FileGate(file, path);
        NativeCounts.AddFiles(1);
    }

    /// <summary>The path that it was opened by.</summary>
    public string Path { get; }

    /// <summary>
    /// True when transfers go past the page cache: <see cref="NativeFileOptions.Direct"/> was asked for and the file system agreed.
    /// </summary>
    public bool IsDirect { get; }

    /// <summary>
    /// True when every write is followed by a call that has the device empty its cache: <see cref="NativeFileOptions.DataSync"/> was asked
    /// for, and the system or the device is not known to do it with the write.
    /// </summary>
    public bool FlushesWrites { get; }

    /// <summary>True when offset, length and address all are multiples of <see cref="DirectAlignmentBytes"/>.</summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="bytes">The memory of the transfer.</param>
    public static bool IsAligned(long offset, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* pointer = bytes)
        {
            return ((offset | (uint)bytes.Length | (nint)pointer) & (DirectAlignmentBytes - 1)) == 0;
        }
    }

    /// <summary>Opens a file by its path; see the other overload.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How.</param>
    /// <param name="file">The open file, or null when the call failed.</param>
    public static NativeResult Open(string path, NativeFileOptions options, out NativeFile? file) =>
        Open(NativeDirectory.Working, path, options, out file);

    /// <summary>Opens a file. A directory is refused, also for reading.</summary>
    /// <param name="directory">Where the name is.</param>
    /// <param name="name">The file; without zero characters, which would cut the name short.</param>
    /// <param name="options">How.</param>
    /// <param name="file">The open file, or null when the call failed.</param>
    public static NativeResult Open(NativeDirectory directory, string name, NativeFileOptions options, out NativeFile? file)
    {
        ArgumentNullException.ThrowIfNull(directory);
        ArgumentException.ThrowIfNullOrEmpty(name);
        NativePlatform.Require();
        NativeResult opened = SystemFile.Open(directory, name, options, out SystemFile? system);
        file = system is null ? null : new NativeFile(directory.PathOf(name), system);
        return opened;
    }

    /// <summary>Reads until the span is full or the file ends.</summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="destination">Where to; any alignment unless <see cref="IsDirect"/>.</param>
    /// <param name="read">Bytes read; less than asked for only at the end of the file.</param>
    public NativeResult Read(long offset, Span<byte> destination, out int read)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        SystemFile file = _gate.Enter();
        try
        {
            fixed (byte* pointer = destination)
            {
                return file.Read(pointer, destination.Length, offset, out read);
            }
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>Writes all bytes, or fails; after a failure any part of them may have been written.</summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="source">Where from; any alignment unless <see cref="IsDirect"/>.</param>
    public NativeResult Write(long offset, ReadOnlySpan<byte> source)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        SystemFile file = _gate.Enter();
        try
        {
            fixed (byte* pointer = source)
            {
                return file.Write(pointer, source.Length, offset);
            }
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>The file's length.</summary>
    /// <param name="bytes">Length in bytes.</param>
    public NativeResult GetLength(out long bytes)
    {
        SystemFile file = _gate.Enter();
        try
        {
            return file.GetLength(out bytes);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>Cuts the file, or grows it by a hole that reads as zeros.</summary>
    /// <param name="bytes">Length in bytes.</param>
    public NativeResult SetLength(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        SystemFile file = _gate.Enter();
        try
        {
            return file.SetLength(bytes);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Grows the file to at least this length and has the file system set the new space aside; holes below its present end stay. Where it
    /// cannot, the file is grown by a hole: later writes may then find the disk full.
    /// </summary>
    /// <param name="bytes">Length in bytes; a file that is longer stays as it is.</param>
    public NativeResult Allocate(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        SystemFile file = _gate.Enter();
        try
        {
            return file.Allocate(bytes);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Gives the blocks of a range back to the file system; they read as zeros then. EOPNOTSUPP where it cannot.
    /// </summary>
    /// <param name="offset">First byte.</param>
    /// <param name="bytes">How many; the length of the file stays.</param>
    public NativeResult Punch(long offset, long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        SystemFile file = _gate.Enter();
        try
        {
            return file.Punch(offset, bytes);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Makes content and length durable. After a failure the kernel may have dropped what it could not write: another, successful call
    /// proves nothing.
    /// </summary>
    public NativeResult SyncData()
    {
        SystemFile file = _gate.Enter();
        try
        {
            return file.SyncData();
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Lets the page cache forget what it holds of the file, as far as that is written out and not mapped. Where the system has no such
    /// call nothing happens.
    /// </summary>
    public void ForgetCached()
    {
        SystemFile file = _gate.Enter();
        try
        {
            file.ForgetCached();
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Offset of the first page that the page cache holds of the file, from this offset on: after <see cref="ForgetCached"/> one that it
    /// could not let go of, because a process has it mapped, or that was read since. −1 when there is none or the system does not tell.
    /// </summary>
    /// <param name="offset">Byte offset in the file.</param>
    public long FindCached(long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        SystemFile file = _gate.Enter();
        try
        {
            return file.FindCached(offset);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Hands what was written to a range of a buffered file to the device and waits until it has taken it. That makes nothing durable, but
    /// leaves a later <see cref="SyncData"/> little to do. Where the system has no such call nothing happens. A failure means what it
    /// means for <see cref="SyncData"/>.
    /// </summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="bytes">Length of the range.</param>
    public NativeResult WriteOut(long offset, long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        SystemFile file = _gate.Enter();
        try
        {
            return file.WriteOut(offset, bytes);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Takes the whole-file lock without waiting (EAGAIN or EACCES when somebody else has it). It belongs to this open file, not to the
    /// process: a second open of the same file in the same process is refused too, and it goes with dispose or the end of the process.
    /// Asking again changes its kind.
    /// </summary>
    /// <param name="exclusive">Exclusive (the file must be open for writing), else shared.</param>
    public NativeResult TryLock(bool exclusive)
    {
        SystemFile file = _gate.Enter();
        try
        {
            return file.TryLock(exclusive);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Looks for a process that has a whole-file lock of this file; 0 when none is found. Only Linux tells, and only of the processes
    /// that this one may look into.
    /// </summary>
    public int FindLockHolder()
    {
        SystemFile file = _gate.Enter();
        try
        {
            return file.FindLockHolder();
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>Asks what lies below the file: file system, space, identity, alignment.</summary>
    /// <param name="facts">The answer.</param>
    public NativeResult Query(out NativeFileFacts facts)
    {
        SystemFile file = _gate.Enter();
        try
        {
            return file.Query(out facts);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Closes the file; what other threads are doing with it at this moment is finished first. Views of it stay, see <see
    /// cref="NativeMapping"/>.
    /// </summary>
    public void Dispose() => _gate.Dispose();

    /// <summary>Lends the system's file to another class of this assembly; <see cref="Leave"/> gives it back.</summary>
    internal SystemFile Enter() => _gate.Enter();

    internal void Leave() => _gate.Leave();
}
