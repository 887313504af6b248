using Voron.Storage.Engine;
using Voron.Storage.IO;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Transfer;

namespace Voron.Storage;

/// <summary>
/// An open database: a folder with one data file and its journals. Allows one writer at a time and any number of readers, from any
/// thread. One environment at a time can have a database open for writing; read-only ones, in any processes, may be open beside it.
/// </summary>
public sealed partial class StorageEnvironment : IDisposable, IAsyncDisposable
{
    private readonly FollowedDatabase _followed;
    private readonly MemoryDisk? _memory;

    private StorageEnvironment(FollowedDatabase followed, MemoryDisk? memory = null)
    {
        _followed = followed;
        _memory = memory;
    }

    internal FollowedDatabase Followed => _followed;

    /// <summary>The engine behind this API.</summary>
    internal Database Database => _followed.Present;

    /// <summary>The longest keys, names and values of this database.</summary>
    public StorageLimits Limits => Database.Limits;

    /// <summary>
    /// Opens the database in a folder, creating folder and database if they are missing, and recovers committed data from the journals.
    /// </summary>
    /// <exception cref="StorageLockedException">Another environment, in this or another process, has it open.</exception>
    /// <exception cref="NotADatabaseException">The folder holds a foreign file with the name of the data file.</exception>
    /// <exception cref="FormatVersionException">The database has another format version.</exception>
    /// <exception cref="StorageCorruptException">A file is damaged.</exception>
    /// <exception cref="CorruptJournalException">The journal lost an acknowledged record; nothing was changed.</exception>
    /// <exception cref="StorageIOException">The operating system refused an operation: permissions, paths, devices.</exception>
    /// <exception cref="StorageFullException">The disk has no space to create the database or its journal.</exception>
    public static StorageEnvironment Open(string path, StorageOptions? options = null) => Open(path, options, null, CancellationToken.None);

    /// <summary>
    /// Opens like <see cref="Open(string, StorageOptions?)"/>, but on a dedicated thread: for databases whose journals take a while to
    /// replay. If it fails or is cancelled, the files are unchanged.
    /// </summary>
    /// <param name="path">The folder.</param>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="progress">Receives the progress of the commit journal's replay.</param>
    /// <param name="cancellationToken">Cancels the open until the journal is replayed; after that the open completes.</param>
    /// <exception cref="OperationCanceledException">The open was cancelled.</exception>
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

    /// <summary>Creates a database that exists only in memory, with the same code and rules.</summary>
    public static StorageEnvironment OpenInMemory(StorageOptions? options = null)
    {
        options ??= new StorageOptions();
        OptionRules.Check(options);
        MemoryDisk disk = new();
        try
        {
            return new(new FollowedDatabase(Database.Open(disk, "/memory", options).MakeVolatile(), options, reopen: null), disk);
        }
        catch
        {
            disk.Dispose();
            throw;
        }
    }

    /// <summary>Begins a read transaction: a snapshot of what is committed now. It neither blocks nor is blocked.</summary>
    public ReadTransaction BeginRead() => new(_followed.BeginRead());

    /// <summary>
    /// Brings a read-only environment to the newest state that a writer, in this or another process, has made durable. Open read
    /// transactions keep their snapshots; later ones see the new state. Returns whether it is newer than the one before; always false for
    /// an environment that writes.
    /// </summary>
    /// <exception cref="StorageException">What a read-only open throws; the environment keeps the state that it has.</exception>
    public bool Refresh() => _followed.Refresh();

    /// <summary>
    /// Begins the write transaction, waiting until the previous one is sealed. There is one at a time: inside a write transaction, pass
    /// that one on instead.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The call is inside an action of WriteAsync, which already has a transaction. Or this thread began the open transaction, and nothing
    /// used it while this thread waited for one second (ten seconds on a thread-pool thread), so the wait would never end. Transactions
    /// are not bound to threads: the call waits for a transaction that another thread or task uses.
    /// </exception>
    public WriteTransaction BeginWrite() => new(Database.BeginWrite(Timeout.InfiniteTimeSpan)!);

    /// <summary>Begins the write transaction, waiting up to <paramref name="timeout"/> for the previous one.</summary>
    /// <param name="timeout">
    /// Zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>. More than 24 days (<see cref="int.MaxValue"/> milliseconds) means no limit.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative; no transaction was begun.</exception>
    /// <exception cref="TimeoutException">Another write transaction was still open after the time-out.</exception>
    /// <exception cref="InvalidOperationException">As for <see cref="BeginWrite()"/>, if there is no limit.</exception>
    public WriteTransaction BeginWrite(TimeSpan timeout)
    {
        if (!TryBeginWrite(timeout, out WriteTransaction transaction))
        {
            Transactions.Throw.WriterLockTimeout(timeout);
        }

        return transaction;
    }

