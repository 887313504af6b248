namespace Voron.Storage;

/// <summary>The cost of one open read transaction.</summary>
/// <param name="TransactionId">The transaction whose snapshot it reads.</param>
/// <param name="Age">How long it has been open.</param>
/// <param name="RetainedBytes">
/// Bytes of pages replaced or freed since its snapshot and retained because this or another reader still sees them.
/// </param>
public readonly record struct ReaderReport(long TransactionId, TimeSpan Age, long RetainedBytes);
