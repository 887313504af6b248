using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication;

/// <summary>
/// A node of a replicated database: it follows the log, and leads when no other node does. All nodes have the same transactions under the
/// same numbers; the one that leads takes write transactions, and a commit of it returns when the log has it for good.
/// </summary>
public sealed partial class Replica : IAsyncDisposable
{
    private readonly IReplicatedLog _log;
    private readonly ReplicaOptions _options;
    private readonly TimeProvider _time;
    private readonly string _folder;
    private readonly string _name;
    private readonly CancellationTokenSource _stop = new();
    private readonly Pulse _read = new();
    private readonly PositionFile _file;
    private readonly ReplicaDoor _door;
    private readonly EngineStore _store;
    private readonly Publisher _publisher;
    private readonly Barriers _barriers;
    private readonly SnapshotWatch _watch;
    private volatile ReplicaCore _core;
    private volatile LogState _saved;
    private volatile ReplicaStoppedException? _failure;
    private Task _running = Task.CompletedTask;
    private int _role = (int)ReplicaRole.Follower;
    private int _isDisposed;

    private Replica(string folder, StorageEnvironment environment, IReplicatedLog log, ReplicaOptions options)
    {
        _folder = folder;
        _log = log;
        _options = options;
        _time = options.Storage.TimeProvider;
        _name = options.NodeName ?? System.Environment.MachineName;
        Environment = environment;
        _door = new ReplicaDoor(environment, Refuse);
        _store = new EngineStore(_door);
        _file = new PositionFile(folder);
        _saved = _file.Read() ?? LogState.Begin;
        _core = MakeCore(_saved);
        _publisher = new Publisher(log, () => _core, _read, _time, _stop.Token);
        _barriers = new Barriers(log, () => _core, _publisher, _time);
        _watch = new SnapshotWatch(this, log, options, () => _core.Safe, error => _trouble ??= error);
        _quietSince = _time.GetTimestamp();
        _endAt = _quietSince;
    }

    /// <summary>
    /// The database: read transactions on any node, write transactions on the one that leads; others throw
    /// <see cref="NotLeaderException"/>.
    /// The object stays the same while the node changes its role. Do not dispose it: the replica does.
    /// </summary>
    public StorageEnvironment Environment { get; }

    /// <summary>What the node does now.</summary>
    public ReplicaRole Role => (ReplicaRole)Volatile.Read(ref _role);

    /// <summary>How the node is.</summary>
    public ReplicaStatus Status
    {
        get
        {
            ReplicaCore core = _core;
            LogState state = core.State;
            TimeSpan sinceEnd = _time.GetElapsedTime(Volatile.Read(ref _endAt));
            return new ReplicaStatus(
                Role, state.Leader, state.LeaderAddress, state.Epoch, _door.VisibleTransaction, state.Position,
                Math.Max(state.Position, Volatile.Read(ref _logEnd)), sinceEnd, _voids + core.Voids, _trouble, _failure);
        }
    }

    /// <summary>
    /// Opens the database in a folder, which is created if it is missing, and follows the log. The node serves reads at once; how far it
    /// is, <see cref="Status"/> and <see cref="WaitForAsync"/> say.
    /// </summary>
    /// <param name="folder">The folder of this node's database.</param>
    /// <param name="log">The log, which the replica disposes.</param>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="cancellation">Cancels the open.</param>
    /// <exception cref="InvalidOperationException">The database has transactions of its own, which no log has.</exception>
    /// <exception cref="StorageException">What <see cref="StorageEnvironment.Open(string, StorageOptions)"/> throws.</exception>
    public static async ValueTask<Replica> OpenAsync(
        string folder, IReplicatedLog log, ReplicaOptions? options = null, CancellationToken cancellation = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        ArgumentNullException.ThrowIfNull(log);
        options ??= new ReplicaOptions();
        options.Check();
        folder = Path.GetFullPath(folder);
        StorageOptions settings = ReplicaDoor.SettingsOf(options.Storage, FragmentBytes);
        StorageEnvironment environment = await StorageEnvironment.OpenAsync(folder, settings, null, cancellation).ConfigureAwait(false);
        Replica replica = new(folder, environment, log, options);
        try
        {
            replica._door.ThrowIfAlone();
        }
        catch
        {
            environment.Dispose();
            throw;
        }

        replica.Start();
        return replica;
    }

    /// <summary>
    /// Returns when this node shows a transaction: with the number of a write on another node, reads that begin later see that write.
    /// </summary>
    /// <param name="transactionId">From <see cref="WriteTransaction.TransactionId"/> on the leader.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="ReplicaStoppedException">The node has stopped before it.</exception>
    public async ValueTask WaitForAsync(long transactionId, CancellationToken cancellation = default)
    {
        while (true)
        {
            Task next = _read.Next;
            if (_door.VisibleTransaction >= transactionId)
            {
                return;
            }

            ThrowIfStopped();
            cancellation.ThrowIfCancellationRequested();
            await Pulse.WaitAsync(next, WaitPiece, _time).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Returns when this node shows all that was acknowledged, by any node, before the call: reads that begin later are linearizable. Costs
    /// one entry of the log for all callers that wait at a time, and works on every node.
    /// </summary>
    /// <param name="cancellation">Ends the wait, for example while the log does not answer.</param>
    /// <exception cref="ReplicaStoppedException">The node has stopped.</exception>
    public ValueTask ReadBarrierAsync(CancellationToken cancellation = default) => new(_barriers.WaitAsync(cancellation));

    /// <summary>
    /// Ends leading: open write transactions are waited for up to the commit time-out, and other nodes may lead. A follower does nothing.
    /// </summary>
    public ValueTask StepDownAsync() => new(Task.Run(StepDown));

    /// <summary>Stops the node and closes the database. The other nodes go on.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        await Task.Run(StepDown).ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        await _following.CancelAsync().ConfigureAwait(false);
        _core.StepDown(new ObjectDisposedException(nameof(Replica)));
        await _running.ConfigureAwait(false);
        SetRole(ReplicaRole.Stopped);
        _read.Beat();
        _barriers.Fail(new ObjectDisposedException(nameof(Replica)));
        try
        {
            _door.AbortApplied();
            await TrySaveAsync(CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            Environment.Dispose();
            _publisher.Dispose();
            await _log.DisposeAsync().ConfigureAwait(false);
        }
    }

    private void Refuse()
    {
        ThrowIfStopped();
        LogState state = _core.State;
        throw new NotLeaderException(state.Leader, state.LeaderAddress);
    }

    private void ThrowIfStopped()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0, this);
        if (_failure is { } failure)
        {
            throw new ReplicaStoppedException(failure.Fault, failure.Message, failure);
        }
    }

    private void SetRole(ReplicaRole role)
    {
        if (Interlocked.Exchange(ref _role, (int)role) != (int)role)
        {
            _options.OnRoleChanged?.Invoke(role);
        }
    }
}
