using Voron.Storage;

namespace Voron.Simulation;

/// <content>Holes.</content>
internal sealed partial class SimFile
{
    /// <summary>Zeros, as unsynced as a write; the capacity that the range was charged stays charged.</summary>
    public IoError Punch(long offset, long bytes)
    {
        lock (_disk.Gate)
        {
            SimCall call = Begin(SimCallKind.Punch, offset, bytes);
            long within = Math.Clamp(_inode.Volatile.Length - offset, 0, bytes);
            if (call.Fault is { Effect: SimFaultEffect.Nothing } || IsReadOnly || within == 0)
            {
                return _disk.End(call, call.Fault?.Result ?? (IsReadOnly ? new IoError(IoErrorKind.AccessDenied, 13) : IoError.Success));
            }

            Apply(call, offset, new byte[within], call.Fault?.Effect ?? SimFaultEffect.Everything);
            return _disk.End(call, call.Fault?.Result ?? IoError.Success);
        }
    }
}
