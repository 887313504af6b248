namespace Voron.Storage.Platform;

/// <summary>
/// A lock inside which threads can wait for a change, and which a schedule under test knows of. A struct, so that a lock statement on it
/// does not compile.
/// </summary>
internal readonly struct WaitGate(ITurns? turns)
{
    private readonly object _lock = new();
    private readonly object? _waiters = turns is null ? null : new object();

    /// <summary>Enters; the end of the scope leaves.</summary>
    internal Scope Hold()
    {
        Enter();
        return new Scope(this);
    }

    internal void Enter()
    {
        if (turns is null)
        {
            if (!Monitor.TryEnter(_lock))
            {
                Interruption.Defer(static held => Monitor.Enter(held), _lock);
            }

            return;
        }

        turns.Pass(TurnPoint.Enter);
        Reenter(turns);
    }

    internal void Leave()
    {
        Monitor.Exit(_lock);
        if (turns is not null)
        {
            turns.Wake(_lock);
            turns.Pass(TurnPoint.Leave);
        }
    }

    /// <summary>Leaves, waits for a pulse, enters again. May return for no reason.</summary>
    internal void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>The same; false: the time was over.</summary>
    internal bool Wait(TimeSpan timeout)
    {
        if (turns is null)
        {
            return Interruption.Defer(Monitor.Wait, _lock, timeout);
        }

        Monitor.Exit(_lock);
        turns.Wake(_lock);
        try
        {
            return turns.Sleep(_waiters!, TurnPoint.Wait, timeout);
        }
        finally
        {
            Reenter(turns);
        }
    }

    /// <summary>All that wait may go on when the caller has left.</summary>
    internal void PulseAll()
    {
        if (turns is null)
        {
            Monitor.PulseAll(_lock);
        }
        else
        {
            turns.Wake(_waiters!);
        }
    }

    private void Reenter(ITurns known)
    {
        while (!Monitor.TryEnter(_lock))
        {
            known.Sleep(_lock, TurnPoint.Enter, Timeout.InfiniteTimeSpan);
        }
    }

    internal readonly ref struct Scope(WaitGate gate)
    {
        private readonly WaitGate _gate = gate;

        public void Dispose() => _gate.Leave();
    }
}
