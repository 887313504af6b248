namespace Voron.Storage.Threads;

/// <summary>
/// Keeps the interruption of a thread by its user out of the engine: half-way through a commit or with a lock half taken there is no place
/// that could give up. The thread is interrupted again when it has come through, and the user's own next wait notices.
/// </summary>
internal static class Interruption
{
    [ThreadStatic]
    private static bool _isNoted;

    /// <summary>
    /// Waits for a pulse. Ends for no reason when the thread is interrupted, for the interruption may have used up the pulse, and notes
    /// that for <see cref="PassOn"/>; false: the time was over.
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

    /// <summary>The lock was left: the thread is interrupted again, if it was while it waited.</summary>
    internal static void PassOn()
    {
        if (_isNoted)
        {
            _isNoted = false;
            Thread.CurrentThread.Interrupt();
        }
    }

    /// <summary>Blocks until what was asked for has happened, however often the thread is interrupted meanwhile.</summary>
    internal static void Defer<T>(Action<T> block, T on) =>
        Defer(
            static (call, argument) =>
            {
                call(argument);
                return true;
            },
            block,
            on);

    /// <summary>As the other, for what has a result.</summary>
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
