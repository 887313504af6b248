using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>Scheduling hints for threads.</summary>
public static class NativeThread
{
    /// <summary>
    /// Marks the calling thread as a background thread: another thread that wakes on its processor should run at once, not after this
    /// thread's time slice. This does not reduce the thread's share of the processors. On Linux since 6.12 it requests the longest possible
    /// time slice, and threads with a shorter one run first; on other systems it does nothing.
    /// </summary>
    /// <returns>Success, also if nothing was done; or the system's refusal, which is harmless.</returns>
    public static NativeResult GiveWay() =>
        OperatingSystem.IsLinux() && NativePlatform.IsSupported ? UnixSchedule.AskForLongestSlice() : NativeResult.Success;
}
