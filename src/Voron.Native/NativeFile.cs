using Voron.Native.Unix;

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

    private const uint ModeOfNewFiles = 0x1A4; // 0644

    private readonly DescriptorGate _gate;

    private NativeFile(string path, int descriptor, bool isDirect)
    {
        Path = path;
        IsDirect = isDirect;
        _gate = new DescriptorGate(descriptor, path);
    }

    /// <summary>The path that it was opened by.</summary>
    public string Path { get; }

    /// <summary>
    /// True when transfers go past the page cache: <see cref="NativeFileOptions.Direct"/> was asked for and the file system agreed.
    /// </summary>
    public bool IsDirect { get; }

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

    /// <summary>Opens a file. A directory is refused, also for reading.</summary>
    /// <param name="path">The file; without zero characters, which would cut the name short.</param>
    /// <param name="options">How.</param>
    /// <param name="file">The open file, or null when the call failed.</param>
    public static NativeResult Open(string path, NativeFileOptions options, out NativeFile? file)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        NativePlatform.Require();
        file = null;
        int flags = FlagsOf(options);
        NativeResult opened = OpenDescriptor(path, flags, out int descriptor);
        if (opened.Code == Errno.INVAL && (flags & OpenFlags.Direct) != 0)
        {
            // This is how a file system without unbuffered transfers answers; what else is invalid fails again without the flag.
            flags &= ~OpenFlags.Direct;
            opened = OpenDescriptor(path, flags, out descriptor);
        }

        if (opened.Failed)
        {
            return opened;
        }

        NativeResult judged = Judge(descriptor, (flags & OpenFlags.Direct) != 0, out bool isDirect);
        if (judged.Failed)
        {
            _ = CloseCall.Invoke(descriptor);
            return judged;
        }

        file = new NativeFile(path, descriptor, isDirect);
        return NativeResult.Success;
    }

    /// <summary>Reads until the span is full or the file ends.</summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="destination">Where to; any alignment unless <see cref="IsDirect"/>.</param>
    /// <param name="read">Bytes read; less than asked for only at the end of the file.</param>
    public NativeResult Read(long offset, Span<byte> destination, out int read)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        int descriptor = _gate.Enter();
        try
        {
            fixed (byte* pointer = destination)
            {
                return Transfers.ReadAll(descriptor, pointer, destination.Length, offset, IsDirect, out read);
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
        int descriptor = _gate.Enter();
        try
        {
            fixed (byte* pointer = source)
            {
                return Transfers.WriteAll(descriptor, pointer, source.Length, offset, IsDirect);
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
        int descriptor = _gate.Enter();
        try
        {
            return FileLength.Get(descriptor, out bytes);
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
        int descriptor = _gate.Enter();
        try
        {
            return FileLength.Set(descriptor, bytes);
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
        int descriptor = _gate.Enter();
        try
        {
            return FileLength.Allocate(descriptor, bytes);
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
        int descriptor = _gate.Enter();
        try
        {
            return FileLength.Punch(descriptor, offset, bytes);
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
        int descriptor = _gate.Enter();
        try
        {
            NativeResult result;
            do
            {
                result = DataSyncCall.Invoke(descriptor) == 0 ? NativeResult.Success : NativeResult.Last();
            }
            while (Retry.Interrupted(result));
            return result;
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
        if (!OperatingSystem.IsLinux())
        {
            return NativeResult.Success;
        }

        int descriptor = _gate.Enter();
        try
        {
            NativeResult result;
            do
            {
                result = WriteOutCall.Invoke(descriptor, offset, bytes, WriteOutCall.WriteAndWait) == 0
                    ? NativeResult.Success
                    : NativeResult.Last();
            }
            while (Retry.Interrupted(result));
            return result.Code == Errno.NOSYS ? NativeResult.Success : result;
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
        int descriptor = _gate.Enter();
        try
        {
            FileLock wanted = default;
            wanted.Type = exclusive ? FileLock.Exclusive : FileLock.Shared;
            NativeResult result;
            do
            {
                result = ControlCall.Invoke(descriptor, FileLock.TrySetOwnedByOpenFile, (nint)(&wanted)) == 0
                    ? NativeResult.Success
                    : NativeResult.Last();
            }
            while (Retry.Interrupted(result));
            return result;
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
        int descriptor = _gate.Enter();
        try
        {
            return NativeFileFacts.Of(descriptor, out facts);
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

    /// <summary>Lends the descriptor to another class of this assembly; <see cref="LeaveDescriptor"/> gives it back.</summary>
    internal int EnterDescriptor() => _gate.Enter();

    internal void LeaveDescriptor() => _gate.Leave();

    private static int FlagsOf(NativeFileOptions options) =>
        OpenFlags.CloseOnExec
        | (options.HasFlag(NativeFileOptions.ReadOnly) ? OpenFlags.ReadOnly : OpenFlags.ReadWrite)
        | (options.HasFlag(NativeFileOptions.Create) ? OpenFlags.Create : 0)
        | (options.HasFlag(NativeFileOptions.Direct) ? OpenFlags.Direct : 0)
        | (options.HasFlag(NativeFileOptions.DataSync) ? OpenFlags.DataSync : 0);

    private static NativeResult OpenDescriptor(string path, int flags, out int descriptor)
    {
        int attempts = 0;
        NativeResult result;
        do
        {
            descriptor = OpenCall.Invoke(path, flags, ModeOfNewFiles);
            result = descriptor >= 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.InterruptedOrBusy(result, ref attempts));
        return result;
    }

    /// <summary>
    /// Refuses a directory, and gives up unbuffered transfers where the file system says it wants more than our alignment or none at all.
    /// </summary>
    private static NativeResult Judge(int descriptor, bool direct, out bool isDirect)
    {
        isDirect = direct;
        if (Status.OfDescriptor(descriptor, out FileStatus status).Failed)
        {
            // An old kernel or a sandbox without statx: the open itself is then the only answer there is.
            return NativeResult.Success;
        }

        if (status.IsDirectory)
        {
            return new NativeResult(Errno.ISDIR);
        }

        if (!direct || (status.Mask & FileStatus.WantDirectAlignment) == 0)
        {
            return NativeResult.Success;
        }

        // Zero means that the file system accepted the flag and goes through the cache all the same.
        isDirect = status.DirectOffsetAlignment is > 0 and <= DirectAlignmentBytes && status.DirectMemoryAlignment <= DirectAlignmentBytes;
        return isDirect || ControlCall.Invoke(descriptor, OpenFlags.SetStatusFlags, 0) == 0 ? NativeResult.Success : NativeResult.Last();
    }
}
