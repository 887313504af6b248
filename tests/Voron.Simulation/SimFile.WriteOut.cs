using Voron.Storage;
using Voron.Storage.Platform;

namespace Voron.Simulation;

/// <summary>Of <see cref="SimFile"/>: what hands bytes to the device and promises nothing.</summary>
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
}
