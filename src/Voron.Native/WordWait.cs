using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>
/// Waits until a 32-bit word changes, and wakes those who wait. Whoever changes the word changes it first and wakes then; whoever waits
/// passes the value he saw, so a change between look and wait is never missed. A wait may end for no reason: callers look at the word
/// again.
/// </summary>
public static unsafe class WordWait
{
    private const int PrivateWait = 128;
    private const int PrivateWake = 129;

    /// <summary>
    /// Waits while the word holds the expected value. The object in which the word lies does not move meanwhile; one that is waited on
    /// often is best allocated pinned.
    /// </summary>
    /// <param name="word">The word.</param>
    /// <param name="expected">The value that the caller saw.</param>
    /// <param name="timeout">How long at most, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <returns>False when the time was over; true when woken, when the word had another value, or for no reason.</returns>
    public static bool Wait(ref int word, int expected, TimeSpan timeout)
    {
        fixed (int* pointer = &word)
        {
            return NativePlatform.IsSupported ? WaitInKernel(pointer, expected, timeout) : WordWaitTable.Wait(pointer, expected, timeout);
        }
    }

    /// <summary>Wakes all who wait on the word.</summary>
    /// <param name="word">The word.</param>
    public static void WakeAll(ref int word) => Wake(ref word, int.MaxValue);

    /// <summary>Wakes at least one of those who wait on the word, if there are any.</summary>
    /// <param name="word">The word.</param>
    public static void WakeOne(ref int word) => Wake(ref word, 1);

    private static bool WaitInKernel(int* pointer, int expected, TimeSpan timeout)
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
        return FutexCall.Invoke(CallNumbers.Futex, pointer, PrivateWait, expected, limit, 0, 0) == 0
            || NativeResult.Last().Code != Errno.TIMEDOUT;
    }

    private static void Wake(ref int word, int count)
    {
        fixed (int* pointer = &word)
        {
            if (NativePlatform.IsSupported)
            {
                _ = FutexCall.Invoke(CallNumbers.Futex, pointer, PrivateWake, count, null, 0, 0);
            }
            else
            {
                WordWaitTable.Wake(pointer);
            }
        }
    }
}
