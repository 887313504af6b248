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

    internal KeyTooLongException(long keyBytes, long valueBytes, long pairBytes, long limit)
        : base($"A key of {keyBytes} bytes and a value of {valueBytes} bytes take {pairBytes} bytes as a pair of a multi-value tree; this "
            + $"database takes at most {limit} (see StorageEnvironment.Limits).")
    {
        Length = pairBytes;
        Limit = limit;
    }

    /// <summary>Length of the key in bytes; in a multi-value tree: of key and value as they are stored.</summary>
    public long Length { get; }

    /// <summary>The longest allowed key in bytes.</summary>
    public long Limit { get; }
}
