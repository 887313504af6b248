namespace Voron.Storage;

/// <summary>What a load has stored.</summary>
/// <param name="TransactionId">The last transaction of the load; 0 if the input had nothing to store.</param>
/// <param name="Sections">Sections of the dump; 1 for JSON lines.</param>
/// <param name="Entries">Entries that were read.</param>
/// <param name="Skipped">Entries of them that were left out because their keys exist (<see cref="LoadOptions.NoOverwrite"/>).</param>
/// <param name="SubDatabaseRecords">
/// Entries of them that were left out because they are LMDB's own records of sub-databases, which the same dump has as sections.
/// </param>
/// <param name="Warnings">What may not be as it was in the source, one message for each kind in each section.</param>
public sealed record LoadReport(
    long TransactionId, long Sections, long Entries, long Skipped, long SubDatabaseRecords, IReadOnlyList<string> Warnings);
