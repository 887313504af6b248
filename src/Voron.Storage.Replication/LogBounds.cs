namespace Voron.Storage.Replication;

/// <summary>The positions that a log has.</summary>
/// <param name="First">The first position that was not trimmed; <paramref name="Last"/> plus 1 if the log has no entries.</param>
/// <param name="Last">The last position that was ever used; 0 for a new log.</param>
public readonly record struct LogBounds(long First, long Last);
