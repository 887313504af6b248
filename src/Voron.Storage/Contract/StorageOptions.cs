namespace Voron.Storage;

/// <summary>Settings of an environment; all have defaults that suit a service with a local disk.</summary>
public sealed class StorageOptions
{
    /// <summary>
    /// Page size in bytes of a database that is created: 4096, 8192, 16384, 32768 or 65536. For an existing one it must match; null (the
    /// default) takes what the file has, and 8192 for a new one.
    /// </summary>
    public int? PageSize { get; init; }

    /// <summary>Create the database when there is none (default true).</summary>
    public bool CreateIfMissing { get; init; } = true;

    /// <summary>
    /// Open for reading only (default false): nothing is created, written or synced; what the journal holds is replayed into memory. Any
    /// number of read-only environments, in any processes, may be open together, but none beside one that writes. Transactions that
    /// write are refused with <see cref="StorageReadOnlyException"/>.
    /// </summary>
    public bool ReadOnly { get; init; }

    /// <summary>
    /// Memory for page versions that are not in the data file yet, in bytes. Default: a quarter of the memory that the process may use,
    /// at most 1 GiB. Write transactions begin below this limit, or wait for the flusher; what one of them, or what readers hold, needs
    /// beyond it goes to a spill file in the database's directory, which has no name and is gone when it is not needed any more.
    /// </summary>
    public long? MaxDirtyBytes { get; init; }

    /// <summary>A checkpoint starts when this many bytes were written to the commit journal since the last one (default 256 MiB).</summary>
    public long JournalSoftLimitBytes { get; init; } = 256L << 20;

    /// <summary>
    /// Writers wait for the checkpoint when the commit journal has grown by this many bytes since the last one (default 1 GiB).
    /// </summary>
    public long JournalHardLimitBytes { get; init; } = 1L << 30;

    /// <summary>How long commits of <see cref="CommitMode.Lazy"/> may stay in memory.</summary>
    public LazyWindow LazyWindow { get; init; } = LazyWindow.Default;

    /// <summary>
    /// How long <see cref="StorageEnvironment.Dispose"/> waits for open transactions before it throws <see cref="StorageBusyException"/>
    /// (default 5 s).
    /// </summary>
    public TimeSpan DisposeTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Called for things worth a log line: recovery, checkpoint trouble, leaked transactions. Called on engine threads and on threads of
    /// callers, always in the default <see cref="ExecutionContext"/>: be quick. An exception that it throws is dropped. Default: nothing is
    /// reported.
    /// </summary>
    public Action<StorageEvent>? OnEvent { get; init; }

    /// <summary>Learns how long journal writes and checkpoints take. Default: nobody does.</summary>
    public StorageObserver? Observer { get; init; }

    /// <summary>
    /// A read transaction that is open for longer is reported once, by a checkpoint that finds it (default 5 minutes). How long is long
    /// only the application knows: a report over a whole database may take hours.
    /// </summary>
    public TimeSpan ReaderWarningAge { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>Where time comes from (reader ages, time-outs). No decision about what is durable depends on it.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal EngineSettings Engine { get; init; } = EngineSettings.Default;

    /// <summary>Refuses what an open would refuse: settings out of their ranges.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of its range; the message names it and the range.</exception>
    public void Validate() => OptionRules.Check(this);
}
