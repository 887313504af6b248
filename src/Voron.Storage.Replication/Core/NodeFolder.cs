using Voron.Storage.IO;

namespace Voron.Storage.Replication.Core;

/// <summary>The folder of a node while its database is not open, and the one that is made beside it.</summary>
internal static class NodeFolder
{
    /// <summary>Makes the database of the newest snapshot, in a folder beside the node's; returns that.</summary>
    /// <param name="folder">The folder of the node.</param>
    /// <param name="options">Settings of the node.</param>
    /// <param name="state">How far the node had read the log.</param>
    /// <param name="first">The first position that the log has.</param>
    /// <param name="joined">The log whose transactions the node has; null for a new one.</param>
    /// <param name="cancellation">Ends it.</param>
    internal static async ValueTask<string> RestoreAsync(
        string folder, ReplicaOptions options, LogState state, long first, Guid? joined, CancellationToken cancellation)
    {
        ReplicaSnapshot? snapshot = options.Snapshots is not { } snapshots
            ? throw ReplicaStoppedException.Behind(state.Position, first, "and there are no snapshots: set ReplicaOptions.Snapshots")
            : SnapshotRule.Choose(await snapshots.ListAsync(cancellation).ConfigureAwait(false), first);
        if (snapshot is null)
        {
            throw ReplicaStoppedException.Behind(state.Position, first, "and no snapshot is as new as that");
        }

        LogState begin = LogStateBytes.TryRead(snapshot.State.Span, out _) ?? throw ReplicaStoppedException.Behind(
            state.Position, first, $"and the snapshot at position {snapshot.Position} is damaged");
        if (joined is { } log && log != begin.Log)
        {
            throw ReplicaStoppedException.OtherLog(first, begin.Log, log);
        }

        string made = folder + ".snapshot";
        DeleteTree(made);
        await snapshots.ReadAsync(
            snapshot,
            async (reader, stop) => await StorageBackup.RestoreAsync(
                made, [reader], new RestoreOptions { AsFollower = true, Storage = options.Storage }, null, stop).ConfigureAwait(false),
            cancellation).ConfigureAwait(false);
        ReplicaDoor.Mark(DiskOf(options.Storage), made, begin.Log);
        new PositionFile(made).Write(begin);
        return made;
    }

    /// <summary>Puts the restored database in the place of the present one, which nothing can go on with.</summary>
    internal static void Swap(string folder, string made)
    {
        string old = folder + ".old";
        DeleteTree(old);
        Directory.Move(folder, old);
        Directory.Move(made, folder);
        DeleteTree(old);
    }

    /// <summary>
    /// Deletes the files of a node's database. The mark that names its log goes last but the lock: until then the call can be repeated, and
    /// what is left is taken for a node of that log.
    /// </summary>
    internal static void Discard(string folder)
    {
        DatabasePaths paths = new(folder);
        using (ReplicaDoor.LockFollower(new NativeDisk(), folder))
        {
            foreach (string file in (string[])[Path.Combine(folder, PositionFile.Name), paths.DataFile, paths.NewDataFile, paths.Spill])
            {
                File.Delete(file);
            }

            DeleteTree(paths.Journal);
            File.Delete(Path.Combine(folder, Reseeding.FileName));
            File.Delete(paths.Follower);
        }

        File.Delete(paths.LockFile);
    }

    internal static ReplicaPlace? ReadPlace(string folder)
    {
        if (ReplicaDoor.LogOf(new NativeDisk(), folder) is not { } log)
        {
            return null;
        }

        LogState state = new PositionFile(folder).Read() is { } saved && saved.Log == log ? saved : LogState.Begin;
        return new ReplicaPlace(log, state.Position, state.Epoch, state.TransactionId);
    }

    internal static IDisk DiskOf(StorageOptions options) => options.Engine.Disk ?? new NativeDisk();

    private static void DeleteTree(string folder)
    {
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
