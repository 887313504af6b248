using System.Collections.Concurrent;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Keeps what comes after an await for the thread that began it, which has to fetch it: so no thread runs that no schedule knows.
/// </summary>
internal sealed class PumpedContext : SynchronizationContext, IDisposable
{
    private readonly TokenScheduler _scheduler;
    private readonly SynchronizationContext? _before = Current;
    private readonly ConcurrentQueue<(SendOrPostCallback Call, object? State)> _calls = new();

    internal PumpedContext(TokenScheduler scheduler)
    {
        _scheduler = scheduler;
        SetSynchronizationContext(this);
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        _calls.Enqueue((d, state));
        _scheduler.Wake(this);
    }

    public void Dispose() => SetSynchronizationContext(_before);

    /// <summary>Does what there is to do for this thread; sleeps until there is something.</summary>
    internal void Pump()
    {
        if (_calls.IsEmpty)
        {
            _scheduler.Sleep(this, SchedulingPoint.Caller, Timeout.InfiniteTimeSpan);
        }

        while (_calls.TryDequeue(out (SendOrPostCallback Call, object? State) next))
        {
            next.Call(next.State);
        }
    }
}
