namespace Voron.Native.Unix;

/// <summary>
/// Which failed calls are made again. Syncs ask <see cref="Interrupted"/> only: after any other error the kernel may have dropped what it
/// could not write.
/// </summary>
internal static class Retry
{
    private const int MaxBusyAttempts = 100;

    internal static bool Interrupted(NativeResult result) => result.Code == Errno.INTR;

    /// <summary>
    /// True when the call is to be made again. Busy answers are bounded: a file system that says "again" for ever must not hang the
    /// caller.
    /// </summary>
    internal static bool InterruptedOrBusy(NativeResult result, ref int busyAttempts)
    {
        if (result.Code == Errno.INTR)
        {
            return true;
        }

        if (result.Code != Errno.AGAIN || busyAttempts++ >= MaxBusyAttempts)
        {
            return false;
        }

        Thread.Sleep(busyAttempts < 10 ? 0 : 1);
        return true;
    }
}
