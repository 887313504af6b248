namespace Voron.Storage;

/// <summary>
/// Changes that were asked for are no longer in the journal, or are not of this database. Take a full copy of the data, and go on after its
/// transaction.
/// </summary>
public sealed class ChangesGoneException : StorageException
{
    internal ChangesGoneException(string message, long oldest, Exception? inner = null)
        : base(message, inner) => Oldest = oldest;

    /// <summary>The oldest transaction after which all changes are still there.</summary>
    public long Oldest { get; }
}
