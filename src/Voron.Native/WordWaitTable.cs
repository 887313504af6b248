namespace Voron.Native;

/// <summary>
/// Waiting on words where the system has no call for it: a table of monitors, chosen by the word's address. The address is that of a word
/// whose object is pinned by the waiter, so a waker finds the same one. Words may share a monitor; who is woken in vain looks at his word
/// and waits again.
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
