namespace Voron.Storage;

/// <summary>What was applied to a follower.</summary>
/// <param name="TransactionId">The last transaction of the follower; the next stream goes on after it.</param>
/// <param name="DatabaseId">The database whose changes they are.</param>
/// <param name="Transactions">Transactions that were applied; those that were there already are not counted.</param>
/// <param name="IsComplete">
/// Whether the stream came to its end. If not, it was cut off: the transactions that were complete by then are applied.
/// </param>
public sealed record ApplyReport(long TransactionId, Guid DatabaseId, long Transactions, bool IsComplete);
