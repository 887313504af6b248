using System.IO.Pipelines;
using Voron.Storage.IO;
using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication;

/// <content>Snapshots: made by a node, and begun from by one that the log was trimmed beyond.</content>
public sealed partial class Replica
{
    private readonly SemaphoreSlim _snapshots = new(1);

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

        ReplicaSnapshot? snapshot = _options.Snapshots is not { } snapshots
            ? throw ReplicaStoppedException.Behind(state.Position, first, "and there are no snapshots: set ReplicaOptions.Snapshots")
            : SnapshotRule.Choose(await snapshots.ListAsync(_stop.Token).ConfigureAwait(false), first);
        if (snapshot is null)
        {
            throw ReplicaStoppedException.Behind(state.Position, first, "and no snapshot is as new as that");
        }

        LogState begin = LogStateBytes.TryRead(snapshot.State.Span, out _) ?? throw ReplicaStoppedException.Behind(
            state.Position, first, $"and the snapshot at position {snapshot.Position} is damaged");
        if (_door.Log is { } joined && joined != begin.Log)
        {
            throw ReplicaStoppedException.OtherLog(first, begin.Log, joined);
        }

        await RestoreAsync(snapshots, snapshot, begin).ConfigureAwait(false);
    }

    private async Task RestoreAsync(IReplicaSnapshots snapshots, ReplicaSnapshot snapshot, LogState begin)
    {
        string made = _folder + ".snapshot";
        if (Directory.Exists(made))
        {
            Directory.Delete(made, recursive: true);
        }

        await snapshots.ReadAsync(
            snapshot,
            async (reader, cancellation) => await StorageBackup.RestoreAsync(
                made, [reader], new RestoreOptions { AsFollower = true, Storage = _options.Storage }, null, cancellation)
                .ConfigureAwait(false),
            _stop.Token).ConfigureAwait(false);
        ReplicaDoor.Mark(_options.Storage.Engine.Disk ?? new NativeDisk(), made, begin.Log);
        new PositionFile(made).Write(begin);
        _door.Replace(() => Swap(made));
        _saved = _file.Read() ?? LogState.Begin;
        BeginFrom(_saved);
    }

    /// <summary>Puts the restored database in the place of the present one, which nothing can go on with.</summary>
    private void Swap(string made)
    {
        string old = _folder + ".old";
        if (Directory.Exists(old))
        {
            Directory.Delete(old, recursive: true);
        }

        Directory.Move(_folder, old);
        Directory.Move(made, _folder);
        Directory.Delete(old, recursive: true);
    }
}
