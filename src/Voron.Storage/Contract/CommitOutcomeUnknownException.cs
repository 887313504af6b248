namespace Voron.Storage;

/// <summary>The journal write of this commit failed: after reopening, the transaction is either there as a whole or not at all.</summary>
public sealed class CommitOutcomeUnknownException : StorageException
{
    internal CommitOutcomeUnknownException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
