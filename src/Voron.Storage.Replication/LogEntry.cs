namespace Voron.Storage.Replication;

/// <summary>An entry of a log.</summary>
/// <param name="Position">Where it is: 1 for the first entry of a log, then consecutive.</param>
/// <param name="Bytes">What was appended. Valid until the next entry is asked for.</param>
public readonly record struct LogEntry(long Position, ReadOnlyMemory<byte> Bytes);
