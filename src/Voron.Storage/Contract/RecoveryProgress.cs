namespace Voron.Storage;

/// <summary>How far an open has come with the commit journal.</summary>
/// <param name="JournalBytesRead">Bytes of the commit journal read so far.</param>
/// <param name="JournalBytes">The most bytes that will be read; chunks are longer than what is written in them.</param>
/// <param name="Transactions">Transactions replayed so far.</param>
public readonly record struct RecoveryProgress(long JournalBytesRead, long JournalBytes, long Transactions);
