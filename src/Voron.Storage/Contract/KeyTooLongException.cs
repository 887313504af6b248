namespace Voron.Storage;

/// <summary>The key is longer than the database's limit.</summary>
public sealed class KeyTooLongException : StorageException
{
    internal KeyTooLongException(long length, long limit)
        : base($"The key is {length} bytes long; this database takes at most {limit} (see StorageEnvironment.Limits).")
    {
        Length = length;
        Limit = limit;
    }

    /// <summary>Length of the key in bytes.</summary>
    public long Length { get; }

    /// <summary>The longest allowed key in bytes.</summary>
    public long Limit { get; }
}
