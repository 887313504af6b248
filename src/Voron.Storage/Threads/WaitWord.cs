using Voron.Native;

namespace Voron.Storage.Threads;

/// <summary>
/// A number that threads wait on and that wakes all of them with one call. The waiter passes the value it saw, so a change is never
/// missed; it checks the number again after every return, because a wait may end without a change. The number is in pinned memory and
/// shares its cache line with nothing.
/// </summary>
internal sealed class WaitWord
{
    private const int CacheLineInts = 32;
    private readonly int[] _words = GC.AllocateArray<int>(2 * CacheLineInts, pinned: true);

    internal int Value => Volatile.Read(ref Word);

    private ref int Word => ref _words[CacheLineInts];

    /// <summary>Stores a value; waiters notice it when they are woken.</summary>
    internal void Set(int value) => Volatile.Write(ref Word, value);

    /// <summary>Adds one atomically and returns the new value.</summary>
    internal int Increment() => Interlocked.Increment(ref Word);

    /// <summary>Waits while the value is the expected one; false if the timeout expired.</summary>
    internal bool Wait(int expected, TimeSpan timeout)
    {
        return Scheduling.Current is { } scheduler
            ? Value != expected || scheduler.Sleep(this, SchedulingPoint.Wait, timeout)
            : WordWait.Wait(ref Word, expected, timeout);
    }

    /// <summary>Waits without a timeout until the value differs from the expected one.</summary>
    internal void WaitWhile(int expected)
    {
        while (Volatile.Read(ref Word) == expected)
        {
            Wait(expected, Timeout.InfiniteTimeSpan);
        }
    }

    internal void WakeAll()
    {
        if (Scheduling.Current is { } scheduler)
        {
            WakeSleepers(scheduler);
        }
        else
        {
            WordWait.WakeAll(ref Word);
        }
    }

    internal void WakeOne()
    {
        if (Scheduling.Current is { } scheduler)
        {
            WakeSleepers(scheduler);
        }
        else
        {
            WordWait.WakeOne(ref Word);
        }
    }

    private void WakeSleepers(IScheduler scheduler)
    {
        scheduler.Wake(this);
        scheduler.Pass(SchedulingPoint.Signal);
    }
}
