using System.Collections;
using Voron.Storage.History;

namespace Voron.Storage;

/// <summary>
/// What one committed transaction changed, in order; what it undid itself is left out. The changes are read while they are enumerated, as
/// often as wanted, until the next set is read from the feed.
/// </summary>
public sealed class ChangeSet : IEnumerable<Change>
{
    private readonly TransactionChanges _changes;
    private readonly long _version;

    internal ChangeSet(TransactionChanges changes)
    {
        _changes = changes;
        _version = changes.Version;
        TransactionId = changes.Id.Value;
        Time = changes.Ticks == 0 ? null : new DateTimeOffset(changes.Ticks, TimeSpan.Zero);
    }

    /// <summary>The transaction. Keep it with what was made of its changes: a feed goes on after it.</summary>
    public long TransactionId { get; }

    /// <summary>
    /// When the transaction was committed, by <see cref="StorageOptions.TimeProvider"/>. The first transaction of each second notes it,
    /// once changes of the database were read or backed up; null for the others.
    /// </summary>
    public DateTimeOffset? Time { get; }

    /// <summary>Enumerates the changes.</summary>
    /// <exception cref="InvalidOperationException">The feed has gone on to another set.</exception>
    /// <exception cref="ChangesGoneException">A large value was replaced or deleted since, and its pages are used again; or the journal
    /// of a transaction of more than 16 MiB is gone.</exception>
    /// <exception cref="StorageCorruptException">A large value is damaged.</exception>
    public IEnumerator<Change> GetEnumerator() => _changes.Enumerate(_version);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
