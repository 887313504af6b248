using Google.Protobuf;

namespace Voron.Storage.Replication.Etcd;

/// <summary>An entry that was read: where a reading goes on, to see that the log has not been replaced below it.</summary>
/// <param name="Position">Its position.</param>
/// <param name="Bytes">Its bytes.</param>
internal sealed record EtcdAnchor(long Position, ByteString Bytes);
