namespace Voron.Storage;

/// <summary>Settings of a restore.</summary>
public sealed class RestoreOptions
{
    /// <summary>The last transaction that is restored; null (the default) for all of the streams.</summary>
    public long? UpToTransaction { get; init; }

    /// <summary>
    /// The time up to which is restored, to the second: transactions before the first one that was committed later; null (the default)
    /// for all. After the time of the last transaction it means all; before the full backup it is an error. Times are known from the
    /// first backup of the source on, or the first time that its changes were read.
    /// </summary>
    public DateTimeOffset? UpToTime { get; init; }

    /// <summary>
    /// Restores a follower: a database that takes changes of the source by <see cref="StorageChanges.ApplyAsync"/> only, until <see
    /// cref="StorageChanges.PromoteAsync"/>. Its own write transactions throw <see cref="StorageReadOnlyException"/>. Default false.
    /// </summary>
    public bool AsFollower { get; init; }

    /// <summary>Settings while the database is filled; the page size, if none is set, is that of the source.</summary>
    public StorageOptions Storage { get; init; } = new();
}
