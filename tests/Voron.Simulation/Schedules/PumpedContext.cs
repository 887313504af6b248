using System.Collections.Concurrent;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Keeps what comes after an await for the thread that began it, which has to fetch it: so no thread runs that no schedule knows.
/// </summary>
internal sealed class PumpedContext : SynchronizationContext, IDisposable
{
    private readonly SynchronizationContext? _before = Current;
    private readonly ConcurrentQueue<(SendOrPostCallback Call, object? State)> _calls = new();

    internal PumpedContext() => SetSynchronizationContext(this);

    public override void Post(SendOrPostCallback d, object? state) => _calls.Enqueue((d, state));

    public void Dispose() => SetSynchronizationContext(_before);

    internal void Pump()
    {
        while (_calls.TryDequeue(out (SendOrPostCallback Call, object? State) next))
        {
            next.Call(next.State);
        }
    }
}
