namespace Voron.Storage;

/// <summary>What a stream of a backup or of changes holds.</summary>
/// <param name="TransactionId">The last transaction that it contains.</param>
/// <param name="DatabaseId">The database whose history it is.</param>
/// <param name="IsFull">True for all of the data, false for the changes after a transaction.</param>
/// <param name="Transactions">Transactions; 1 in a full backup.</param>
/// <param name="Pages">Pages that the database used when a full backup began; 0 for changes.</param>
/// <param name="Bytes">Length of the stream in bytes.</param>
public sealed record BackupReport(long TransactionId, Guid DatabaseId, bool IsFull, long Transactions, long Pages, long Bytes);
