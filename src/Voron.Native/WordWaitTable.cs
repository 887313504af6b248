namespace Voron.Native;

/// <summary>
/// Waits on words where the system has no call for it: a table of monitors, indexed by the word's address. The waiter pins the word's
/// object, so a waker finds the same monitor. Words may share a monitor; a thread that is woken for another word reads its word and waits
/// again.
/// </summary>
internal static unsafe class WordWaitTable
{
    private const int Places = 64;
    private static readonly object[] Monitors = MakeMonitors();

    internal static bool Wait(int* word, int expected, TimeSpan timeout)
    {
        TimeSpan limit = timeout.TotalMilliseconds > int.MaxValue ? Timeout.InfiniteTimeSpan : timeout;
        object monitor = MonitorOf(word);
        lock (monitor)
        {
            return Volatile.Read(ref *word) != expected || Monitor.Wait(monitor, limit);
        }
    }

    internal static void Wake(int* word)
    {
        object monitor = MonitorOf(word);
        lock (monitor)
        {
            Monitor.PulseAll(monitor);
        }
    }

    private static object MonitorOf(int* word) => Monitors[(((nuint)word >> 2) ^ ((nuint)word >> 12)) % Places];

    private static object[] MakeMonitors()
    {
        object[] monitors = new object[Places];
        for (int place = 0; place < Places; place++)
        {
            monitors[place] = new object();
        }

        return monitors;
    }
}
