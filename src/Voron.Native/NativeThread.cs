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
        OperatingSystem.IsLinux() && NativePlatform.IsSupported ? UnixSchedule.Ask(leastNice: int.MinValue) : NativeResult.Success;

    /// <summary>
    /// Does the same, and leaves the processors to other threads while they need them: on Linux the calling thread gets about a tenth of
    /// the share of one of them, by its nice value; on Windows its priority is below normal. It stays so until the thread ends.
    /// </summary>
    /// <returns>Success, also if nothing was done; or the system's refusal, which is harmless.</returns>
    public static NativeResult StepBack()
    {
        if (OperatingSystem.IsLinux() && NativePlatform.IsSupported)
        {
            return UnixSchedule.Ask(UnixSchedule.NiceOfTenth);
        }

        // Without effect where the runtime knows no priorities.
        Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
        return NativeResult.Success;
    }
}
