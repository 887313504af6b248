namespace Voron.Storage.Journal;

/// <summary>Names the batch of records that a sealed transaction leaves with.</summary>
internal readonly record struct CommitTicket(long Batch);
