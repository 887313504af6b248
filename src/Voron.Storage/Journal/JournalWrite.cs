namespace Voron.Storage.Journal;

/// <summary>One write of the commit journal.</summary>
/// <param name="Batch">The records; null for a sync only.</param>
/// <param name="Number">Number of the last batch that is written when it ends.</param>
/// <param name="OnDevice">It ends when everything is on the device.</param>
internal readonly record struct JournalWrite(CommitBatch? Batch, long Number, bool OnDevice);
