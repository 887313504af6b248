namespace Voron.Storage;

/// <summary>An operation of this write transaction failed after it had changed something; only dispose is left.</summary>
public sealed class TransactionPoisonedException : StorageException
{
    internal TransactionPoisonedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
