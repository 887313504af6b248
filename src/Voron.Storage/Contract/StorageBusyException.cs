namespace Voron.Storage;

/// <summary>Dispose waited for open transactions longer than allowed; nothing was closed. End them and dispose again.</summary>
public sealed class StorageBusyException : StorageException
{
    internal StorageBusyException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
