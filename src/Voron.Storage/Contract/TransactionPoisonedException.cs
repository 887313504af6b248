namespace Voron.Storage;

/// <summary>
/// An operation of this write transaction failed after changing something. Dispose it, or roll back to an earlier savepoint.
/// </summary>
public sealed class TransactionPoisonedException : StorageException
{
    internal TransactionPoisonedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
