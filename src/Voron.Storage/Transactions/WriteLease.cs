namespace Voron.Storage.Transactions;

/// <summary>
/// What the handles of an open write transaction hold on to, and nobody else: when it is collected, the transaction was leaked and is
/// rolled
/// back. Between transactions the session keeps it for the next one.
/// </summary>
internal sealed class WriteLease(WriteSession session)
{
    /// <summary>The leaked one was in use on another thread.</summary>
    ~WriteLease()
    {
        if (Generation != 0 && !session.TryRollbackLeaked(Generation))
        {
            GC.ReRegisterForFinalize(this);
        }
    }

    internal WriteSession Session => session;

    /// <summary>The transaction that the lease is out for, or 0.</summary>
    internal long Generation { get; set; }
}
