namespace Voron.Storage;

/// <summary>Sizes and counters of an environment at one moment. Counters start at zero when it is opened.</summary>
public sealed record EnvironmentReport
{
    /// <summary>Page size in bytes.</summary>
    public required int PageBytes { get; init; }

    /// <summary>Length of the data file in bytes.</summary>
    public required long DataFileBytes { get; init; }

    /// <summary>Bytes of the data file that neither the newest checkpoint nor a large value stored since then occupies.</summary>
    public required long FreeBytes { get; init; }

    /// <summary>
    /// Bytes of the data file whose space was given back to the file system since the environment was opened: large free runs that no
    /// snapshot reaches. They are part of <see cref="FreeBytes"/>.
    /// </summary>
    public required long PunchedBytes { get; init; }

    /// <summary>Length of all journal chunks in bytes, spare ones included.</summary>
    public required long JournalBytes { get; init; }

    /// <summary>Bytes of page versions, in memory or in spill files.</summary>
    public required long DirtyBytes { get; init; }

    /// <summary>Length of the spill files, which take what goes beyond <see cref="StorageOptions.MaxDirtyBytes"/>.</summary>
    public required long SpillBytes { get; init; }

    /// <summary>Page versions that wait for a reader to end.</summary>
    public required long RetainedVersions { get; init; }

    /// <summary>Bytes of pages that only open readers still see: in memory, in spill files, in the journal or in the data file.</summary>
    public required long RetainedBytes { get; init; }

    /// <summary>The open read transactions, oldest snapshot first.</summary>
    public required IReadOnlyList<ReaderReport> Readers { get; init; }

    /// <summary>The newest transaction that readers see.</summary>
    public required long LastTransactionId { get; init; }

    /// <summary>The transaction that the newest checkpoint holds.</summary>
    public required long CheckpointTransactionId { get; init; }

    /// <summary>Read transactions open now.</summary>
    public required int OpenReaders { get; init; }

    /// <summary>Age of the oldest open read transaction; zero when there is none.</summary>
    public required TimeSpan OldestReaderAge { get; init; }

    /// <summary>Transactions committed.</summary>
    public required long Commits { get; init; }

    /// <summary>Commits that are sealed and not yet as safe as they are to be.</summary>
    public required long WaitingCommits { get; init; }

    /// <summary>Most transactions that have shared one journal write.</summary>
    public required int LargestGroup { get; init; }

    /// <summary>Transactions committed per journal write.</summary>
    public double CommitsPerWrite => JournalWrites == 0 ? 0 : Commits / (double)JournalWrites;

    /// <summary>How often a writer had to wait in line for another one.</summary>
    public required long WriterWaits { get; init; }

    /// <summary>Bytes that went to the commit journal since the newest checkpoint.</summary>
    public required long CheckpointLagBytes { get; init; }

    /// <summary>Write calls on commit chunks.</summary>
    public required long JournalWrites { get; init; }

    /// <summary>Bytes of those writes.</summary>
    public required long JournalBytesWritten { get; init; }

    /// <summary>
    /// Sync calls on commit chunks. Durable commits need none, except one a write on Windows, where the device is not known to honour
    /// write-through, and on macOS.
    /// </summary>
    public required long JournalSyncs { get; init; }

    /// <summary>Checkpoints done.</summary>
    public required long Checkpoints { get; init; }

    /// <summary>Why the last checkpoint in the background failed; null when it did not. It is tried again.</summary>
    public required Exception? CheckpointTrouble { get; init; }

    /// <summary>
    /// The failed write or sync after which this environment commits nothing more; null when there was none.
    /// </summary>
    public required Exception? PoisonedBy { get; init; }

    /// <summary>Write transactions that were slowed because the flusher was halfway behind from a soft to its hard limit.</summary>
    public required long SlowedWriters { get; init; }

    /// <summary>Write transactions that had to wait for a checkpoint because a hard limit was reached.</summary>
    public required long BlockedWriters { get; init; }
}
