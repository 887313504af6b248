namespace Voron.Storage.Platform;

/// <summary>A signal that one waiter takes away, which a schedule under test knows of.</summary>
internal sealed class Signal(ITurns? turns) : IDisposable
{
    private readonly AutoResetEvent _event = new(false);

    internal void Set()
    {
        _event.Set();
        if (turns is not null)
        {
            turns.Wake(this);
            turns.Pass(TurnPoint.Signal);
        }
    }

    internal void Reset() => _event.Reset();

    internal void Wait() => Wait(Timeout.InfiniteTimeSpan);

    /// <summary>False: the time was over.</summary>
    internal bool Wait(TimeSpan timeout)
    {
        if (turns is null)
        {
            return _event.WaitOne(timeout);
        }

        turns.Pass(TurnPoint.Wait);
        while (!_event.WaitOne(0))
        {
            if (!turns.Sleep(this, TurnPoint.Wait, timeout))
            {
                return false;
            }
        }

        return true;
    }

    public void Dispose() => _event.Dispose();
}
