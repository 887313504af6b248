namespace Voron.Storage;

/// <summary>The named tree exists with another kind than the one asked for.</summary>
public sealed class TreeKindMismatchException : StorageException
{
    internal TreeKindMismatchException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
