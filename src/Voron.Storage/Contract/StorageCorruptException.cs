namespace Voron.Storage;

/// <summary>
/// Bytes on disk fail their checks: a page, header or chunk is damaged, misplaced or missing. Restore a backup, or copy out what is
/// readable.
/// </summary>
public sealed class StorageCorruptException : StorageException
{
    internal StorageCorruptException(string message, string? file = null, long pageNumber = -1, Exception? inner = null)
        : base(message, inner)
    {
        File = file;
        PageNumber = pageNumber;
    }

    /// <summary>The damaged file, when one can be named.</summary>
    public string? File { get; }

    /// <summary>The damaged page, or −1 when the damage is not in one page.</summary>
    public long PageNumber { get; }
}
