namespace Voron.Storage;

/// <summary>
/// Base class of all faults that the engine reports. Wrong arguments throw <see cref="ArgumentException"/>, use after the end throws <see
/// cref="ObjectDisposedException"/>.
/// </summary>
public abstract class StorageException : Exception
{
    private protected StorageException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>True if a page is damaged or unreadable: operations that do not need that page still work.</summary>
    internal bool IsOfDamage => this is StorageCorruptException or StorageIOException { PageNumber: >= 0 };
}
