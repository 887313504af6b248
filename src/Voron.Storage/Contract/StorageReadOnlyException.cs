namespace Voron.Storage;

/// <summary>A write was attempted in an environment that was opened read-only.</summary>
public sealed class StorageReadOnlyException : StorageException
{
    internal StorageReadOnlyException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
