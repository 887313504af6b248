namespace Voron.Storage;

/// <summary>The disk has no room for what was asked. Nothing acknowledged is lost; make room and try again.</summary>
public sealed class StorageFullException : StorageException
{
    internal StorageFullException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
