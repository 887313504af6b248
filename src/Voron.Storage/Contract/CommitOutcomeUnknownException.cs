namespace Voron.Storage;

/// <summary>The journal write of this commit failed: after reopening, the transaction is either completely present or absent.</summary>
public sealed class CommitOutcomeUnknownException : StorageException
{
    internal CommitOutcomeUnknownException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
