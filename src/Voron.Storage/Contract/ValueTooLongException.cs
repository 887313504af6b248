namespace Voron.Storage;

/// <summary>The value is longer than the database's limit.</summary>
public sealed class ValueTooLongException : StorageException
{
    internal ValueTooLongException(long length, long limit)
        : base($"The value is {length} bytes long; this database takes at most {limit} (see StorageEnvironment.Limits).")
    {
        Length = length;
        Limit = limit;
    }

    /// <summary>Length of the value in bytes.</summary>
    public long Length { get; }

    /// <summary>The longest allowed value in bytes.</summary>
    public long Limit { get; }
}
