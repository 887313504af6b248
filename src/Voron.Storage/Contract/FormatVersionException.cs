namespace Voron.Storage;

/// <summary>The database has a format version that this build cannot read.</summary>
public sealed class FormatVersionException : StorageException
{
    internal FormatVersionException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
