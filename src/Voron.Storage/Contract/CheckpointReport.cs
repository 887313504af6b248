namespace Voron.Storage;

/// <summary>The result of one checkpoint.</summary>
/// <param name="TransactionId">The last transaction that the data file now contains.</param>
/// <param name="Duration">Its duration, including its pauses in favour of commits.</param>
/// <param name="Error">The error that made it fail, or null.</param>
public readonly record struct CheckpointReport(long TransactionId, TimeSpan Duration, Exception? Error);
