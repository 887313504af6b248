using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Platform;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// An open database: a folder with one data file and its journals. One writer at a time, any number of readers, from any thread. One
/// environment at a time has a database open.
/// </summary>
public sealed class StorageEnvironment : IDisposable, IAsyncDisposable
{
    private readonly Database _database;

    private readonly MemoryDisk? _memory;

    private StorageEnvironment(Database database, MemoryDisk? memory = null)
    {
        _database = database;
        _memory = memory;
    }

    /// <summary>What stands behind the door, for the engine's own tests.</summary>
    internal Database Database => _database;

    /// <summary>The longest keys, names and values of this database.</summary>
    public StorageLimits Limits => _database.Limits;

    /// <summary>
    /// Opens the database in a folder, creating both when they are missing, and recovers what its journals hold.
    /// </summary>
    /// <exception cref="StorageLockedException">Someone else has it open.</exception>
    /// <exception cref="NotADatabaseException">The folder holds a foreign file in the database's place.</exception>
    /// <exception cref="FormatVersionException">Another version of the format.</exception>
    /// <exception cref="StorageCorruptException">A file is damaged.</exception>
    /// <exception cref="CorruptJournalException">The journal lost an acknowledged record.</exception>
    /// <exception cref="StorageIOException">The operating system refused an operation: permissions, paths, devices.</exception>
    /// <exception cref="StorageFullException">No room to create the database or its journal.</exception>
    public static StorageEnvironment Open(string path, StorageOptions? options = null) => Open(path, options, null, CancellationToken.None);

    /// <summary>
    /// Opens like <see cref="Open(string, StorageOptions?)"/>, on a thread of its own: for databases whose journals take a while. When it
    /// is cancelled, or fails, the files are as they were.
    /// </summary>
    /// <param name="path">The folder.</param>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="progress">Learns how far the replay of the commit journal has come.</param>
    /// <param name="cancellationToken">Gives the open up, until the journal is replayed; from then on it completes.</param>
    /// <exception cref="OperationCanceledException">The open was given up.</exception>
    public static ValueTask<StorageEnvironment> OpenAsync(
        string path,
        StorageOptions? options = null,
        IProgress<RecoveryProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        return new ValueTask<StorageEnvironment>(Task.Factory.StartNew(
            () => Open(path, options, progress, cancellationToken),
            cancellationToken,
            TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach,
            TaskScheduler.Default));
    }

    /// <summary>A database that lives in memory only, with the same code and rules.</summary>
    public static StorageEnvironment OpenInMemory(StorageOptions? options = null)
    {
        options ??= new StorageOptions();
        OptionRules.Check(options);
        MemoryDisk disk = new();
        try
        {
            return new StorageEnvironment(Database.Open(disk, "/memory", options).MakeVolatile(), disk);
        }
        catch
        {
            disk.Dispose();
            throw;
        }
    }

    /// <summary>Begins a snapshot of what is committed now. Never blocks, never is blocked.</summary>
    public ReadTransaction BeginRead() => new(_database.BeginRead());

    /// <summary>Begins the write transaction; waits for the one before it to be sealed.</summary>
    public WriteTransaction BeginWrite() => Wrap(_database.BeginWrite(Timeout.InfiniteTimeSpan));

    /// <summary>Begins the write transaction, waiting at most so long.</summary>
    /// <exception cref="TimeoutException">The other write transaction was still open.</exception>
    public WriteTransaction BeginWrite(TimeSpan timeout)
    {
        if (!TryBeginWrite(timeout, out WriteTransaction transaction))
        {
            Transactions.Throw.WriterLockTimeout(timeout);
        }

        return transaction;
    }

    /// <summary>Begins the write transaction; false when the other one was still open after the time-out.</summary>
    public bool TryBeginWrite(TimeSpan timeout, out WriteTransaction transaction)
    {
        WriteSession? session = _database.BeginWrite(timeout);
        transaction = session is null ? default : Wrap(session);
        return session is not null;
    }

    /// <summary>
    /// Brings everything committed so far to the data file and returns when it is durable there. Commits go on meanwhile.
    /// </summary>
    public void Checkpoint() => _database.Checkpoint();

    /// <summary>
    /// Checks the newest snapshot: every page sound, reachable once or free once, every tree in order. Reports damage, does not throw for
    /// it.
    /// </summary>
    public CheckReport Check(IProgress<double>? progress = null, CancellationToken cancellationToken = default) =>
        _database.Check(progress, cancellationToken);

    /// <summary>
    /// Checks like <see cref="Check(IProgress{double}?, CancellationToken)"/> and scrubs: reads every page in use from the file, past the
    /// map and whatever was verified before, and looks for writes that the device lost. For a job in the background: it takes as long as
    /// the rate makes it take.
    /// </summary>
    /// <param name="bytesPerSecond">Bytes to read from the data file in a second at most.</param>
    /// <param name="progress">Learns which part of the data file has been read.</param>
    /// <param name="cancellationToken">Gives up.</param>
    public CheckReport Check(long bytesPerSecond, IProgress<double>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytesPerSecond);
        return _database.Scrub(bytesPerSecond, progress, cancellationToken);
    }

    /// <summary>Sizes and counters of this moment. The first report after an open reads the space maps.</summary>
    /// <exception cref="StorageCorruptException">A space map is damaged, so nobody knows how much is free; reading goes on.</exception>
    public EnvironmentReport GetReport() => _database.GetReport();

    /// <summary>
    /// Refuses new transactions, waits for open ones, brings everything to the data file and closes. Does nothing when called again.
    /// </summary>
    /// <exception cref="StorageBusyException">Transactions were still open after <see cref="StorageOptions.DisposeTimeout"/>; nothing was
    /// closed.</exception>
    public void Dispose()
    {
        _database.Dispose();
        _memory?.Dispose();
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private static StorageEnvironment Open(
        string path, StorageOptions? options, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        options ??= new StorageOptions();
        OptionRules.Check(options);
        IDisk disk = options.Storage ?? new NativeDisk();
        return new StorageEnvironment(Database.Open(disk, Path.GetFullPath(path), options, progress, cancellation));
    }

    private static WriteTransaction Wrap(WriteSession? session) => new(session!, session!.Generation);
}
