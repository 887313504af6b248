namespace Voron.Storage.Replication;

/// <summary>How a node is, at one moment.</summary>
/// <param name="Role">What it does.</param>
/// <param name="Leader">The node that led at last; null if none is known.</param>
/// <param name="LeaderAddress">Its address.</param>
/// <param name="Epoch">How often a node has begun to lead.</param>
/// <param name="TransactionId">The last transaction that reads here see.</param>
/// <param name="Position">The last entry of the log that was read.</param>
/// <param name="LogEnd">The last entry that the log was known to have.</param>
/// <param name="SinceEnd">How long ago the node had read all that the log was asked for; zero or more.</param>
/// <param name="Voids">Entries that counted for nothing since the node was opened.</param>
/// <param name="LogTrouble">
/// Why the log did not answer the last time, or the database had no room for what it said; null if all is well.
/// </param>
/// <param name="Failure">Why the node has stopped; null if it goes on.</param>
public sealed record ReplicaStatus(
    ReplicaRole Role,
    string? Leader,
    string? LeaderAddress,
    long Epoch,
    long TransactionId,
    long Position,
    long LogEnd,
    TimeSpan SinceEnd,
    long Voids,
    Exception? LogTrouble,
    ReplicaStoppedException? Failure)
{
    /// <summary>Entries that the node has not read yet, as far as it knows.</summary>
    public long Lag => Math.Max(0, LogEnd - Position);
}
