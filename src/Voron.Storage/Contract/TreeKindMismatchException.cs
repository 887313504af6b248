namespace Voron.Storage;

/// <summary>The named tree exists, but is of another kind than requested.</summary>
public sealed class TreeKindMismatchException : StorageException
{
    internal TreeKindMismatchException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
