namespace Voron.Storage;

/// <summary>What was restored.</summary>
/// <param name="TransactionId">The last transaction that the database contains.</param>
/// <param name="DatabaseId">The database whose history it is: the source of the backup.</param>
/// <param name="Transactions">Transactions that were applied, the full backup counted as one.</param>
/// <param name="FileBytes">Length of the new data file in bytes.</param>
public sealed record RestoreReport(long TransactionId, Guid DatabaseId, long Transactions, long FileBytes);
