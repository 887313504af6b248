namespace Voron.Storage;

/// <summary>One checkpoint.</summary>
/// <param name="TransactionId">The transaction that the data file holds now.</param>
/// <param name="Duration">How long it took, its pauses for the sake of commits included.</param>
/// <param name="Error">Why it failed; null when it did not.</param>
public readonly record struct CheckpointReport(long TransactionId, TimeSpan Duration, Exception? Error);
