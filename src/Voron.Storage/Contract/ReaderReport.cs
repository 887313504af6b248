namespace Voron.Storage;

/// <summary>What one open read transaction costs.</summary>
/// <param name="TransactionId">The transaction whose snapshot it reads.</param>
/// <param name="Age">How long it has been open.</param>
/// <param name="RetainedBytes">
/// Bytes of pages that were replaced or freed since and that are kept because it, or another, sees them.
/// </param>
public readonly record struct ReaderReport(long TransactionId, TimeSpan Age, long RetainedBytes);