    /// <summary>Begins the write transaction; returns false if another one was still open after the time-out.</summary>
    /// <param name="timeout">As for <see cref="BeginWrite(TimeSpan)"/>; zero does not wait.</param>
    /// <param name="transaction">The transaction; default if the result is false.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative; no transaction was begun.</exception>
    public bool TryBeginWrite(TimeSpan timeout, out WriteTransaction transaction)
    {
        WriteHandle? lease = Database.BeginWrite(OptionRules.CheckTimeout(timeout));
        transaction = lease is null ? default : new WriteTransaction(lease);
        return lease is not null;
    }

    /// <summary>
    /// Begins the write transaction without blocking a thread, when the previous one is sealed. It shares one queue with callers of
    /// <see cref="BeginWrite()"/>. Do not await it inside a write transaction or an action of WriteAsync: it waits for that transaction to
    /// end, like any other caller.
    /// </summary>
    /// <exception cref="OperationCanceledException">The wait was cancelled; no transaction was begun.</exception>
    public ValueTask<WriteTransaction> BeginWriteAsync(CancellationToken cancellationToken = default) =>
        BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>Begins the write transaction without blocking a thread, waiting up to <paramref name="timeout"/>.</summary>
    /// <param name="timeout">As for <see cref="BeginWrite(TimeSpan)"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative; no transaction was begun.</exception>
    /// <exception cref="TimeoutException">Another write transaction was still open after the time-out.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; no transaction was begun.</exception>
    public async ValueTask<WriteTransaction> BeginWriteAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        TimeSpan limit = OptionRules.CheckTimeout(timeout);
        WriteHandle? lease = await Database.BeginWriteAsync(limit, cancellationToken).ConfigureAwait(false);
        if (lease is null)
        {
            Transactions.Throw.WriterLockTimeout(timeout);
        }

