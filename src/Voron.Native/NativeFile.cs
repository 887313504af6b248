namespace Voron.Native;

/// <summary>
/// An open file. Several threads may call at once. The descriptor is closed exactly once, after <see cref="Dispose"/> was called and the
/// last call in flight has ended, so a late call never acts on a descriptor that the system has reused for another file. A call after
/// dispose throws.
/// </summary>
public sealed unsafe class NativeFile : IDisposable
{
    /// <summary>
    /// Offset, length and address of unbuffered transfers are multiples of this. Files on a file system that requires more go through the
    /// page cache.
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

    /// <summary>The path with which the file was opened.</summary>
    public string Path { get; }

    /// <summary>
    /// True if transfers bypass the page cache: <see cref="NativeFileOptions.Direct"/> was requested and the file system supports it.
    /// </summary>
    public bool IsDirect { get; }

    /// <summary>
    /// True if every write is followed by a call that flushes the device's cache: <see cref="NativeFileOptions.DataSync"/> was requested,
    /// and the system or the device is not known to flush with the write itself.
    /// </summary>
    public bool FlushesWrites { get; }

    /// <summary>Returns whether offset, length and address are all multiples of <see cref="DirectAlignmentBytes"/>.</summary>
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
    /// <param name="path">The path of the file.</param>
    /// <param name="options">How to open it.</param>
    /// <param name="file">The open file, or null if the call failed.</param>
    public static NativeResult Open(string path, NativeFileOptions options, out NativeFile? file) =>
        Open(NativeDirectory.Working, path, options, out file);

    /// <summary>Opens a file. Refuses directories, even for reading.</summary>
    /// <param name="directory">The directory that contains the name.</param>
    /// <param name="name">The name of the file, without zero characters, which would cut it short.</param>
    /// <param name="options">How to open it.</param>
    /// <param name="file">The open file, or null if the call failed.</param>
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
    /// <param name="destination">The memory to fill; any alignment unless <see cref="IsDirect"/>.</param>
    /// <param name="read">Bytes read; less than requested only at the end of the file.</param>
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
    /// <param name="source">The bytes to write; any alignment unless <see cref="IsDirect"/>.</param>
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

    /// <summary>Gets the file's length.</summary>
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

    /// <summary>Truncates the file, or extends it with a hole that reads as zeros.</summary>
    /// <param name="bytes">New length in bytes.</param>
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
    /// Extends the file to at least this length and has the file system reserve the new space; holes below the current end remain. If the
    /// file system cannot, the file is extended with a hole, and later writes may find the disk full.
    /// </summary>
    /// <param name="bytes">Length in bytes; a longer file is unchanged.</param>
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
    /// Returns the blocks of a range to the file system; the range then reads as zeros. Fails with EOPNOTSUPP if the file system cannot.
    /// </summary>
    /// <param name="offset">First byte.</param>
    /// <param name="bytes">Length of the range in bytes; the file's length does not change.</param>
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
    /// Makes content and length durable. After a failure the kernel may have dropped data that it could not write: success of a later call
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
    /// Drops the pages of the first bytes of the file from the page cache, except those that are not written out or are mapped. Does
    /// nothing if the system has no such call.
    /// </summary>
    /// <param name="bytes">Length of the range in bytes; <see cref="long.MaxValue"/> for the whole file.</param>
    public void ForgetCached(long bytes)
    {
        SystemFile file = _gate.Enter();
        try
        {
            file.ForgetCached(bytes);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Returns the offset of the first page of a range of the file that is in the page cache. After <see cref="ForgetCached"/> that is a
    /// page that could not be dropped because a process has mapped it, or one that was read since. −1 if there is none or the system does
    /// not tell.
    /// </summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="end">Byte offset of the end of the range; it may be beyond the end of the file.</param>
    public long FindCached(long offset, long end)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        SystemFile file = _gate.Enter();
        try
        {
            return file.FindCached(offset, end);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Writes the dirty cached pages of a range of a buffered file to the device and waits until the device has accepted them. This makes
    /// nothing durable but leaves less work for a later <see cref="SyncData"/>. Does nothing if the system has no such call. A failure
    /// means the same as one of <see cref="SyncData"/>.
    /// </summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="bytes">Length of the range in bytes.</param>
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
    /// Takes the whole-file lock without waiting (EAGAIN or EACCES if another open file has it). The lock belongs to this open file, not to
    /// the process: a second open of the same file in the same process is refused too. Dispose or the end of the process releases it. A
    /// repeated call changes the kind of lock.
    /// </summary>
    /// <param name="exclusive">True for an exclusive lock (the file must be open for writing), false for a shared one.</param>
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
    /// Takes one of the locks that a file has beside its whole-file lock, without waiting (EAGAIN or EACCES if another open file has it).
    /// Slot 0 and the whole-file lock exclude each other; the others belong together with nothing. Released like the whole-file lock.
    /// Fails with EOPNOTSUPP if the system has no such locks.
    /// </summary>
    /// <param name="slot">Number of the lock, zero or more.</param>
    /// <param name="exclusive">True for an exclusive lock (the file must be open for writing), false for a shared one.</param>
    public NativeResult TryLockSlot(int slot, bool exclusive)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(slot);
        SystemFile file = _gate.Enter();
        try
        {
            return file.TryLockSlot(slot, exclusive);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>Finds out whether another open file holds a slot's lock exclusively.</summary>
    /// <param name="slot">Number of the lock, zero or more.</param>
    /// <param name="isLocked">Whether it is held.</param>
    public NativeResult IsSlotLocked(int slot, out bool isLocked)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(slot);
        SystemFile file = _gate.Enter();
        try
        {
            return file.IsSlotLocked(slot, out isLocked);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Returns the id of a process that has a whole-file lock on this file; 0 if none is found. Works only on Linux, and only for processes
    /// that this one may inspect.
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

    /// <summary>Queries the file system, space, identity and alignment of the file.</summary>
    /// <param name="facts">The result.</param>
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
    /// Closes the file after calls in flight on other threads have ended. Views of it remain, see <see cref="NativeMapping"/>.
    /// </summary>
    public void Dispose() => _gate.Dispose();

    /// <summary>Lends the system's file to another class of this assembly until <see cref="Leave"/> is called.</summary>
    internal SystemFile Enter() => _gate.Enter();

    internal void Leave() => _gate.Leave();
}
