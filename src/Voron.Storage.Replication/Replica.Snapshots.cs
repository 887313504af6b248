using System.IO.Pipelines;
using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication;

/// <content>Snapshots: made by a node, and begun from by one that the log was trimmed beyond.</content>
public sealed partial class Replica
{
    private readonly SemaphoreSlim _snapshots = new(1);

    /// <summary>
    /// Begins a new log with the database of a stopped node, after the log that it followed was lost, or with one that no log has had yet.
    /// The node follows the new log then, and its snapshot is where other nodes begin; those that have a database must
    /// <see cref="Discard"/> it. Whatever the node does not have is lost: take the one with the highest transaction. Open no node on the
    /// new log before the call has returned. A call that failed is repeated with the same log and place of snapshots.
    /// </summary>
    /// <param name="folder">The folder of the database.</param>
    /// <param name="log">A log without entries, which stays open.</param>
    /// <param name="options">Settings of the node, with a place for snapshots that has none of another log.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <returns>The snapshot.</returns>
    /// <exception cref="LogConflictException">The log has entries of other origin; nothing was changed.</exception>
    /// <exception cref="InvalidOperationException">
    /// There is no database, or no place for snapshots, or it has snapshots of another log; nothing was changed.
    /// </exception>
    /// <exception cref="LogUnavailableException">The log, or the place of snapshots, does not answer.</exception>
    /// <exception cref="StorageException">What <see cref="StorageEnvironment.Open(string, StorageOptions)"/> throws.</exception>
    public static async ValueTask<ReplicaSnapshot> ReseedAsync(
        string folder, IReplicatedLog log, ReplicaOptions options, CancellationToken cancellation = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        ArgumentNullException.ThrowIfNull(log);
        ArgumentNullException.ThrowIfNull(options);
        options.Check();
        return await Reseeding.RunAsync(Path.GetFullPath(folder), log, options, cancellation).ConfigureAwait(false);
    }

    /// <summary>
    /// Deletes the database of a stopped node, so that the node begins anew: from a snapshot, or from the log's beginning. Other files of
    /// the folder stay. A call that failed can be repeated.
    /// </summary>
    /// <param name="folder">The folder of the database, which need not be sound.</param>
    /// <exception cref="InvalidOperationException">The database follows no log: it may be the only one with its transactions.</exception>
    /// <exception cref="StorageException">There is none, it is open, or the file that names its log is damaged.</exception>
    public static void Discard(string folder)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        NodeFolder.Discard(Path.GetFullPath(folder));
    }

    /// <summary>Which log the database of a node follows, and where it is in it; null if it follows none. The node may be open.</summary>
    /// <param name="folder">The folder of the database.</param>
    public static ReplicaPlace? ReadPlace(string folder)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        return NodeFolder.ReadPlace(Path.GetFullPath(folder));
    }

    /// <summary>
    /// Writes a snapshot of the database, keeps the last two and trims the log to the older one. Any node may do it, beside readers and
    /// writers; only one should at a time.
    /// </summary>
    /// <param name="cancellation">Ends it.</param>
    /// <exception cref="InvalidOperationException">There are no <see cref="ReplicaOptions.Snapshots"/>.</exception>
    /// <exception cref="LogUnavailableException">The log was not trimmed; the snapshot is there.</exception>
    /// <exception cref="ReplicaStoppedException">The node has stopped.</exception>
    public async ValueTask<ReplicaSnapshot> SnapshotAsync(CancellationToken cancellation = default)
    {
        IReplicaSnapshots snapshots = _options.Snapshots ?? throw new InvalidOperationException(
            "There is no place for snapshots. Set ReplicaOptions.Snapshots.");
        await _snapshots.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            LogState safe = _core.Safe;
            if (safe.Position == 0)
            {
                throw new InvalidOperationException("This node has read nothing of the log yet.");
            }

            // A leader reads its commits back before readers see them.
            await WaitForAsync(safe.TransactionId, cancellation).ConfigureAwait(false);
            ReplicaSnapshot snapshot = new(safe.Position, safe.TransactionId, LogStateBytes.Write(safe, 1));
            await snapshots.WriteAsync(snapshot, WriteAsync, cancellation).ConfigureAwait(false);
            await _watch.TrimAsync(snapshots, cancellation).ConfigureAwait(false);
            return snapshot;
        }
        finally
        {
            _snapshots.Release();
        }
    }

    private async ValueTask WriteAsync(PipeWriter writer, CancellationToken cancellation) =>
        await Environment.BackupAsync(writer, null, null, cancellation).ConfigureAwait(false);

    /// <summary>Begins anew from the newest snapshot: the log does not have what this node needs.</summary>
    private async Task BeginAnewAsync(long first)
    {
        LogState state = _core.State;
        if (first <= state.Position + 1)
        {
            return;
        }

        string made = await NodeFolder.RestoreAsync(_folder, _options, state, first, _door.Log, _stop.Token).ConfigureAwait(false);
        _door.Replace(() => NodeFolder.Swap(_folder, made));
        _saved = _file.Read() ?? LogState.Begin;
        BeginFrom(_saved);
    }
}
