namespace Voron.Storage;

/// <summary>
/// Base of all faults that the engine reports. Wrong arguments are <see cref="ArgumentException"/>s, use after the end is <see
/// cref="ObjectDisposedException"/>.
/// </summary>
public abstract class StorageException : Exception
{
    private protected StorageException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>A page is damaged, or the device cannot read it: what does not need that page can go on.</summary>
    internal bool IsOfDamage => this is StorageCorruptException or StorageIOException { PageNumber: >= 0 };
}
