namespace Voron.Storage.Replication.Nats;

/// <summary>An entry that was read: where a later reading begins, to see that the log has not been replaced below it.</summary>
/// <param name="Position">Its position.</param>
/// <param name="Bytes">Its bytes.</param>
internal sealed record JetStreamAnchor(long Position, ReadOnlyMemory<byte> Bytes);
