// Unsafe fence. Bounds: the address and length of a write are those of the caller's span, whose memory the caller keeps in place until Wait
// has returned.
using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>
/// A write that the device performs while the caller continues, one at a time: <see cref="Start"/>, then <see cref="Wait"/>, never by two
/// threads at once. Meant for unbuffered files; on a buffered file <see cref="Start"/> may do the whole write.
/// </summary>
public sealed unsafe class NativeWriteInFlight : IDisposable
{
    /// <summary>
    /// A spare queue for the next <see cref="Create"/>; 0 if there is none. Queues are reused because the kernel destroys one only when no
    /// processor can see it any longer, which takes tens of milliseconds.
    /// </summary>
    private static nint _spare;

    private readonly nint _queue;

    /// <summary>The content of the queue is unknown, so it must not be reused.</summary>
    private bool _isUnsure;
    private NativeFile? _file;
    private int _descriptor;
    private byte* _pointer;
    private int _bytes;
    private long _offset;
    private bool _submitted;
    private bool _disposed;

    private NativeWriteInFlight(nint queue) => _queue = queue;

    /// <summary>The queue accepted the last write; otherwise <see cref="Wait"/> writes all of it.</summary>
    internal bool IsTaken => _submitted;

    /// <summary>
    /// Takes the spare queue or sets up a new one in the kernel. Fails if the system has no such queues or the limit for all processes is
    /// reached.
    /// </summary>
    /// <param name="write">The write, or null if the call failed.</param>
    public static NativeResult Create(out NativeWriteInFlight? write)
    {
        NativePlatform.Require();
        write = null;
        if (!OperatingSystem.IsLinux())
        {
            return NativePlatform.NoSuchCall;
        }

        nint queue = Interlocked.Exchange(ref _spare, 0);
        if (queue == 0 && LibC.IoSetup(1, &queue) != 0)
        {
            return NativeResult.Last();
        }

        write = new NativeWriteInFlight(queue);
        return NativeResult.Success;
    }

    /// <summary>
    /// Starts a write. All errors of the write are reported by <see cref="Wait"/>, which must be called before the next start and before
    /// dispose.
    /// </summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="source">The bytes to write; memory whose address and content must not change until <see cref="Wait"/> has
    /// returned.</param>
    public void Start(NativeFile file, long offset, ReadOnlySpan<byte> source)
    {
        ArgumentNullException.ThrowIfNull(file);
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_file is not null)
        {
            throw new InvalidOperationException("The write before is still in flight: wait for it first.");
        }

        _descriptor = ((UnixFile)file.Enter()).Descriptor;
        _file = file;
        _offset = offset;
        _bytes = source.Length;
        fixed (byte* pointer = source)
        {
            _pointer = pointer;
        }

        QueueRequest request = new()
        {
            Operation = QueueRequest.Write, Descriptor = _descriptor, Buffer = _pointer, Bytes = (ulong)_bytes, Offset = offset,
        };
        QueueRequest* first = &request;
        _submitted = LibC.IoSubmit(_queue, &first) == 1;
    }

    /// <summary>
    /// Whether <see cref="Wait"/> would return at once; true also where the system does not tell. Makes no system call.
    /// </summary>
    public bool HasEnded => !_submitted || _file is null || CompletionRing.IsUnknownOrHasEvent(_queue);

    /// <summary>
    /// Waits for the end of the write. Success means all bytes. A write that the queue did not accept, or that was interrupted or
    /// incomplete, is finished here, transparently to the caller.
    /// </summary>
    public NativeResult Wait()
    {
        if (_file is not { } file)
        {
            throw new InvalidOperationException("No write is in flight.");
        }

        try
        {
            NativeResult result = _submitted ? WaitForEvent(out long written) : Nothing(out written);
            if (result.Failed || written == _bytes)
            {
                return result;
            }

            bool misaligned = file.IsDirect && (written & (NativeFile.DirectAlignmentBytes - 1)) != 0;
            return misaligned
                ? new NativeResult(Errno.IO)
                : Transfers.WriteAll(_descriptor, _pointer + written, _bytes - (int)written, _offset + written, file.IsDirect);
        }
        finally
        {
            _file = null;
            file.Leave();
        }
    }

    /// <summary>Keeps the queue as the spare one, or destroys it if there is one already or it cannot be reused.</summary>
    public void Dispose()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        bool isIdle = _file is null && !_isUnsure;
        if (!isIdle || Interlocked.CompareExchange(ref _spare, _queue, 0) != 0)
        {
            _ = LibC.IoDestroy(_queue);
        }
    }

    private static NativeResult Nothing(out long written)
    {
        written = 0;
        return NativeResult.Success;
    }

    private NativeResult WaitForEvent(out long written)
    {
        QueueEvent done = default;
        NativeResult result;
        do
        {
            result = LibC.IoGetEvent(_queue, &done) == 1 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        _isUnsure |= result.Failed;
        written = Math.Max(done.Result, 0);
        if (result.Failed || done.Result >= 0)
        {
            return result;
        }

        int code = (int)-done.Result;
        return code is Errno.INTR or Errno.AGAIN ? NativeResult.Success : new NativeResult(code);
    }
}
