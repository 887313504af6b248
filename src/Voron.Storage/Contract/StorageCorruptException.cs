namespace Voron.Storage;

/// <summary>
/// Data on disk failed its checks: a page, header or chunk is damaged, misplaced or missing. Restore a backup, or copy the readable data
/// with <see cref="StorageSalvage"/>.
/// </summary>
public sealed class StorageCorruptException : StorageException
{
    internal StorageCorruptException(string message, string? file = null, long pageNumber = -1, Exception? inner = null)
        : base(message, inner)
    {
        File = file;
        PageNumber = pageNumber;
    }

    /// <summary>The damaged file, or null if unknown.</summary>
    public string? File { get; }

    /// <summary>The damaged page, or −1 if the damage is not in one page.</summary>
    public long PageNumber { get; }
}
