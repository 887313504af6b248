namespace Voron.Storage.Replication;

/// <summary>A snapshot of a replicated database.</summary>
/// <param name="Position">The entry of the log up to which it has all transactions: the log is read on from there.</param>
/// <param name="TransactionId">The last transaction that it has at least.</param>
/// <param name="State">What the node that begins from it has to know, to be kept as it is: less than 4 KiB.</param>
public sealed record ReplicaSnapshot(long Position, long TransactionId, ReadOnlyMemory<byte> State);
