namespace Voron.Storage;

/// <summary>Settings of an environment; all have defaults that suit a service with a local disk.</summary>
public sealed class StorageOptions
{
    /// <summary>
    /// Page size in bytes of a new database: 4096, 8192, 16384, 32768 or 65536. It must match that of an existing database. Null (the
    /// default) means the page size of the file, or 8192 for a new database.
    /// </summary>
    public int? PageSize { get; init; }

    /// <summary>Creates the database if it does not exist (default true).</summary>
    public bool CreateIfMissing { get; init; } = true;

    /// <summary>
    /// Opens for reading only (default false): of the database nothing is created, written or synced, and the journal is replayed into
    /// memory. Up to 127 read-only environments, in any processes, may be open together, also beside one that writes; each takes a slot of
    /// the lock file. Where it may not write to that file, or has none, and on macOS it excludes a writer instead. Write transactions
    /// throw <see cref="StorageReadOnlyException"/>.
    /// </summary>
    public bool ReadOnly { get; init; }

    /// <summary>
    /// How often a read-only environment brings itself to the newest durable state of a writer, as <see cref="StorageEnvironment.Refresh"/>
    /// does; at least a millisecond. Default: null, it stays at the state that it has until Refresh is called.
    /// </summary>
    public TimeSpan? FollowInterval { get; init; }

    /// <summary>
    /// Memory for page versions that are not in the data file yet, in bytes. Default: an eighth of the memory that the process may use,
    /// at most 1 GiB. A write transaction begins only below this limit and otherwise waits for the flusher. Memory beyond it that one
    /// transaction or the open readers need goes to an unnamed spill file in the database's directory, removed when no longer needed. Below
    /// 512 MiB, up to six times as much goes to such files of random puts into a tree that is larger than the memory.
    /// </summary>
    public long? MaxDirtyBytes { get; init; }

    /// <summary>
    /// A checkpoint starts when this many bytes were written to the commit journal since the last one. Default: half of
    /// <see cref="MaxDirtyBytes"/>, at least 256 MiB and at most 320 MiB (and half of <see cref="JournalHardLimitBytes"/> if that is set).
    /// An open after a kill replays about as much, which takes up to 23 ms for each MiB: 6 to 7 s by default.
    /// </summary>
    public long? JournalSoftLimitBytes { get; init; }

    /// <summary>
    /// Writers wait for the checkpoint when the commit journal has grown by this many bytes since the last one. Default: twice
    /// <see cref="JournalSoftLimitBytes"/>, at least 512 MiB, so that an open after a kill takes about 15 s at most, unless other work
    /// needs the processors.
    /// </summary>
    public long? JournalHardLimitBytes { get; init; }

    /// <summary>
    /// How many bytes of the commit journal, beyond what recovery needs, and of large values that were replaced or deleted named positions
    /// (<see cref="StorageChanges.KeepChangesFromAsync"/>) may hold back. If they need more, the oldest position is dropped. Default 0:
    /// there are no named positions.
    /// </summary>
    public long KeepChangesBytes { get; init; }

    /// <summary>How long commits of <see cref="CommitMode.Lazy"/> may stay in memory.</summary>
    public LazyWindow LazyWindow { get; init; } = LazyWindow.Default;

    /// <summary>
    /// How long <see cref="StorageEnvironment.Dispose"/> waits for open transactions before it throws <see cref="StorageBusyException"/>
    /// (default 5 s).
    /// </summary>
    public TimeSpan DisposeTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Called for events worth logging: recovery, checkpoint failures, leaked transactions. It runs on engine threads and on callers'
    /// threads, always in the default <see cref="ExecutionContext"/>, and must be quick. Its exceptions are dropped. Default: null.
    /// </summary>
    public Action<StorageEvent>? OnEvent { get; init; }

    /// <summary>Receives the durations of journal writes and checkpoints. Default: null.</summary>
    public StorageObserver? Observer { get; init; }

    /// <summary>
    /// A checkpoint reports a read transaction that is open for longer than this, once (default 5 minutes). The right value depends on the
    /// application: a report over a whole database may take hours.
    /// </summary>
    public TimeSpan ReaderWarningAge { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The clock for reader ages and time-outs. Durability does not depend on it.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    internal EngineSettings Engine { get; init; } = EngineSettings.Default;

    /// <summary>
    /// The settings of a database that is filled with what another one with such pages holds; if no memory for its pages is set, with this.
    /// </summary>
    internal StorageOptions ForNewDatabase(int pageBytes, long? dirtyBytes = null) => new()
    {
        PageSize = PageSize ?? pageBytes,
        MaxDirtyBytes = MaxDirtyBytes ?? dirtyBytes,
        JournalSoftLimitBytes = JournalSoftLimitBytes,
        JournalHardLimitBytes = JournalHardLimitBytes,
        LazyWindow = LazyWindow,
        DisposeTimeout = DisposeTimeout,
        OnEvent = OnEvent,
        Observer = Observer,
        TimeProvider = TimeProvider,
        Engine = new() { Disk = Engine.Disk, Background = Engine.Background },
    };

    /// <summary>These settings for a database whose transactions a log carries.</summary>
    internal StorageOptions ForReplica(int fragmentBytes) => new()
    {
        PageSize = PageSize,
        CreateIfMissing = CreateIfMissing,
        MaxDirtyBytes = MaxDirtyBytes,
        JournalSoftLimitBytes = JournalSoftLimitBytes,
        JournalHardLimitBytes = JournalHardLimitBytes,
        LazyWindow = LazyWindow,
        DisposeTimeout = DisposeTimeout,
        KeepChangesBytes = KeepChangesBytes,
        OnEvent = OnEvent,
        Observer = Observer,
        ReaderWarningAge = ReaderWarningAge,
        TimeProvider = TimeProvider,
        Engine = new()
        {
            Disk = Engine.Disk,
            Background = Engine.Background,
            PlacedValueBytes = Engine.PlacedValueBytes,
            JournalledBytes = Engine.JournalledBytes,
            ValuePieceBytes = Engine.ValuePieceBytes,
            FragmentBytes = Engine.FragmentBytes ?? fragmentBytes,
        },
    };

    /// <summary>Checks the settings like an open does.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of its range; the message names it and the range.</exception>
    public void Validate() => OptionRules.Check(this);
}
