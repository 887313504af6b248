namespace Voron.Storage;

/// <summary>
/// An earlier write or sync failed, so nothing more can be committed until the database is reopened. The first error is the inner
/// exception.
/// </summary>
public sealed class StoragePoisonedException : StorageException
{
    internal StoragePoisonedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
