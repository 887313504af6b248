namespace Voron.Storage.Journal;

/// <summary>Names the batch of records that a sealed transaction leaves with.</summary>
internal readonly record struct CommitTicket(long Batch)
{
    /// <summary>Nothing was sealed. Batches count from 1.</summary>
    internal bool IsNone => Batch == 0;
}
