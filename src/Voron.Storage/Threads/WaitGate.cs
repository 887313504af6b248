using System.Diagnostics;

namespace Voron.Storage.Threads;

/// <summary>
/// A lock inside which threads can wait for a change. A deterministic scheduler knows it. A struct, so that a lock statement on it does
/// not compile.
/// </summary>
internal readonly struct WaitGate()
{
    private readonly object _lock = new();
    private readonly object? _waiters = Scheduling.MakeWaitObject();

    /// <summary>Enters; the end of the scope leaves.</summary>
    internal Scope Hold()
    {
        Enter();
        return new Scope(this);
    }

    internal void Enter()
    {
        if (Scheduling.Current is { } scheduler)
        {
            scheduler.Pass(SchedulingPoint.Enter);
            Reenter(scheduler);
        }
        else if (!Monitor.TryEnter(_lock))
        {
            Interruption.Defer(static held => Monitor.Enter(held), _lock);
        }
    }

    internal void Leave()
    {
        Monitor.Exit(_lock);
        Interruption.PassOn();
        if (Scheduling.Current is { } scheduler)
        {
            scheduler.Wake(_lock);
            scheduler.Pass(SchedulingPoint.Leave);
        }
    }

    /// <summary>In builds with checks: throws if the calling thread does not hold the gate.</summary>
    [Conditional("CHECKED")]
    internal void AssertHeld()
    {
        if (!Monitor.IsEntered(_lock))
        {
            Throw.NotHeld();
        }
    }

    /// <summary>Leaves, waits for a pulse, and enters again. May return without a pulse.</summary>
    internal void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>Like <see cref="Wait()"/>; false if the timeout expired.</summary>
    internal bool Wait(TimeSpan timeout)
    {
        if (Scheduling.Current is not { } scheduler)
        {
            return Interruption.Wait(_lock, timeout);
        }

        Monitor.Exit(_lock);
        scheduler.Wake(_lock);
        try
        {
            return scheduler.Sleep(_waiters!, SchedulingPoint.Wait, timeout);
        }
        finally
        {
            Reenter(scheduler);
        }
    }

    /// <summary>Lets all waiters continue once the caller has left.</summary>
    internal void PulseAll()
    {
        if (Scheduling.Current is { } scheduler)
        {
            scheduler.Wake(_waiters!);
        }
        else
        {
            Monitor.PulseAll(_lock);
        }
    }

    private void Reenter(IScheduler scheduler)
    {
        while (!Monitor.TryEnter(_lock))
        {
            scheduler.Sleep(_lock, SchedulingPoint.Enter, Timeout.InfiniteTimeSpan);
        }
    }

    internal readonly ref struct Scope(WaitGate gate)
    {
        private readonly WaitGate _gate = gate;

        public void Dispose() => _gate.Leave();
    }
}
