using System.Buffers;
using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation;

/// <summary>An open file of a simulated disk. Every call takes the disk's lock; misuse throws, simulated failures are results.</summary>
internal sealed partial class SimFile : IDiskFile
{
    private readonly SimDisk _disk;
    private readonly SimInode _inode;
    private readonly FileOpening _opening;
    private bool _holdsShared;
    private bool _isClosed;

    internal SimFile(SimDisk disk, SimInode inode, string path, FileOpening opening)
    {
        _disk = disk;
        _inode = inode;
        _opening = opening;
        Path = path;
        IsUnbuffered = (opening & FileOpening.Unbuffered) != 0 && !disk.Options.RefusesUnbuffered;
    }

    public string Path { get; }

    public bool IsUnbuffered { get; }

    private bool IsReadOnly => (_opening & FileOpening.ReadOnly) != 0;

    private bool IsWriteThrough => (_opening & FileOpening.WriteThrough) != 0 && !_disk.Options.Profile.IgnoresWriteThrough;

    public IoError GetLength(out long bytes)
    {
        lock (_disk.Gate)
        {
            bytes = 0;
            SimCall call = Begin(SimCallKind.GetLength);
            if (call.Fault is { } fault)
            {
                return _disk.End(call, fault.Result);
            }

            bytes = _inode.Volatile.Length;
            _disk.ReadSet.AddLength(_inode);
            return _disk.End(call, IoError.Success, new Hash128((ulong)bytes, 0));
        }
    }

    public IoError Read(long offset, Span<byte> destination, out int read)
    {
        lock (_disk.Gate)
        {
            read = 0;
            RequireAligned(offset, destination);
            SimCall call = Begin(SimCallKind.Read, offset, destination.Length);
            SimFaultEffect effect = call.Fault?.Effect ?? SimFaultEffect.Everything;
            if (effect is SimFaultEffect.Nothing or SimFaultEffect.LoseUnsynced || (call.Fault is { } fault && fault.Result.Failed))
            {
                return _disk.End(call, call.Fault!.Result);
            }

            if (!_inode.CanRead(offset, destination.Length))
            {
                return _disk.End(call, Unreadable);
            }

            SimContent content = effect == SimFaultEffect.Stale ? _inode.Durable : _inode.Volatile;
            long from = offset + (effect == SimFaultEffect.Misdirect ? SimContent.BlockBytes : 0);
            read = (int)Math.Clamp(content.Length - offset, 0, destination.Length);
            read = effect == SimFaultEffect.Half ? read / 2 : read;
            content.Read(from, destination[..read]);
            if (effect == SimFaultEffect.FlipBit && read > 0)
            {
                destination[(int)((ulong)call.Number * 37 % (ulong)read)] ^= 4;
            }

            _disk.ReadSet.AddRead(_inode, offset, destination.Length);

            // What was read follows from what was written, which the trace has already.
            return _disk.End(call, IoError.Success, new Hash128((ulong)read, 0));
        }
    }

    public IoError Write(long offset, ReadOnlySpan<byte> source)
    {
        lock (_disk.Gate)
        {
            RequireAligned(offset, source);
            SimCall call = Begin(SimCallKind.Write, offset, source.Length);
            SimFaultEffect effect = call.Fault?.Effect ?? SimFaultEffect.Everything;
            if (effect == SimFaultEffect.Nothing || IsReadOnly || source.Length == 0)
            {
                return _disk.End(call, call.Fault?.Result ?? (IsReadOnly ? new IoError(IoErrorKind.AccessDenied, 13) : IoError.Success));
            }

            if ((_opening & FileOpening.Unbuffered) != 0 && _inode.Region is not null)
            {
                // A map need not show what goes past the cache.
                Throw.WriteBesideMap(Path, offset);
            }

            if (effect is SimFaultEffect.FlipBit or SimFaultEffect.Misdirect)
            {
                source = effect == SimFaultEffect.FlipBit ? call.Spoil(source) : source;
                offset += effect == SimFaultEffect.Misdirect ? SimContent.BlockBytes : 0;
                effect = SimFaultEffect.Everything;
            }

            long end = offset + source.Length;
            if (!_disk.TryCharge(_inode, offset, end))
            {
                return _disk.End(call, new IoError(IoErrorKind.DiskFull, 28));
            }

            if (!_inode.TryHeal(offset, source.Length))
            {
                return _disk.End(call, Unreadable);
            }

            bool isWhole = Apply(call, offset, source, effect);
            if (effect == SimFaultEffect.LoseUnsynced)
            {
                ForgetUnlessCached();
            }

            if (isWhole)
            {
                _disk.ReadSet.AddWrite(_inode, offset, source.Length);
            }

            bool promises = call.Fault is null or
                { Effect: SimFaultEffect.FlipBit or SimFaultEffect.Misdirect or SimFaultEffect.LateArrival };
            if (isWhole && promises && IsWriteThrough)
            {
                _disk.OnCall?.Invoke(call, SimPhase.Issued);
                _disk.Pending.RetireWrite(_inode, offset / SimContent.SectorBytes, (end - 1) / SimContent.SectorBytes, end);
                _disk.Changed();
            }

            return _disk.End(call, call.Fault?.Result ?? IoError.Success, Hash128.Of(source));
        }
    }

