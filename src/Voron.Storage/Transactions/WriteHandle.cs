namespace Voron.Storage.Transactions;

/// <summary>
/// The object that only the handles of an open write transaction reference, so its finalizer runs only for a leaked transaction, which it
/// rolls back. Between transactions the session keeps it for reuse.
/// </summary>
internal sealed class WriteHandle(WriteSession session)
{
    /// <summary>Rolls the leaked transaction back; re-registers if another thread is inside it right now.</summary>
    ~WriteHandle()
    {
        if (Generation != 0 && !session.Leaks.TryRollback(Generation))
        {
            GC.ReRegisterForFinalize(this);
        }
    }

    internal WriteSession Session => session;

    /// <summary>Generation of the transaction that uses the lease, or 0.</summary>
    internal long Generation { get; set; }
}
