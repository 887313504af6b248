using System.IO.Pipelines;

namespace Voron.Storage.Replication;

/// <summary>Where the nodes of a database keep snapshots of it. A node that the log was trimmed beyond begins anew from one.</summary>
public interface IReplicaSnapshots
{
    /// <summary>All snapshots that are whole, the newest first.</summary>
    /// <param name="cancellation">Ends the wait.</param>
    ValueTask<IReadOnlyList<ReplicaSnapshot>> ListAsync(CancellationToken cancellation);

    /// <summary>Writes a snapshot. It is listed only when all of it is stored for good.</summary>
    /// <param name="snapshot">What it is.</param>
    /// <param name="write">Writes its content, and does not complete the pipe.</param>
    /// <param name="cancellation">Ends it; nothing is listed then.</param>
    ValueTask WriteAsync(ReplicaSnapshot snapshot, Func<PipeWriter, CancellationToken, ValueTask> write, CancellationToken cancellation);

    /// <summary>Reads the content of a snapshot.</summary>
    /// <param name="snapshot">One of the list.</param>
    /// <param name="read">Reads from the pipe, and does not complete it.</param>
    /// <param name="cancellation">Ends it.</param>
    ValueTask ReadAsync(ReplicaSnapshot snapshot, Func<PipeReader, CancellationToken, ValueTask> read, CancellationToken cancellation);

    /// <summary>Removes a snapshot; does nothing if it is not there.</summary>
    /// <param name="snapshot">One of the list.</param>
    /// <param name="cancellation">Ends the wait.</param>
    ValueTask DeleteAsync(ReplicaSnapshot snapshot, CancellationToken cancellation);
}