    public IoError SetLength(long bytes) => ChangeLength(SimCallKind.SetLength, bytes);

    public IoError Allocate(long bytes) => ChangeLength(SimCallKind.Allocate, bytes);

    public IoError Map(long bytes, out nint address)
    {
        lock (_disk.Gate)
        {
            address = 0;
            SimCall call = Begin(SimCallKind.Map, 0, bytes);
            if (call.Fault is { } fault)
            {
                return _disk.End(call, fault.Result);
            }

            if (bytes > _inode.Volatile.Length)
            {
                Throw.MapPastEnd(Path, bytes, _inode.Volatile.Length);
            }

            _inode.Map(_disk.Options.MapBytes);
            _disk.ReadSet.AddMap(_inode);
            address = _inode.Region!.Address;
            return _disk.End(call, IoError.Success);
        }
    }

    public IoError TryLock(bool exclusive)
    {
        lock (_disk.Gate)
        {
            SimCall call = Begin(SimCallKind.TryLock, exclusive ? 1 : 0);
            if (call.Fault is { } fault)
            {
                return _disk.End(call, fault.Result);
            }

            int othersShared = _inode.SharedLocks - (_holdsShared ? 1 : 0);
            bool isTaken = (_inode.ExclusiveLock is { } owner && owner != this) || (exclusive && othersShared > 0);
            if (isTaken)
            {
                return _disk.End(call, new IoError(IoErrorKind.Locked, 11));
            }

            Unlock();
            _inode.ExclusiveLock = exclusive ? this : null;
            _holdsShared = !exclusive;
            _inode.SharedLocks += exclusive ? 0 : 1;
            return _disk.End(call, IoError.Success);
        }
    }

    public void Dispose()
    {
        lock (_disk.Gate)
        {
            if (!_isClosed)
            {
                _isClosed = true;
                Unlock();
                _disk.Closed(_inode);
            }
        }
    }

