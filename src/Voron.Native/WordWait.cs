using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// Waits until a 32-bit word changes, and wakes waiting threads (a futex). A thread that changes the word changes it first and then wakes;
/// a waiting thread passes the value that it read, so a change between the read and the wait is never missed. A wait may end spuriously:
/// callers read the word again.
/// </summary>
public static unsafe class WordWait
{
    /// <summary>
    /// Waits while the word holds the expected value. The object that contains the word is pinned meanwhile; if it is waited on often,
    /// allocate it pinned.
    /// </summary>
    /// <param name="word">The word.</param>
    /// <param name="expected">The value that the caller read.</param>
    /// <param name="timeout">The maximum wait, or <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <returns>False if the wait timed out; true if woken, if the word had another value, or spuriously.</returns>
    public static bool Wait(ref int word, int expected, TimeSpan timeout)
    {
        fixed (int* pointer = &word)
        {
            return OperatingSystem.IsLinux() && NativePlatform.IsSupported ? UnixWordWait.Wait(pointer, expected, timeout)
                : OperatingSystem.IsWindows() ? WindowsWordWait.Wait(pointer, expected, timeout)
                : WordWaitTable.Wait(pointer, expected, timeout);
        }
    }

    /// <summary>Wakes all threads that wait on the word.</summary>
    /// <param name="word">The word.</param>
    public static void WakeAll(ref int word) => Wake(ref word, int.MaxValue);

    /// <summary>Wakes at least one of the threads that wait on the word, if there are any.</summary>
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