        return new WriteTransaction(lease);
    }

    /// <summary>
    /// Runs an action in a write transaction that it may share with other callers' actions, and commits it: made for many callers with
    /// small writes. The returned task completes when the commit is durable. It fails with the action's exception (the action's changes are
    /// rolled back, and the other actions commit) or with the exceptions of <see cref="WriteTransaction.Commit"/>.
    /// </summary>
    /// <remarks>
    /// The action runs on a thread that serves other callers too, in the default <see cref="ExecutionContext"/>: the caller's
    /// <see cref="AsyncLocal{T}"/> values (a tenant, a user, an activity) are not available. Pass them as state.
    /// </remarks>
    /// <param name="action">
    /// Changes trees. It must not commit or dispose the transaction, await, or keep references to it. It may run on any thread, and run
    /// again if the shared transaction failed because of another action, so it should have no other effects.
    /// </param>
    /// <param name="state">Passed to the action, which so needs no closure.</param>
    /// <param name="cancellationToken">Prevents the action from running if cancelled before it starts; has no effect later.</param>
    public ValueTask WriteAsync<TState>(
        Action<WriteTransaction, TState> action, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        SharedAction<TState, bool> shared = SharedAction<TState, bool>.Rent(state, cancellationToken);
        shared.Action = action;
        return new ValueTask(shared, Share(shared));
    }

    /// <summary>
    /// Like <see cref="WriteAsync{TState}(Action{WriteTransaction, TState}, TState, CancellationToken)"/>, for an action with a result.
    /// </summary>
    public ValueTask<TResult> WriteAsync<TState, TResult>(
        Func<WriteTransaction, TState, TResult> action, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        SharedAction<TState, TResult> shared = SharedAction<TState, TResult>.Rent(state, cancellationToken);
        shared.Function = action;
        return new ValueTask<TResult>(shared, Share(shared));
    }

    /// <summary>
    /// Like <see cref="WriteAsync{TState}(Action{WriteTransaction, TState}, TState, CancellationToken)"/>, for an action without state.
    /// </summary>
    public ValueTask WriteAsync(Action<WriteTransaction> action, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(action);
        return WriteAsync(static (transaction, captured) => captured(transaction), action, cancellationToken);
    }

    /// <summary>Makes everything committed so far durable, whatever its commit mode.</summary>
    /// <exception cref="CommitOutcomeUnknownException">The journal could not be written or synced.</exception>
    public void Flush() => Database.Flush();

    /// <summary>Like <see cref="Flush"/>, without blocking a thread.</summary>
    public ValueTask FlushAsync(CancellationToken cancellationToken = default) => Database.FlushAsync(cancellationToken);

    /// <summary>
    /// Writes everything committed so far to the data file and returns when it is durable there. Commits continue meanwhile.
    /// </summary>
    public void Checkpoint() => Database.Checkpoint();

    /// <summary>
    /// Checks the newest snapshot: every page is sound and either reachable once or free once, and every tree is in order. Reads the data
    /// file by position, including pages verified earlier. Damaged and unreadable pages are reported as findings, not thrown.
    /// </summary>
    public CheckReport Check(IProgress<double>? progress = null, CancellationToken cancellationToken = default) =>
        Database.Check(progress, cancellationToken);

    /// <summary>
    /// Checks like <see cref="Check(IProgress{double}?, CancellationToken)"/> and scrubs: reads every page in use from the file, bypassing
    /// the map and including pages verified earlier, and searches for writes that the device lost. Meant for a background job: its duration
    /// follows from the rate.
    /// </summary>
    /// <param name="bytesPerSecond">Maximum number of bytes to read from the data file per second.</param>
    /// <param name="progress">Receives the fraction of the data file read so far, from 0 to 1.</param>
    /// <param name="cancellationToken">Cancels the check.</param>
    public CheckReport Check(long bytesPerSecond, IProgress<double>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytesPerSecond);
        return Database.Scrub(bytesPerSecond, progress, cancellationToken);
    }

    /// <summary>
    /// Copies what is committed now into a new database, beside other readers and writers: with full pages, without free ones, and with
    /// another page size if the options name one. The copy is a reader: until it is done, it keeps the pages of its snapshot.
    /// </summary>
    /// <param name="path">
    /// The folder of the copy: new, or (not on Windows) empty. Until the copy is complete it is made in a folder with <c>.copying</c> after
    /// this name; what a killed copy left there is removed by the next one.
    /// </param>
    /// <param name="options">Settings while the copy is filled; null for the defaults, with the page size of this database.</param>
    /// <param name="progress">Receives the part of the entries that is copied, from 0 to 1, every few MiB.</param>
    /// <param name="cancellationToken">Ends the copy; its files are removed.</param>
    /// <exception cref="ArgumentException">There are files in the folder, or the options are for reading only.</exception>
    /// <exception cref="KeyTooLongException">A key is too long for the smaller pages of the copy; its files are removed.</exception>
    /// <exception cref="StorageLockedException">Another copy to this folder is being made.</exception>
    /// <exception cref="StorageFullException">The disk has no space for the copy.</exception>
    /// <exception cref="StorageCorruptException">A page is damaged; <see cref="StorageSalvage"/> copies what is readable.</exception>
    /// <exception cref="OperationCanceledException">The copy was cancelled.</exception>
    public ValueTask<CopyReport> CopyToAsync(
        string path,
        StorageOptions? options = null,
        IProgress<double>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        options ??= new StorageOptions();
        OptionRules.Check(options);
        if (options.ReadOnly)
        {
            throw new ArgumentException("A copy is written: leave StorageOptions.ReadOnly false.", nameof(options));
        }

        string folder = Path.GetFullPath(path);
        ReaderSlot slot = _followed.BeginRead();
        return EngineThread.RunAside(() => DatabaseCopy.Run(slot, folder, options, progress, cancellationToken), ThreadRank.StepsBack);
    }

    /// <summary>
    /// Returns the present sizes and counters. The first report after an open reads the space maps. While readers are open, a report visits
    /// every retained page version, and commits wait for that.
    /// </summary>
    /// <exception cref="StorageCorruptException">A space map is damaged, so the free space is unknown; reads still work.</exception>
    public EnvironmentReport GetReport() => Database.GetReport();

    /// <summary>
    /// Refuses new transactions, waits for open ones, writes everything to the data file and closes. Does nothing if called again.
    /// </summary>
    /// <exception cref="StorageBusyException">Transactions were still open after <see cref="StorageOptions.DisposeTimeout"/>; nothing was
    /// closed.</exception>
    public void Dispose()
    {
        _followed.Dispose();
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
            Database.Share(shared);
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
        string folder = Path.GetFullPath(path);
        Database opened = Database.Open(disk, folder, options, progress, cancellation);
        return new StorageEnvironment(new FollowedDatabase(opened, options, () => Database.Open(disk, folder, options)));
    }
}
