namespace Voron.Storage;

/// <summary>Transactions were still open when Dispose timed out; nothing was closed. End them and dispose again.</summary>
public sealed class StorageBusyException : StorageException
{
    internal StorageBusyException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
