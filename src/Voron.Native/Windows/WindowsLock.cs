namespace Voron.Native.Windows;

/// <summary>
/// The whole-file lock of one open file. Locks of Windows keep others from reading and writing what is locked; so one byte far behind
/// any end stands for the whole file, and tools that copy files can read all of it.
/// </summary>
internal sealed unsafe class WindowsLock
{
    private const long Place = long.MaxValue - 1;
    private const uint FailAtOnce = 1;
    private const uint ExclusiveLock = 2;

    private readonly Lock _asking = new();
    private bool _holdsShared;
    private bool _holdsExclusive;

    /// <summary>
    /// The system counts locks and knows no change of their kind. A shared one may be had beside the exclusive one of the same handle, and
    /// unlocking takes the exclusive one first, so this way there is no gap; the other way there is one.
    /// </summary>
    internal NativeResult TryTake(nint handle, bool exclusive)
    {
        lock (_asking)
        {
            if (exclusive ? _holdsExclusive : _holdsShared)
            {
                return NativeResult.Success;
            }

            if (exclusive && _holdsShared)
            {
                return Exchange(handle);
            }

            NativeResult taken = Take(handle, exclusive);
            if (!taken.Failed)
            {
                if (_holdsExclusive)
                {
                    Release(handle);
                }

                (_holdsExclusive, _holdsShared) = (exclusive, !exclusive);
            }

            return taken;
        }
    }

    /// <summary>The lock of a slot is one of the bytes before the one that stands for the whole file.</summary>
    internal static NativeResult TryTakeSlot(nint handle, int slot, bool exclusive) => Take(handle, exclusive, slot);

    /// <summary>The system has no question for it: a shared lock that can be had for a moment is not held exclusively.</summary>
    internal static bool IsSlotTaken(nint handle, int slot)
    {
        if (Take(handle, exclusive: false, slot).Failed)
        {
            return true;
        }

        Release(handle, slot);
        return false;
    }

    private NativeResult Exchange(nint handle)
    {
        Release(handle);
        NativeResult taken = Take(handle, exclusive: true);
        if (taken.Failed)
        {
            _holdsShared = !Take(handle, exclusive: false).Failed;
            return taken;
        }

        (_holdsExclusive, _holdsShared) = (true, false);
        return taken;
    }

    private static NativeResult Take(nint handle, bool exclusive, int slot = 0)
    {
        FileOffset at = new(Place - slot);
        return Kernel32.LockFileEx(handle, FailAtOnce | (exclusive ? ExclusiveLock : 0), 0, 1, 0, &at) != 0
            ? NativeResult.Success
            : NativeResult.Last();
    }

    private static void Release(nint handle, int slot = 0)
    {
        FileOffset at = new(Place - slot);
        _ = Kernel32.UnlockFileEx(handle, 0, 1, 0, &at);
    }
}
