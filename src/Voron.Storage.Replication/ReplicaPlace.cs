namespace Voron.Storage.Replication;

/// <summary>Where the database of a node is in its log, as it was saved last.</summary>
/// <param name="Log">The id of the log.</param>
/// <param name="Position">The last entry that was read; 0 if that is not known, and the log is read from its beginning.</param>
/// <param name="Epoch">How often a node had begun to lead by then.</param>
/// <param name="TransactionId">The last transaction that is whole in the entries up to there.</param>
public sealed record ReplicaPlace(Guid Log, long Position, long Epoch, long TransactionId);
