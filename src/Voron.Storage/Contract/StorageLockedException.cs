namespace Voron.Storage;

/// <summary>Another environment, in this process or another one, has the database open.</summary>
public sealed class StorageLockedException : StorageException
{
    internal StorageLockedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
