namespace Voron.Storage;

/// <summary>One write to the commit journal.</summary>
/// <param name="Commits">Transactions that it committed: the group that shares it. 0 for a part of a long transaction.</param>
/// <param name="Bytes">Its length in bytes, padding included.</param>
/// <param name="Duration">How long the device took.</param>
/// <param name="IsDurable">It is on the device; otherwise it has left the process only.</param>
public readonly record struct JournalWriteReport(int Commits, int Bytes, TimeSpan Duration, bool IsDurable);
