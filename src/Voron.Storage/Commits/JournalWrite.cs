namespace Voron.Storage.Commits;

/// <summary>One write of the commit journal.</summary>
/// <param name="Group">The records; null for a sync only.</param>
/// <param name="Number">Number of the last group that is written when it ends.</param>
/// <param name="OnDevice">Whether everything is on the device when it ends.</param>
internal readonly record struct JournalWrite(CommitGroup? Group, long Number, bool OnDevice);
