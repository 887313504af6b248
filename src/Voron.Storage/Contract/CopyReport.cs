namespace Voron.Storage;

/// <summary>What a copy holds.</summary>
/// <param name="TransactionId">The last transaction of the source that it contains; the copy counts its own from 1.</param>
/// <param name="Trees">Trees.</param>
/// <param name="Entries">Entries of all trees.</param>
/// <param name="FileBytes">Length of the copy's data file in bytes.</param>
public sealed record CopyReport(long TransactionId, long Trees, long Entries, long FileBytes);
