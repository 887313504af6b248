namespace Voron.Storage.Threads;

/// <summary>
/// Defers an interruption of a thread by its user until it has left the engine: in the middle of a commit, or with a lock half taken,
/// there is no place to give up. The thread is interrupted again when it leaves, and the next wait of the user notices.
/// </summary>
internal static class Interruption
{
    [ThreadStatic]
    private static bool _isNoted;

    /// <summary>
    /// Waits for a pulse. May end without one if the thread is interrupted, because the interruption may have consumed the pulse, and
    /// notes that for <see cref="PassOn"/>; false if the timeout expired.
    /// </summary>
    internal static bool Wait(object held, TimeSpan timeout)
    {
        try
        {
            return Monitor.Wait(held, timeout);
        }
        catch (ThreadInterruptedException)
        {
            _isNoted = true;
            return true;
        }
    }

    /// <summary>Interrupts the thread again after it left the lock, if it was interrupted while it waited.</summary>
    internal static void PassOn()
    {
        if (_isNoted)
        {
            _isNoted = false;
            Thread.CurrentThread.Interrupt();
        }
    }

    /// <summary>Runs a blocking call to its end, however often the thread is interrupted meanwhile.</summary>
    internal static void Defer<T>(Action<T> block, T on) =>
        Defer(
            static (call, argument) =>
            {
                call(argument);
                return true;
            },
            block,
            on);

    /// <summary>Like the other, for a call with a result.</summary>
    internal static TResult Defer<T1, T2, TResult>(Func<T1, T2, TResult> block, T1 on, T2 argument)
    {
        bool wasInterrupted = false;
        try
        {
            while (true)
            {
                try
                {
                    return block(on, argument);
                }
                catch (ThreadInterruptedException)
                {
                    wasInterrupted = true;
                }
            }
        }
        finally
        {
            if (wasInterrupted)
            {
                Thread.CurrentThread.Interrupt();
            }
        }
    }
}
