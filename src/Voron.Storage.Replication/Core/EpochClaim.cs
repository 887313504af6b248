using System.Buffers.Binary;
using System.Text;
using System.Text.Unicode;

namespace Voron.Storage.Replication.Core;

/// <summary>Payload of an epoch entry.</summary>
/// <param name="Log">Id of the log; the first claim that counts gives it.</param>
/// <param name="Nonce">Random: whose claim it is. Two nodes may claim the same epoch at the same time with all else equal.</param>
/// <param name="LastTransaction">The last transaction of the node.</param>
/// <param name="UtcTicks">Its clock, for people.</param>
/// <param name="Node">Its name.</param>
/// <param name="Address">Where callers reach it.</param>
internal sealed record EpochClaim(Guid Log, Guid Nonce, long LastTransaction, long UtcTicks, string Node, string Address)
{
    private const int HeadBytes = 52;
    private const int MostTextBytes = 1024;

    internal byte[] ToBytes()
    {
        byte[] node = Encoding.UTF8.GetBytes(Node);
        byte[] address = Encoding.UTF8.GetBytes(Address);
        byte[] bytes = new byte[HeadBytes + node.Length + address.Length];
        Log.TryWriteBytes(bytes);
        Nonce.TryWriteBytes(bytes.AsSpan(16));
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(32), LastTransaction);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(40), UtcTicks);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(48), (ushort)node.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(50), (ushort)address.Length);
        node.CopyTo(bytes, HeadBytes);
        address.CopyTo(bytes, HeadBytes + node.Length);
        return bytes;
    }

    internal static EpochClaim Read(long position, ReadOnlySpan<byte> payload)
    {
        int node = payload.Length < HeadBytes ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(payload[48..]);
        int address = payload.Length < HeadBytes ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(payload[50..]);
        bool isPossible = payload.Length == HeadBytes + node + address && node <= MostTextBytes && address <= MostTextBytes;
        if (!isPossible || !Utf8.IsValid(payload.Slice(HeadBytes, node)) || !Utf8.IsValid(payload[(HeadBytes + node)..]))
        {
            throw ReplicaStoppedException.Damaged(
                position, $"the names in a claim of {payload.Length} bytes are no text, or of wrong lengths");
        }

        return new EpochClaim(
            new Guid(payload[..16]),
            new Guid(payload[16..32]),
            BinaryPrimitives.ReadInt64LittleEndian(payload[32..]),
            BinaryPrimitives.ReadInt64LittleEndian(payload[40..]),
            Encoding.UTF8.GetString(payload.Slice(HeadBytes, node)),
            Encoding.UTF8.GetString(payload.Slice(HeadBytes + node, address)));
    }
}
