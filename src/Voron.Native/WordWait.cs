using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// Waits until a 32-bit word changes, and wakes those who wait. Whoever changes the word changes it first and wakes then; whoever waits
/// passes the value he saw, so a change between look and wait is never missed. A wait may end for no reason: callers look at the word
/// again.
/// </summary>
public static unsafe class WordWait
{
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
            return OperatingSystem.IsLinux() && NativePlatform.IsSupported ? UnixWordWait.Wait(pointer, expected, timeout)
                : OperatingSystem.IsWindows() ? WindowsWordWait.Wait(pointer, expected, timeout)
                : WordWaitTable.Wait(pointer, expected, timeout);
        }
    }

    /// <summary>Wakes all who wait on the word.</summary>
    /// <param name="word">The word.</param>
    public static void WakeAll(ref int word) => Wake(ref word, int.MaxValue);

    /// <summary>Wakes at least one of those who wait on the word, if there are any.</summary>
    /// <param name="word">The word.</param>
    public static void WakeOne(ref int word) => Wake(ref word, 1);

    private static void Wake(ref int word, int count)
    {
        fixed (int* pointer = &word)
        {
            if (OperatingSystem.IsLinux() && NativePlatform.IsSupported)
            {
                UnixWordWait.Wake(pointer, count);
            }
            else if (!OperatingSystem.IsWindows())
            {
                WordWaitTable.Wake(pointer);
            }
            else if (count == 1)
            {
                WindowsWordWait.WakeOne(pointer);
            }
            else
            {
                WindowsWordWait.WakeAll(pointer);
            }
        }
    }
}
