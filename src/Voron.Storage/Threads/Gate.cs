using System.Diagnostics;

namespace Voron.Storage.Threads;

/// <summary>
/// A lock that a deterministic scheduler knows. A struct, so that a lock statement on it does not compile.
/// </summary>
internal readonly struct Gate()
{
    private readonly Lock _lock = new();
    private readonly object? _sleepers = Scheduling.MakeWaitObject();

    /// <summary>Enters; the end of the scope leaves.</summary>
    internal Scope Hold()
    {
        if (Scheduling.Current is { } scheduler)
        {
            scheduler.Pass(SchedulingPoint.Enter);
            while (!_lock.TryEnter())
            {
                scheduler.Sleep(_sleepers!, SchedulingPoint.Enter, Timeout.InfiniteTimeSpan);
            }
        }
        else if (!_lock.TryEnter())
        {
            Interruption.Defer(static held => held.Enter(), _lock);
        }

        return new Scope(this);
    }

    /// <summary>In builds with checks: throws if the calling thread does not hold the gate.</summary>
    [Conditional("CHECKED")]
    internal void AssertHeld()
    {
        if (!_lock.IsHeldByCurrentThread)
        {
            Throw.NotHeld();
        }
    }

    private void Leave()
    {
        _lock.Exit();
        if (Scheduling.Current is { } scheduler && !_lock.IsHeldByCurrentThread)
        {
            scheduler.Wake(_sleepers!);
            scheduler.Pass(SchedulingPoint.Leave);
        }
    }

    internal readonly ref struct Scope(Gate gate)
    {
        private readonly Gate _gate = gate;

        public void Dispose() => _gate.Leave();
    }
}
