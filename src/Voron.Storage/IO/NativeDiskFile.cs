using System.Buffers;
using Voron.Native;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>A file of the operating system.</summary>
/// <param name="file">The open file.</param>
/// <param name="opening">How it was opened.</param>
/// <param name="openDirect">Opens it once more, for reading past the cache.</param>
internal sealed class NativeDiskFile(NativeFile file, FileOpening opening, Func<NativeFile?> openDirect) : IDiskFile
{
    private const int LongestReadBytes = 256 << 10;

    private readonly bool _aligned = opening.HasFlag(FileOpening.Unbuffered);
    private readonly bool _readOnly = opening.HasFlag(FileOpening.ReadOnly);
    private readonly NativeMapping _mapping = new(file, isWritable: opening.HasFlag(FileOpening.Temporary));

    /// <summary>A length that the system refuses while the file is mapped, as Windows does; −1 for none.</summary>
    private long _lengthAtClose = -1;

    public string Path => file.Path;

    public bool IsUnbuffered => file.IsDirect;

    public bool FlushesWrites => file.FlushesWrites;

    public IoError GetLength(out long bytes) => IoErrorMapping.OfTransfer(file.GetLength(out bytes));

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        BlockTransfer.Check(_aligned, offset, destination, Path);
        return IoErrorMapping.OfTransfer(file.Read(offset, destination, out read));
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        BlockTransfer.Check(_aligned, offset, source, Path);
        return IoErrorMapping.OfTransfer(file.Write(offset, source));
    }

    /// <summary>Like <see cref="Write"/>, overlapped with the caller.</summary>
    internal void Start(NativeWriteInFlight write, long offset, ReadOnlySpan<byte> source)
    {
        BlockTransfer.Check(_aligned, offset, source, Path);
        write.Start(file, offset, source);
    }

    public IoError WriteOut(long offset, long bytes) => IoErrorMapping.OfTransfer(file.WriteOut(offset, bytes));

    public long ForgetCached(long bytes, out bool isKnown)
    {
        file.ForgetCached(bytes);
        isKnown = true;
        return file.FindCached(0, bytes) < 0 ? -1 : FindUnwritten(bytes, out isKnown);
    }

    public IoError SyncData() => IoErrorMapping.OfTransfer(file.SyncData());

    /// <summary>
    /// Denies changes of a read-only file like every other change; Linux calls this an invalid argument. What Windows refuses because of
    /// the map is done when the file is closed.
    /// </summary>
    public IoError SetLength(long bytes)
    {
        NativeResult result = file.SetLength(bytes);
        IoError error = _readOnly && result.Code == Errno.INVAL
            ? new IoError(IoErrorKind.AccessDenied, result.Code)
            : IoErrorMapping.OfTransfer(result);
        _lengthAtClose = OperatingSystem.IsWindows() && error.Kind == IoErrorKind.NotSupported ? bytes : -1;
        return error;
    }

    public IoError Allocate(long bytes)
    {
        _lengthAtClose = -1;
        return IoErrorMapping.OfTransfer(file.Allocate(bytes));
    }

    public IoError Punch(long offset, long bytes) => IoErrorMapping.OfTransfer(file.Punch(offset, bytes));

    public IoError Map(long bytes, out nint address) => IoErrorMapping.OfTransfer(_mapping.Map(bytes, out address));

    public void ExpectRandomReads() => _mapping.ExpectRandomReads();

    public void ReadAhead(long offset, long bytes) => _mapping.ReadAhead(offset, bytes);

    public bool IsInMemory(long offset, long bytes) => _mapping.IsInMemory(offset, bytes);

    /// <summary>
    /// Brings a range into memory. If the system has no call for that, a read by position fails where reading the map would.
    /// </summary>
    public IoError Populate(long offset, long bytes)
    {
        if (_mapping.TryPopulate(offset, bytes, out NativeResult result))
        {
            return IoErrorMapping.OfTransfer(result);
        }

        byte[] buffer = ArrayPool<byte>.Shared.Rent((int)Math.Min(bytes, LongestReadBytes));
        IoError error = IoError.Success;
        for (long done = 0; done < bytes && !error.Failed; done += LongestReadBytes)
        {
            error = Read(offset + done, buffer.AsSpan(0, (int)Math.Min(bytes - done, LongestReadBytes)), out _);
        }

        ArrayPool<byte>.Shared.Return(buffer);
        return error;
    }

    public IoError TryLock(bool exclusive) => IoErrorMapping.OfLock(file.TryLock(exclusive));

    public IoError TryLockSlot(int slot, bool exclusive) => IoErrorMapping.OfLock(file.TryLockSlot(slot, exclusive));

    /// <summary>A lock that cannot be asked for counts as held: its holder is then waited for or respected, never overlooked.</summary>
    public bool IsSlotLocked(int slot) => file.IsSlotLocked(slot, out bool isLocked).Failed || isLocked;

    public int FindLockHolder() => file.FindLockHolder();

    /// <summary>Compares what is still in the cache with the device, which needs unbuffered access.</summary>
    private long FindUnwritten(long end, out bool isKnown)
    {
        const int PieceBytes = 256 << 10;
        using NativeFile? device = openDirect();
        using AlignedBuffer memory = AlignedBuffer.Allocate(2 * PieceBytes);
        Span<byte> cached = memory.Slice(0, PieceBytes);
        Span<byte> written = memory.Slice(PieceBytes, PieceBytes);
        isKnown = device is { IsDirect: true };
        long at = isKnown ? 0 : -1;
        while (at >= 0 && (at = file.FindCached(at, end)) >= 0)
        {
            // A place that cannot be read cannot be compared; a caller that reads it gets the error.
            bool areRead = !file.Read(at, cached, out int inCache).Failed & !device!.Read(at, written, out int onDevice).Failed;
            int same = cached[..inCache].CommonPrefixLength(written[..onDevice]);
            if (areRead && same < Math.Min(inCache, onDevice))
            {
                return at + same;
            }

            at += PieceBytes;
        }

        return -1;
    }

    public void Dispose()
    {
        _mapping.Dispose();
        if (_lengthAtClose >= 0)
        {
            file.SetLength(_lengthAtClose);
            _lengthAtClose = -1;
        }

        file.Dispose();
    }
}
