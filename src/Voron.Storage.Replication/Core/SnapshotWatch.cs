namespace Voron.Storage.Replication.Core;

/// <summary>
/// Writes snapshots while its node leads. A job of the application may write some too, or another node may have before: so the list says
/// what the last one is. How long the log is since then is estimated by the entries that were read since the node was opened.
/// </summary>
internal sealed class SnapshotWatch(Replica node, IReplicatedLog log, ReplicaOptions options, Func<LogState> safe, Action<Exception> failed)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Retry = TimeSpan.FromSeconds(30);

    private long _entries;
    private long _bytes;

    /// <summary>An entry was read.</summary>
    internal void Read(int bytes)
    {
        Interlocked.Increment(ref _entries);
        Interlocked.Add(ref _bytes, bytes);
    }

    internal async Task RunAsync(CancellationToken stop)
    {
        while (options.Snapshots is { } snapshots && !stop.IsCancellationRequested && node.Role != ReplicaRole.Stopped)
        {
            TimeSpan rest = Pause;
            try
            {
                if (node.Role == ReplicaRole.Leader && IsDue(0) && IsDue(await LastAsync(snapshots, stop).ConfigureAwait(false)))
                {
                    await node.SnapshotAsync(stop).ConfigureAwait(false);
                }
            }
            catch (Exception error)
            {
                // The log keeps its entries, and a full one refuses more: what is wrong shows in the status.
                failed(error);
                rest = Retry;
            }

            await Task.Delay(rest, options.Storage.TimeProvider, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Trims the log to the older snapshot that stays: what comes behind a snapshot is needed to begin from it.</summary>
    internal async ValueTask TrimAsync(IReplicaSnapshots snapshots, CancellationToken cancellation)
    {
        IReadOnlyList<ReplicaSnapshot> all = await snapshots.ListAsync(cancellation).ConfigureAwait(false);
        foreach (ReplicaSnapshot old in all.Skip(SnapshotRule.Kept))
        {
            await snapshots.DeleteAsync(old, cancellation).ConfigureAwait(false);
        }

        if (SnapshotRule.TrimBelow(all) is var below and > 0)
        {
            await log.TrimAsync(below, cancellation).ConfigureAwait(false);
        }
    }

    /// <summary>The position of the newest snapshot, or of the entry before the log's first one.</summary>
    private async ValueTask<long> LastAsync(IReplicaSnapshots snapshots, CancellationToken stop)
    {
        IReadOnlyList<ReplicaSnapshot> all = await snapshots.ListAsync(stop).ConfigureAwait(false);
        return all is [{ } newest, ..] ? newest.Position : (await log.GetBoundsAsync(stop).ConfigureAwait(false)).First - 1;
    }

    private bool IsDue(long last)
    {
        double average = (double)Interlocked.Read(ref _bytes) / Math.Max(1, Interlocked.Read(ref _entries));
        return SnapshotRule.IsDue(
            (long)(average * (safe().Position - last)), node.Environment.GetReport().DataFileBytes, options.SnapshotEvery);
    }
}
