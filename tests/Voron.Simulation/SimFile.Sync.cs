using Voron.Storage;

namespace Voron.Simulation;

/// <content>What brings written sectors to the device.</content>
internal sealed partial class SimFile
{
    /// <summary>The device has it, in its cache: a power cut may still take all of it.</summary>
    public IoError WriteOut(long offset, long bytes)
    {
        lock (_disk.Gate)
        {
            SimCall call = Begin(SimCallKind.WriteOut, offset, bytes);
            if (call.Fault is { Effect: SimFaultEffect.LoseUnsynced })
            {
                _disk.Pending.Lose(_inode);
                _disk.Changed();
            }

            return _disk.End(call, call.Fault?.Result ?? IoError.Success);
        }
    }

    public IoError SyncData()
    {
        lock (_disk.Gate)
        {
            SimCall call = Begin(SimCallKind.SyncData);
            if (call.Fault is { } fault)
            {
                if (fault.Effect == SimFaultEffect.LoseUnsynced)
                {
                    _disk.Pending.Lose(_inode);
                    ForgetUnlessCached();
                    _disk.Changed();
                }

                return _disk.End(call, fault.Result);
            }

            if (!_disk.Options.Profile.IgnoresSync)
            {
                _disk.Pending.RetireFile(_inode);
                if (_disk.Options.Profile.SyncRetiresNames)
                {
                    _disk.SyncAllNames();
                }

                _disk.Changed();
            }

            return _disk.End(call, IoError.Success);
        }
    }

    /// <summary>
    /// What was given up is seen again as it is on the device. A mapped file stays as it is: the system does not take pages from a map.
    /// </summary>
    public long ForgetCached(long bytes, out bool isKnown)
    {
        lock (_disk.Gate)
        {
            isKnown = !_disk.PinsCache || !_disk.Options.RefusesUnbuffered;
            if (_disk.PinsCache)
            {
                long first = _inode.Lost is { Count: > 0 } lost ? lost.Min() * SimContent.SectorBytes : bytes;
                return isKnown && first < bytes ? first : -1;
            }

            if (_inode.Region is null)
            {
                _inode.ForgetLost(bytes);
                _disk.Changed();
            }

            return -1;
        }
    }

    /// <summary>Writes past the cache that are lost are seen by nobody.</summary>
    private void ForgetUnlessCached()
    {
        if (IsUnbuffered && _inode.Region is null)
        {
            _inode.ForgetLost();
        }
    }

    private void IssueLength(SimAtomKind kind, SimCall call, long length)
    {
        if (_inode.IsReachable)
        {
            _disk.Pending.Add(new SimAtom { Kind = kind, CallNumber = call.Number, Inode = _inode.Id, Path = Path, Position = length });
        }

        _disk.Changed();
    }
}
