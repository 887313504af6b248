namespace Voron.Storage;

/// <summary>The database was written by another format version than this build reads.</summary>
public sealed class FormatVersionException : StorageException
{
    internal FormatVersionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
