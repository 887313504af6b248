namespace Voron.Storage.Transactions;

/// <summary>
/// One writer at a time. Has no thread affinity: the transaction may be ended by another thread than the one that began it.
/// </summary>
internal sealed class WriterLock(ITurns? turns = null) : IDisposable
{
    private readonly SemaphoreSlim _one = new(1, 1);

    internal bool TryEnter(TimeSpan timeout)
    {
        if (turns is null)
        {
            return _one.Wait(timeout);
        }

        turns.Pass(TurnPoint.Enter);
        while (!_one.Wait(0))
        {
            if (timeout == TimeSpan.Zero || !turns.Sleep(this, TurnPoint.Enter, timeout))
            {
                return false;
            }
        }

        return true;
    }

    internal void Exit()
    {
        _one.Release();
        if (turns is not null)
        {
            turns.Wake(this);
            turns.Pass(TurnPoint.Leave);
        }
    }

    public void Dispose() => _one.Dispose();
}
