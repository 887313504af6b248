namespace Voron.Storage;

/// <summary>The disk is full. No acknowledged commit is lost; free space and try again.</summary>
public sealed class StorageFullException : StorageException
{
    internal StorageFullException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
