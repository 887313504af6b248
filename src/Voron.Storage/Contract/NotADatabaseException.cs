namespace Voron.Storage;

/// <summary>The path holds a file that is not a database of this engine: foreign, zeroed or a text file.</summary>
public sealed class NotADatabaseException : StorageException
{
    internal NotADatabaseException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
