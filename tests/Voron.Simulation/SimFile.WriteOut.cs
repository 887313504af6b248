using Voron.Storage;

namespace Voron.Simulation;

/// <content>Handing pages to the device without a promise.</content>
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
