namespace Voron.Storage.Engine;

/// <summary>Counts threads that wait for a running checkpoint, which then takes no more rests.</summary>
internal sealed class UrgencyCount
{
    private int _waiters;

    internal bool IsOn => Volatile.Read(ref _waiters) != 0;

    internal void During(Action wait)
    {
        Interlocked.Increment(ref _waiters);
        try
        {
            wait();
        }
        finally
        {
            Interlocked.Decrement(ref _waiters);
        }
    }
}
