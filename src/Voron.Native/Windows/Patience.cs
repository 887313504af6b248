namespace Voron.Native.Windows;

/// <summary>
/// Which failed calls are made again. Scanners and indexers open files for moments as they like and share them or not; so a name that
/// another process holds is asked for again, for half a second at most. Syncs are never made again.
/// </summary>
internal static class Patience
{
    private const int MaxAttempts = 40;

    internal static bool IsHeld(NativeResult result, ref int attempts) =>
        result.Code is WindowsError.SharingViolation or WindowsError.LockViolation or WindowsError.UserMappedFile
            && MayRetry(ref attempts);

    /// <summary>The system had no room for a transfer that it had not begun.</summary>
    internal static bool IsShortOfResources(NativeResult result, ref int attempts) =>
        result.Code is WindowsError.NoSystemResources or WindowsError.WorkingSetQuota && MayRetry(ref attempts);

    private static bool MayRetry(ref int attempts)
    {
        if (attempts++ >= MaxAttempts)
        {
            return false;
        }

        Thread.Sleep(Math.Min(attempts, 15));
        return true;
    }
}
