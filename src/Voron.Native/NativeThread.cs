using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>What a thread tells the system about itself.</summary>
public static class NativeThread
{
    /// <summary>
    /// The calling thread works in the background: another thread that wakes on its processor shall run at once, not when this one's time
    /// slice is over. It gets no smaller share of the processors for that. On Linux since 6.12 it asks for the longest time slice there is,
    /// and who has a shorter one goes first; elsewhere it does nothing.
    /// </summary>
    /// <returns>Success, too, where nothing is done; or why the system refused, which harms nothing.</returns>
    public static NativeResult GiveWay() =>
        OperatingSystem.IsLinux() && NativePlatform.IsSupported ? UnixSchedule.AskForLongestSlice() : NativeResult.Success;
}
