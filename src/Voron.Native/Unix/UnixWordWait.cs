namespace Voron.Native.Unix;

/// <summary>Waiting on words by futex(2); see <see cref="WordWait"/>.</summary>
internal static unsafe class UnixWordWait
{
    private const int PrivateWait = 128;
    private const int PrivateWake = 129;

    internal static bool Wait(int* word, int expected, TimeSpan timeout)
    {
        TimeInterval interval = default;
        TimeInterval* limit = null;
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
            interval.Seconds = timeout.Ticks / TimeSpan.TicksPerSecond;
            interval.Nanoseconds = timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick;
            limit = &interval;
        }

        // Another value (EAGAIN) and a signal (EINTR) are reasons to look at the word again, as a wake-up is.
        return LibC.Futex(CallNumbers.Here.Futex, word, PrivateWait, expected, limit, 0, 0) == 0
            || NativeResult.Last().Code != Errno.TIMEDOUT;
    }

    internal static void Wake(int* word, int count) => _ = LibC.Futex(CallNumbers.Here.Futex, word, PrivateWake, count, null, 0, 0);
}
