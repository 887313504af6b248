namespace Voron.Storage.Threads;

/// <summary>A signal that one waiter consumes. A deterministic scheduler knows it.</summary>
internal sealed class Signal : IDisposable
{
    private readonly AutoResetEvent _event = new(false);

    internal void Set()
    {
        _event.Set();
        if (Scheduling.Current is { } scheduler)
        {
            scheduler.Wake(this);
            scheduler.Pass(SchedulingPoint.Signal);
        }
    }

    internal void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>Waits for the signal; false if the timeout expired.</summary>
    internal bool Wait(TimeSpan timeout)
    {
        if (Scheduling.Current is not { } scheduler)
        {
            return _event.WaitOne(timeout);
        }

        scheduler.Pass(SchedulingPoint.Wait);
        while (!_event.WaitOne(0))
        {
            if (!scheduler.Sleep(this, SchedulingPoint.Wait, timeout))
            {
                return false;
            }
        }

        return true;
    }

    public void Dispose() => _event.Dispose();
}
