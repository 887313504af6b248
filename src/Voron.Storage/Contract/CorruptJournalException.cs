namespace Voron.Storage;

/// <summary>
/// The commit journal lost an acknowledged record: a bad record precedes records that prove that it was once good. Nothing was changed.
/// </summary>
public sealed class CorruptJournalException : StorageException
{
    internal CorruptJournalException(string message, string? file = null, long offset = -1)
        : base(message)
    {
        File = file;
        Offset = offset;
    }

    /// <summary>The chunk with the bad record, or null if unknown.</summary>
    public string? File { get; }

    /// <summary>Byte offset of the bad record in the chunk, or −1.</summary>
    public long Offset { get; }
}
