namespace Voron.Storage.Transactions;

/// <summary>
/// One writer at a time. Has no thread affinity: the transaction may be ended by another thread than the one that began it.
/// </summary>
internal sealed class WriterLock : IDisposable
{
    private readonly SemaphoreSlim _one = new(1, 1);

    internal void Enter() => _one.Wait();

    internal bool TryEnter(TimeSpan timeout) => _one.Wait(timeout);

    internal void Exit() => _one.Release();

    public void Dispose() => _one.Dispose();
}
