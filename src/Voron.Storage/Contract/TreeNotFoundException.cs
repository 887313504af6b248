namespace Voron.Storage;

/// <summary>No tree of that name exists.</summary>
public sealed class TreeNotFoundException : StorageException
{
    internal TreeNotFoundException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
