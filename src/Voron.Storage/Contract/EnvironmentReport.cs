namespace Voron.Storage;

/// <summary>Sizes and counters of an environment at one moment. Counters start at zero when the environment is opened.</summary>
public sealed record EnvironmentReport
{
    /// <summary>Page size in bytes.</summary>
    public required int PageBytes { get; init; }

    /// <summary><see cref="StorageOptions.MaxDirtyBytes"/>, as set or as it follows from the memory of the process.</summary>
    public required long MaxDirtyBytes { get; init; }

    /// <summary><see cref="StorageOptions.JournalSoftLimitBytes"/>, as set or as it follows from the dirty budget.</summary>
    public required long JournalSoftLimitBytes { get; init; }

    /// <summary><see cref="StorageOptions.JournalHardLimitBytes"/>, as set or as it follows from the soft limit.</summary>
    public required long JournalHardLimitBytes { get; init; }

    /// <summary>Length of the data file in bytes.</summary>
    public required long DataFileBytes { get; init; }

    /// <summary>Bytes of the data file that neither the newest checkpoint nor a large value stored since then occupies.</summary>
    public required long FreeBytes { get; init; }

    /// <summary>
    /// Bytes of the data file returned to the file system since the environment was opened: large free runs that no snapshot reaches. They
    /// are part of <see cref="FreeBytes"/>.
    /// </summary>
    public required long PunchedBytes { get; init; }

    /// <summary>Length of all journal chunks in bytes, spare ones included.</summary>
    public required long JournalBytes { get; init; }

    /// <summary>Bytes of page versions, in memory or in spill files, but for pending entries in files.</summary>
    public required long DirtyBytes { get; init; }

    /// <summary>
    /// Length in bytes of the spill files, which hold page versions beyond <see cref="StorageOptions.MaxDirtyBytes"/> and pending entries.
    /// </summary>
    public required long SpillBytes { get; init; }

    /// <summary>Bytes of entries of large trees that are to be merged into their leaves, in memory or in spill files.</summary>
    public required long PendingBytes { get; init; }

    /// <summary>Entries that were merged into leaves since the environment was opened.</summary>
    public required long MergedEntries { get; init; }

    /// <summary>Number of page versions that cannot be reclaimed until a reader ends.</summary>
    public required long RetainedVersions { get; init; }

    /// <summary>Bytes of pages that only open readers still see: in memory, in spill files, in the journal or in the data file.</summary>
    public required long RetainedBytes { get; init; }

    /// <summary>The open read transactions, oldest snapshot first.</summary>
    public required IReadOnlyList<ReaderReport> Readers { get; init; }

    /// <summary>The newest transaction that readers see.</summary>
    public required long LastTransactionId { get; init; }

    /// <summary>The last transaction in the newest checkpoint.</summary>
    public required long CheckpointTransactionId { get; init; }

    /// <summary>Read transactions open now.</summary>
    public required int OpenReaders { get; init; }

    /// <summary>Age of the oldest open read transaction; zero when there is none.</summary>
    public required TimeSpan OldestReaderAge { get; init; }

    /// <summary>Transactions committed.</summary>
    public required long Commits { get; init; }

    /// <summary>Commits that are sealed but have not yet reached the durability of their mode.</summary>
    public required long WaitingCommits { get; init; }

    /// <summary>The largest number of transactions in one commit group.</summary>
    public required int LargestGroup { get; init; }

    /// <summary>Transactions committed per journal write.</summary>
    public double CommitsPerWrite => JournalWrites == 0 ? 0 : Commits / (double)JournalWrites;

    /// <summary>How often a writer had to wait for another one.</summary>
    public required long WriterWaits { get; init; }

    /// <summary>Bytes written to the commit journal since the newest checkpoint.</summary>
    public required long CheckpointLagBytes { get; init; }

    /// <summary>Write calls on commit chunks.</summary>
    public required long JournalWrites { get; init; }

    /// <summary>Bytes of those writes.</summary>
    public required long JournalBytesWritten { get; init; }

    /// <summary>
    /// Sync calls on commit chunks. Durable commits need none, except one per write on macOS, and on Windows if the device is not known to
    /// honour write-through.
    /// </summary>
    public required long JournalSyncs { get; init; }

    /// <summary>Bytes of pages that checkpoints have written to their places in the data file.</summary>
    public required long DataBytesWritten { get; init; }

    /// <summary>Bytes of page images that checkpoints have written to the page journal, before the pages go to their places.</summary>
    public required long ImageBytesWritten { get; init; }

    /// <summary>Number of completed checkpoints.</summary>
    public required long Checkpoints { get; init; }

    /// <summary>The error of the last background checkpoint, or null; a failed one is retried.</summary>
    public required Exception? CheckpointTrouble { get; init; }

    /// <summary>
    /// The failed write or sync after which this environment refuses all commits, or null.
    /// </summary>
    public required Exception? PoisonedBy { get; init; }

    /// <summary>Write transactions that were slowed because the flusher was more than halfway from a soft to its hard limit.</summary>
    public required long SlowedWriters { get; init; }

    /// <summary>Write transactions that had to wait for a checkpoint because a hard limit was reached.</summary>
    public required long BlockedWriters { get; init; }
}
