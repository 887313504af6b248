namespace Voron.Storage;

/// <summary>The kind of a <see cref="StorageEvent"/>.</summary>
public enum StorageEventKind
{
    /// <summary>The database was opened and its journals were replayed.</summary>
    Recovered = 0,

    /// <summary>A background checkpoint failed; it is tried again unless the environment is poisoned.</summary>
    CheckpointFailed = 1,

    /// <summary>The file system refused unbuffered access; the journal goes through the page cache with write-through.</summary>
    UnbufferedRefused = 2,

    /// <summary>The disk was full at the closing checkpoint; the journal keeps everything and the next open replays it.</summary>
    ClosedWithoutCheckpoint = 3,

    /// <summary>A read transaction has been open for longer than <see cref="StorageOptions.ReaderWarningAge"/>.</summary>
    OldReader = 4,

    /// <summary>
    /// All handles of a write transaction were collected before it was committed or disposed; it was rolled back. Use <c>using</c>.
    /// </summary>
    TransactionLeaked = 5,

    /// <summary>
    /// A journal file that is no longer needed could not be renamed or deleted. It does no harm but takes space; the next checkpoint and
    /// the next open try again.
    /// </summary>
    FileNotRemoved = 6,

    /// <summary>
    /// The storage below the database may lose synced data: memory, a network, a user-space file system, a mount that drops syncs; or the
    /// data file has several names. Reported once, by an open for writing.
    /// </summary>
    DurabilityDoubtful = 7,

    /// <summary>
    /// Recent changes of a tree cannot be moved to their page, because it is damaged or cannot be read. They are kept in memory and in the
    /// journal, which grows. Restore a backup, or copy out what is readable.
    /// </summary>
    ChangesNotMerged = 8,

    /// <summary>
    /// A read-only environment with <see cref="StorageOptions.FollowInterval"/> could not go on to what its writer has committed; it shows
    /// what it had, and tries again.
    /// </summary>
    RefreshFailed = 9,

    /// <summary>
    /// A named position of a consumer of changes was dropped: it held back more of the journal than
    /// <see cref="StorageOptions.KeepChangesBytes"/>, or the journal after it is gone.
    /// </summary>
    ChangesDropped = 10,
}
