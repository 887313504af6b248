namespace Voron.Storage;

/// <summary>One write to the commit journal.</summary>
/// <param name="Commits">Number of transactions in its commit group; 0 for a part of a long transaction.</param>
/// <param name="Bytes">Its length in bytes, padding included.</param>
/// <param name="Duration">The duration of the device write.</param>
/// <param name="IsDurable">True if it is on the device; otherwise it was only handed to the operating system.</param>
public readonly record struct JournalWriteReport(int Commits, int Bytes, TimeSpan Duration, bool IsDurable);
