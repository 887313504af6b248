using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Platform;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// An open database: a folder with one data file and its journals. One writer at a time, any number of readers, from any thread. One
/// environment at a time has a database open.
/// </summary>
public sealed partial class StorageEnvironment : IDisposable, IAsyncDisposable
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

    /// <summary>
    /// Begins the write transaction; waits for the one before it to be sealed. There is one at a time: inside a write transaction pass that
    /// one on instead.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// It was called inside an action of WriteAsync, which has a transaction; or the open transaction was begun by
    /// this thread and nothing has used it while this thread waited for a second (a thread of the thread pool: ten seconds), so the wait
    /// would have no end. Transactions are not bound to threads: one that was handed to another thread or task, which uses it, is waited
    /// for.
    /// </exception>
    public WriteTransaction BeginWrite() => new(_database.BeginWrite(Timeout.InfiniteTimeSpan)!);

    /// <summary>Begins the write transaction, waiting at most so long.</summary>
    /// <param name="timeout">
    /// Zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>; more than 24 days (<see cref="int.MaxValue"/> milliseconds) is without
    /// limit.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative; nothing was begun.</exception>
    /// <exception cref="TimeoutException">The other write transaction was still open.</exception>
    /// <exception cref="InvalidOperationException">As of <see cref="BeginWrite()"/>, when there is no limit.</exception>
    public WriteTransaction BeginWrite(TimeSpan timeout)
    {
        if (!TryBeginWrite(timeout, out WriteTransaction transaction))
        {
            Transactions.Throw.WriterLockTimeout(timeout);
        }

        return transaction;
    }

    /// <summary>Begins the write transaction; false when the other one was still open after the time-out.</summary>
    /// <param name="timeout">As of <see cref="BeginWrite(TimeSpan)"/>; zero does not wait.</param>
    /// <param name="transaction">The transaction.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative; nothing was begun.</exception>
    public bool TryBeginWrite(TimeSpan timeout, out WriteTransaction transaction)
    {
        WriteLease? lease = _database.BeginWrite(OptionRules.CheckTimeout(timeout));
        transaction = lease is null ? default : new WriteTransaction(lease);
        return lease is not null;
    }

    /// <summary>
    /// Begins the write transaction when the one before it is sealed, without a thread that waits. It waits in one line with callers of
    /// <see cref="BeginWrite()"/>. Inside a write transaction, or an action of WriteAsync, it waits for
    /// that one's end like any other caller, so do not await it there.
    /// </summary>
    /// <exception cref="OperationCanceledException">It was given up before the transaction had begun.</exception>
    public ValueTask<WriteTransaction> BeginWriteAsync(CancellationToken cancellationToken = default) =>
        BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Begins the write transaction without a thread that waits, after at most so long.</summary>
    /// <param name="timeout">As of <see cref="BeginWrite(TimeSpan)"/>.</param>
    /// <param name="cancellationToken">Gives up waiting.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative; nothing was begun.</exception>
    /// <exception cref="TimeoutException">The other write transaction was still open.</exception>
    /// <exception cref="OperationCanceledException">It was given up before the transaction had begun.</exception>
    public async ValueTask<WriteTransaction> BeginWriteAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        TimeSpan limit = OptionRules.CheckTimeout(timeout);
        WriteLease? lease = await _database.BeginWriteAsync(limit, cancellationToken).ConfigureAwait(false);
        if (lease is null)
        {
            Transactions.Throw.WriterLockTimeout(timeout);
        }

        return new WriteTransaction(lease);
    }

    /// <summary>
    /// Runs an action in a write transaction that it may share with those of other callers, and commits it: the way for many callers with
    /// small writes. What is returned ends when the commit is durable, with what the action threw (then nothing of it is left, and the
    /// others commit), or with the exceptions of <see cref="WriteTransaction.Commit"/>.
    /// </summary>
    /// <remarks>
    /// The action runs on a thread that works for other callers too, in the default <see cref="ExecutionContext"/>: what the caller has in
    /// an <see cref="AsyncLocal{T}"/> (a tenant, a user, an activity) is not there. Pass it as state.
    /// </remarks>
    /// <param name="action">
    /// Changes trees; it neither commits nor disposes the transaction, awaits nothing, and keeps nothing of it. It may run on any thread,
    /// and again when a transaction could not be committed for another's sake, so it should do nothing else.
    /// </param>
    /// <param name="state">What the action is given, so that it need not capture it.</param>
    /// <param name="cancellationToken">Cancelled before the action began: it does not. Later it has no effect.</param>
    public ValueTask WriteAsync<TState>(
        Action<WriteTransaction, TState> action, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        SharedAction<TState, bool> shared = SharedAction<TState, bool>.Rent(state, cancellationToken);
        shared.Action = action;
        return new ValueTask(shared, Share(shared));
    }

    /// <summary>As the other, for an action with a result.</summary>
    public ValueTask<TResult> WriteAsync<TState, TResult>(
        Func<WriteTransaction, TState, TResult> action, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        SharedAction<TState, TResult> shared = SharedAction<TState, TResult>.Rent(state, cancellationToken);
        shared.Function = action;
        return new ValueTask<TResult>(shared, Share(shared));
    }

    /// <summary>As the other, for an action that needs no state.</summary>
    public ValueTask WriteAsync(Action<WriteTransaction> action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return WriteAsync(static (transaction, captured) => captured(transaction), action, cancellationToken);
    }

    /// <summary>Makes everything committed so far durable, in whatever mode it was committed.</summary>
    /// <exception cref="CommitOutcomeUnknownException">The journal could not be written or synced.</exception>
    public void Flush() => _database.Flush();

    /// <summary>As <see cref="Flush"/>, without a thread that waits.</summary>
    public ValueTask FlushAsync(CancellationToken cancellationToken = default) => _database.FlushAsync(cancellationToken);

    /// <summary>
    /// Brings everything committed so far to the data file and returns when it is durable there. Commits go on meanwhile.
    /// </summary>
    public void Checkpoint() => _database.Checkpoint();

    /// <summary>
    /// Checks the newest snapshot: every page sound, reachable once or free once, every tree in order. Reads the data file by position,
    /// also what was verified before. Reports damage, and pages that the device cannot read; does not throw for them.
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

    /// <summary>
    /// Sizes and counters of this moment. The first report after an open reads the space maps. While readers are open it looks at every
    /// version that is kept, and commits wait for that.
    /// </summary>
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

    private short Share<TState, TResult>(SharedAction<TState, TResult> shared)
    {
        short version = shared.Version;
        try
        {
            _database.Share(shared);
        }
        catch
        {
            shared.Withdraw();
            throw;
        }

        return version;
    }

    private static StorageEnvironment Open(
        string path, StorageOptions? options, IProgress<RecoveryProgress>? progress, CancellationToken cancellation)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        options ??= new StorageOptions();
        OptionRules.Check(options);
        IDisk disk = options.Engine.Disk ?? new NativeDisk();
        return new StorageEnvironment(Database.Open(disk, Path.GetFullPath(path), options, progress, cancellation));
    }

}
