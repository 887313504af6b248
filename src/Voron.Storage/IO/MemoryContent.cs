using Voron.Native;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>
/// Content of one file of a memory disk, apart from its names. Invariants: bytes at and after the length are zero; once an address was
/// given out the content never moves.
/// </summary>
/// <remarks>
/// A young file has a small reservation of address space and moves when it outgrows it. The first map moves it a last time, into a large
/// reservation; a mapped file that outgrows even that is "full", because a second copy could not stay coherent with the addresses given
/// out.
/// </remarks>
internal sealed class MemoryContent
{
    private const long YoungReservationBytes = 64L << 20;
    private const long MappedReservationBytes = 64L << 30;
    private const long CommitStepBytes = 1L << 20;
    private const int CopyStepBytes = 1 << 30;

    /// <summary>Half of the address space of a process.</summary>
    private const long MaxBytes = 1L << 46;

    private readonly Lock _lock = new();
    private readonly List<MemoryDiskFile> _sharedHolders = [];
    private MemoryDiskFile? _exclusiveHolder;
    private NativeMemoryRegion? _region;
    private long _length;
    private bool _mapped;
    private bool _gone;

    /// <summary>Names and open files that keep the content; guarded by the disk's lock.</summary>
    internal int Uses { get; set; }

    internal IoError GetLength(string path, out long bytes)
    {
        lock (_lock)
        {
            CheckAlive(path);
            bytes = _length;
            return IoError.Success;
        }
    }

    internal IoError Read(string path, long offset, Span<byte> destination, out int read)
    {
        lock (_lock)
        {
            CheckAlive(path);
            read = (int)Math.Clamp(_length - offset, 0, destination.Length);
            if (read > 0)
            {
                _region!.Span(offset, read).CopyTo(destination);
            }

            return IoError.Success;
        }
    }

    internal IoError Write(string path, long offset, ReadOnlySpan<byte> source)
    {
        lock (_lock)
        {
            CheckAlive(path);
            if (source.IsEmpty)
            {
                return IoError.Success;
            }

            long end = Math.Min(offset, MaxBytes) + source.Length;
            IoError grown = MakeRoom(end);
            if (grown.Failed)
            {
                return grown;
            }

            source.CopyTo(_region!.Span(offset, source.Length));
            _length = Math.Max(_length, end);
            return IoError.Success;
        }
    }

    internal IoError SetLength(string path, long bytes, bool growOnly)
    {
        lock (_lock)
        {
            CheckAlive(path);
            if (growOnly && bytes <= _length)
            {
                return IoError.Success;
            }

            IoError changed = bytes < _length ? IoErrorMapping.OfTransfer(_region!.Clear(bytes, _length - bytes)) : MakeRoom(bytes);
            if (!changed.Failed)
            {
                _length = bytes;
            }

            return changed;
        }
    }

    internal IoError Punch(string path, long offset, long bytes)
    {
        lock (_lock)
        {
            CheckAlive(path);
            long within = Math.Clamp(_length - offset, 0, bytes);
            return within == 0 ? IoError.Success : IoErrorMapping.OfTransfer(_region!.Clear(offset, within));
        }
    }

    internal IoError Map(string path, long bytes, out nint address)
    {
        lock (_lock)
        {
            CheckAlive(path);
            address = 0;
            if (bytes > _length)
            {
                return new IoError(IoErrorKind.Device, Errno.NXIO);
            }

            IoError settled = _mapped ? IoError.Success : Settle();
            if (!settled.Failed)
            {
                _mapped = true;
                address = _region!.Address;
            }

            return settled;
        }
    }

    internal IoError TryLock(MemoryDiskFile holder, bool exclusive)
    {
        lock (_lock)
        {
            CheckAlive(holder.Path);
            if (holder.IsDisposed)
            {
                // Its lock was released already; a lock taken now would never be released.
                Throw.Closed(holder.Path);
            }

            bool othersShare = _sharedHolders.Exists(other => other != holder);
            if ((_exclusiveHolder is not null && _exclusiveHolder != holder) || (exclusive && othersShare))
            {
                return new IoError(IoErrorKind.Locked, Errno.AGAIN);
            }

            Unlock(holder);
            if (exclusive)
            {
                _exclusiveHolder = holder;
            }
            else
            {
                _sharedHolders.Add(holder);
            }

            return IoError.Success;
        }
    }

    internal void ReleaseLock(MemoryDiskFile holder)
    {
        lock (_lock)
        {
            Unlock(holder);
        }
    }

    /// <summary>Frees the memory. A later call throws; it never touches freed memory.</summary>
    internal void Release()
    {
        lock (_lock)
        {
            _gone = true;
            _region?.Dispose();
            _region = null;
        }
    }

    private void Unlock(MemoryDiskFile holder)
    {
        _sharedHolders.Remove(holder);
        if (_exclusiveHolder == holder)
        {
            _exclusiveHolder = null;
        }
    }

    private void CheckAlive(string path)
    {
        if (_gone)
        {
            Throw.Closed(path);
        }
    }

    /// <summary>Moves the content to its final place.</summary>
    private IoError Settle() => _region?.LengthBytes >= MappedReservationBytes
        ? IoError.Success
        : Move(Math.Max(MappedReservationBytes, 2 * _length), Math.Max(YoungReservationBytes, _length));

    private IoError MakeRoom(long bytes)
    {
        if (bytes > MaxBytes)
        {
            return new IoError(IoErrorKind.DiskFull, Errno.FBIG);
        }

        if (_region is null || bytes > _region.LengthBytes)
        {
            if (_mapped)
            {
                return new IoError(IoErrorKind.DiskFull, Errno.FBIG);
            }

            IoError moved = Move(Math.Max(YoungReservationBytes, bytes + Math.Min(bytes, MappedReservationBytes)), bytes);
            if (moved.Failed)
            {
                return moved;
            }
        }

        long step = Math.Min(_region!.LengthBytes, (bytes + CommitStepBytes - 1) & -CommitStepBytes);
        return bytes <= _region.CommittedBytes ? IoError.Success : IoErrorMapping.OfTransfer(_region.Commit(step));
    }

    /// <summary>
    /// Moves the content into a reservation of the wanted size, or of less, down to the minimum, where address space is limited.
    /// </summary>
    private IoError Move(long wished, long least)
    {
        if (SystemMemory.IsRefused(least))
        {
            return new IoError(IoErrorKind.OutOfMemory, Errno.NOMEM);
        }

        NativeResult result = NativeMemoryRegion.Reserve(wished, out NativeMemoryRegion? region);
        while (region is null && wished > least)
        {
            wished = Math.Max(least, wished / 2);
            result = NativeMemoryRegion.Reserve(wished, out region);
        }

        if (region is null)
        {
            return IoErrorMapping.OfTransfer(result);
        }

        if (_region is not null)
        {
            result = region.Commit(_length);
            if (result.Failed)
            {
                region.Dispose();
                return IoErrorMapping.OfTransfer(result);
            }

            for (long offset = 0; offset < _length; offset += CopyStepBytes)
            {
                int step = (int)Math.Min(CopyStepBytes, _length - offset);
                _region.Span(offset, step).CopyTo(region.Span(offset, step));
            }

            _region.Dispose();
        }

        _region = region;
        return IoError.Success;
    }
}
