namespace Voron.Storage.Format;

/// <summary>Says since when entries of a range of keys may be pending.</summary>
/// <param name="Since">No entry from an older transaction is pending.</param>
/// <param name="From">First key of the range, which ends at that of the next step.</param>
internal readonly record struct PendingStep(TransactionId Since, byte[] From);
