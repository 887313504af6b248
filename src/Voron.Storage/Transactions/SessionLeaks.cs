using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>Transactions that were not ended when their last handle was collected: they are rolled back then.</summary>
internal sealed class SessionLeaks(WriteSession session)
{
    /// <summary>Held while a leaked transaction is rolled back, so that the environment's memory is not freed meanwhile.</summary>
    private readonly Lock _leak = new();
    private bool _isDisowned;

    /// <summary>Called with the id of a leaked transaction after its rollback.</summary>
    internal Action<TransactionId>? Leaked { get; set; }

    /// <summary>Rolls back a leaked transaction, which has no handle left to end it; false if a thread is inside it right now.</summary>
    internal bool TryRollback(long generation)
    {
        TransactionId id;
        lock (_leak)
        {
            if (_isDisowned || session.Generation != generation)
            {
                return true;
            }

            id = session.Snapshot;
            if (!session.TryEndLeaked(generation))
            {
                return false;
            }
        }

        Leaked?.Invoke(id);
        return true;
    }

    /// <summary>Called when the environment closes without waiting: its memory is freed, so leaks are not rolled back later.</summary>
    internal void Disown()
    {
        lock (_leak)
        {
            _isDisowned = true;
        }
    }
}
