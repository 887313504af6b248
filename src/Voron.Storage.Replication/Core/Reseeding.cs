using Voron.Storage.IO;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// Begins a new log with a database that exists. Its first entry that counts is an epoch that names the last transaction of the database,
/// and its second one a sign of life; the snapshot has both behind it, and the first one is trimmed.
/// <list type="number">
/// <item>What the log is begun with (its id and the nonce of the writer) is durable in the folder before the first entry is appended. A
/// call that finds it there goes on with a log that has entries of that writer, and of no other.</item>
/// <item>The database stays as it was until the snapshot is stored. Then it is marked as one that follows the new log, and then its place
/// is saved: in between, a node reads the log from its beginning, which is right too.</item>
/// <item>The database is open, so locked, all the time.</item>
/// </list>
/// </summary>
internal sealed class Reseeding
{
    internal const string FileName = "replica.reseed";

    private readonly string _folder;
    private readonly IReplicatedLog _log;
    private readonly IReplicaSnapshots _snapshots;
    private readonly ReplicaOptions _options;
    private readonly StorageEnvironment _environment;
    private readonly ReplicaDoor _door;
    private readonly PositionFile _position;
    private readonly PositionFile _begun;

    private Reseeding(
        string folder, IReplicatedLog log, IReplicaSnapshots snapshots, ReplicaOptions options, StorageEnvironment environment)
    {
        _folder = folder;
        _log = log;
        _snapshots = snapshots;
        _options = options;
        _environment = environment;
        _door = new ReplicaDoor(environment, static () => throw new InvalidOperationException("A log is begun with the database."));
        _position = new PositionFile(folder);
        _begun = new PositionFile(folder, FileName);
    }

    private long Now => _options.Storage.TimeProvider.GetUtcNow().UtcTicks;

    internal static async ValueTask<ReplicaSnapshot> RunAsync(
        string folder, IReplicatedLog log, ReplicaOptions options, CancellationToken cancellation)
    {
        IReplicaSnapshots snapshots = options.Snapshots ?? throw new InvalidOperationException(
            "The other nodes begin from a snapshot, and there is no place for it. Set ReplicaOptions.Snapshots.");
        if (!File.Exists(new DatabasePaths(folder).DataFile))
        {
            throw new InvalidOperationException($"There is no database in '{folder}' that a log could begin with.");
        }

        StorageOptions settings = ReplicaDoor.SettingsOf(options.Storage, Replica.FragmentBytes);
        using StorageEnvironment environment = await StorageEnvironment.OpenAsync(folder, settings, null, cancellation)
            .ConfigureAwait(false);
        return await new Reseeding(folder, log, snapshots, options, environment).RunAsync(cancellation).ConfigureAwait(false);
    }

    private async ValueTask<ReplicaSnapshot> RunAsync(CancellationToken cancellation)
    {
        LogState? begun = _begun.Read();
        LogBounds bounds = await _log.GetBoundsAsync(cancellation).ConfigureAwait(false);
        if (begun is null && bounds.Last > 0)
        {
            throw NotEmpty(bounds.Last);
        }

        LogState begin = begun ?? LogState.Begin with { Log = Guid.NewGuid(), Writer = Guid.NewGuid() };
        await CheckPlaceAsync(begin.Log, cancellation).ConfigureAwait(false);
        await _door.FlushAsync(cancellation).ConfigureAwait(false);
        if (begun is null)
        {
            _begun.Write(begin);
        }

        LogState state = await AppendAsync(begin, bounds, cancellation).ConfigureAwait(false);
        ReplicaSnapshot snapshot = new(state.Position, state.TransactionId, LogStateBytes.Write(state, 1));
        await _snapshots.WriteAsync(
            snapshot,
            async (writer, stop) => await _environment.BackupAsync(writer, null, null, stop).ConfigureAwait(false),
            cancellation).ConfigureAwait(false);
        ReplicaDoor.Mark(NodeFolder.DiskOf(_options.Storage), _folder, state.Log);
        _position.Write(state);
        await _log.TrimAsync(state.Position, cancellation).ConfigureAwait(false);
        File.Delete(Path.Combine(_folder, FileName));
        return snapshot;
    }

    /// <summary>A node that begins anew takes the snapshot of the highest position: none may be of another log.</summary>
    private async ValueTask CheckPlaceAsync(Guid log, CancellationToken cancellation)
    {
        foreach (ReplicaSnapshot one in await _snapshots.ListAsync(cancellation).ConfigureAwait(false))
        {
            if (LogStateBytes.TryRead(one.State.Span, out _)?.Log != log)
            {
                throw new InvalidOperationException(
                    $"The place of snapshots has one of another log, at position {one.Position}, from which nodes would begin. Give the "
                    + "new log a place of its own.");
            }
        }
    }

    /// <summary>Appends the two entries, or what an earlier call did not; returns the state behind them, as it was read back.</summary>
    private async ValueTask<LogState> AppendAsync(LogState begin, LogBounds bounds, CancellationToken cancellation)
    {
        LogState? saved = _position.Read();
        LogRule rule = new(saved is not null && saved.Log == begin.Log && saved.Writer == begin.Writer ? saved : LogState.Begin);
        if (bounds.First > rule.State.Position + 1)
        {
            throw NotEmpty(bounds.Last);
        }

        await ReadAsync(rule, bounds.Last, begin, cancellation).ConfigureAwait(false);
        while (rule.State.Number < 2)
        {
            byte[] entry = rule.State.Number == 0
                ? EntryHead.Make(EntryKind.Epoch, EntryFlags.None, 1, 1, Claim(begin).ToBytes())
                : EntryHead.Make(EntryKind.Heartbeat, EntryFlags.None, 1, 2, BitConverter.GetBytes(Now));
            long position = await _log.AppendAsync(entry, rule.State.Position, cancellation).ConfigureAwait(false);
            await ReadAsync(rule, position, begin, cancellation).ConfigureAwait(false);
        }

        return rule.State with { TransactionId = _door.LastTransaction };
    }

    private EpochClaim Claim(LogState begin) => new(
        begin.Log, begin.Writer, _door.LastTransaction, Now, _options.NodeName ?? Environment.MachineName, _options.Address);

    /// <summary>Reads up to a position. What counts must be of this writer.</summary>
    private async ValueTask ReadAsync(LogRule rule, long last, LogState begin, CancellationToken cancellation)
    {
        if (rule.State.Position >= last)
        {
            return;
        }

        await foreach (LogEntry entry in _log.ReadAsync(rule.State.Position + 1, cancellation).ConfigureAwait(false))
        {
            EntryHead head = EntryHead.Read(entry.Position, entry.Bytes.Span);
            rule.Take(entry.Position, head, entry.Bytes.Span[EntryHead.SizeBytes..], out _);
            if (rule.State.Epoch > 0 && (rule.State.Writer != begin.Writer || rule.State.Log != begin.Log))
            {
                throw NotEmpty(entry.Position);
            }

            if (entry.Position >= last)
            {
                return;
            }
        }
    }

    private static LogConflictException NotEmpty(long last) => new(
        $"The log is not empty: it has entries of other origin up to position {last}. Give the database a log of its own, such as another "
        + "stream.");
}
