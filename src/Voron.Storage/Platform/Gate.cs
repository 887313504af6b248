namespace Voron.Storage.Platform;

/// <summary>
/// A lock for one thread at a time, which a schedule under test knows of. A struct, so that a lock statement on it does not compile.
/// </summary>
internal readonly struct Gate(ITurns? turns)
{
    private readonly Lock _lock = new();
    private readonly object? _sleepers = turns is null ? null : new object();

    /// <summary>Enters; the end of the scope leaves.</summary>
    internal Scope Hold()
    {
        if (turns is null)
        {
            if (!_lock.TryEnter())
            {
                Interruption.Defer(static held => held.Enter(), _lock);
            }
        }
        else
        {
            turns.Pass(TurnPoint.Enter);
            while (!_lock.TryEnter())
            {
                turns.Sleep(_sleepers!, TurnPoint.Enter, Timeout.InfiniteTimeSpan);
            }
        }

        return new Scope(this);
    }

    private void Leave()
    {
        _lock.Exit();
        if (turns is not null && !_lock.IsHeldByCurrentThread)
        {
            turns.Wake(_sleepers!);
            turns.Pass(TurnPoint.Leave);
        }
    }

    internal readonly ref struct Scope(Gate gate)
    {
        private readonly Gate _gate = gate;

        public void Dispose() => _gate.Leave();
    }
}