    /// <summary>
    /// Puts the bytes into the volatile content and issues their atoms: the growth first, then sector by sector. False when the fault
    /// stopped it half way.
    /// </summary>
    private bool Apply(SimCall call, long offset, ReadOnlySpan<byte> source, SimFaultEffect effect)
    {
        long first = offset / SimContent.SectorBytes, last = (offset + source.Length - 1) / SimContent.SectorBytes;
        int length = (int)(last - first + 1) * SimContent.SectorBytes;
        byte[] rented = ArrayPool<byte>.Shared.Rent(length);
        try
        {
            Span<byte> bytes = rented.AsSpan(0, length);
            int within = (int)(offset - (first * SimContent.SectorBytes));
            if (source.Length < length)
            {
                _inode.Volatile.Read(first * SimContent.SectorBytes, bytes);
            }

            source.CopyTo(bytes[within..]);
            return ApplyAligned(call, first, bytes, offset + source.Length, effect);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private bool ApplyAligned(SimCall call, long first, ReadOnlySpan<byte> bytes, long end, SimFaultEffect effect)
    {
        long last = first + (bytes.Length / SimContent.SectorBytes) - 1;
        long half = first + ((last - first + 1) / 2);
        Grow(call, effect == SimFaultEffect.Half ? Math.Min(half * SimContent.SectorBytes, end) : end);
        ApplySectors(call, first, half, first, bytes, effect);
        _disk.OnCall?.Invoke(call, SimPhase.Inside);
        if (effect == SimFaultEffect.Half)
        {
            return false;
        }

        ApplySectors(call, half, last + 1, first, bytes, effect);
        Validate(call, end);
        return true;
    }

    private void ApplySectors(SimCall call, long from, long to, long first, ReadOnlySpan<byte> bytes, SimFaultEffect effect)
    {
        for (long sector = from; sector < to; sector++)
        {
            int start = (int)(sector - first) * SimContent.SectorBytes;
            ReadOnlySpan<byte> sectorBytes = bytes.Slice(start, SimContent.SectorBytes);
            // Writing what is there already adds no state that the atoms before it do not give.
            bool wasLost = effect != SimFaultEffect.LoseUnsynced && _inode.Lost?.Remove(sector) == true;
            Hash128 hash = SimContent.HashOfSector(sector, sectorBytes);
            if (!wasLost && _inode.Volatile.SectorHash(sector) == hash)
            {
                continue;
            }

            _inode.Volatile.WriteSector(sector, sectorBytes, hash);
            if (effect == SimFaultEffect.LateArrival)
            {
                (_inode.Late ??= []).Add(sector);
            }
            else if (_inode.Region is { } region)
            {
                long sectorStart = sector * SimContent.SectorBytes;
                int kept = (int)Math.Min(SimContent.SectorBytes, _inode.Volatile.Length - sectorStart);
                sectorBytes[..kept].CopyTo(region.Bytes(sectorStart, kept));
            }

            if (effect == SimFaultEffect.LoseUnsynced)
            {
                (_inode.Lost ??= []).Add(sector);
            }
            else if (_inode.IsReachable)
            {
                _disk.Pending.Add(new SimAtom
                {
                    Kind = SimAtomKind.Data, CallNumber = call.Number, Inode = _inode.Id, Path = Path, Position = sector,
                    Sector = sectorBytes.ToArray(), SectorHash = hash,
                });
            }

            _disk.Changed();
            if (_disk.OnStep is { } step)
            {
                _disk.LeaveGateFor(() => step(call));
            }
        }
    }

    /// <summary>Behind the bytes of a write: they count once this has reached the device as well.</summary>
    private void Validate(SimCall call, long end)
    {
        if (end > _inode.Volatile.Valid)
        {
            _inode.Volatile.Valid = end;
            IssueLength(SimAtomKind.Valid, call, end);
        }
    }

    private void Grow(SimCall call, long length)
    {
        if (length > _inode.Volatile.Length)
        {
            _inode.SetVolatileLength(length);
            IssueLength(SimAtomKind.Grow, call, length);
        }
    }

    private IoError ChangeLength(SimCallKind kind, long bytes)
    {
        lock (_disk.Gate)
        {
            SimCall call = Begin(kind, 0, bytes);
            if (call.Fault is { Effect: SimFaultEffect.Nothing } fault)
            {
                return _disk.End(call, fault.Result);
            }

            if (IsReadOnly)
            {
                return _disk.End(call, new IoError(IoErrorKind.AccessDenied, 13));
            }

            if (kind == SimCallKind.Allocate && !_disk.TryCharge(_inode, 0, bytes))
            {
                return _disk.End(call, new IoError(IoErrorKind.DiskFull, 28));
            }

            Grow(call, bytes);
            if (kind == SimCallKind.SetLength && bytes < _inode.Volatile.Length)
            {
                _inode.SetVolatileLength(bytes);
                IssueLength(SimAtomKind.Truncate, call, bytes);
            }

            return _disk.End(call, call.Fault?.Result ?? IoError.Success);
        }
    }

    private void Unlock()
    {
        _inode.SharedLocks -= _holdsShared ? 1 : 0;
        _holdsShared = false;
        if (_inode.ExclusiveLock == this)
        {
            _inode.ExclusiveLock = null;
        }
    }

    private SimCall Begin(SimCallKind kind, long offset = 0, long length = 0)
    {
        if (_isClosed)
        {
            Throw.Disposed(Path);
        }

        return _disk.Begin(kind, Path, offset, length);
    }

    private void RequireAligned(long offset, ReadOnlySpan<byte> bytes)
    {
        if ((_opening & FileOpening.Unbuffered) == 0)
        {
            return;
        }

        nint address = SimRegion.AddressOf(bytes);
        if (offset % SimContent.BlockBytes != 0 || bytes.Length % SimContent.BlockBytes != 0 || address % SimContent.BlockBytes != 0)
        {
            Throw.Misaligned(Path, offset, bytes.Length, address);
        }
    }
}
