using System.Buffers.Binary;
using System.Text;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// A state as bytes: sequence 8, log 16, position 8, epoch 8, number 8, writer 16, transaction 8, checksum of the entry 4, lengths of the
/// leader's name 2 and address 2, name, address, CRC-32C 4; little-endian.
/// </summary>
internal static class LogStateBytes
{
    private const int HeadBytes = 80;
    private const int MostTextBytes = 1024;

    internal static byte[] Write(LogState state, long sequence)
    {
        byte[] node = Encoding.UTF8.GetBytes(state.Node);
        byte[] address = Encoding.UTF8.GetBytes(state.Address);
        byte[] bytes = new byte[HeadBytes + node.Length + address.Length + sizeof(uint)];
        Span<byte> at = bytes;
        BinaryPrimitives.WriteInt64LittleEndian(at, sequence);
        state.Log.TryWriteBytes(at[8..]);
        BinaryPrimitives.WriteInt64LittleEndian(at[24..], state.Position);
        BinaryPrimitives.WriteInt64LittleEndian(at[32..], state.Epoch);
        BinaryPrimitives.WriteInt64LittleEndian(at[40..], state.Number);
        state.Writer.TryWriteBytes(at[48..]);
        BinaryPrimitives.WriteInt64LittleEndian(at[64..], state.TransactionId);
        BinaryPrimitives.WriteUInt32LittleEndian(at[72..], state.Crc);
        BinaryPrimitives.WriteUInt16LittleEndian(at[76..], (ushort)node.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(at[78..], (ushort)address.Length);
        node.CopyTo(at[HeadBytes..]);
        address.CopyTo(at[(HeadBytes + node.Length)..]);
        BinaryPrimitives.WriteUInt32LittleEndian(at[^sizeof(uint)..], Crc32C.Compute(at[..^sizeof(uint)]));
        return bytes;
    }

    /// <summary>Reads a state at the beginning of bytes; null if there is none, or it is damaged.</summary>
    internal static LogState? TryRead(ReadOnlySpan<byte> bytes, out long sequence)
    {
        sequence = 0;
        int node = bytes.Length < HeadBytes ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(bytes[76..]);
        int address = bytes.Length < HeadBytes ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(bytes[78..]);
        int crcAt = HeadBytes + node + address;
        bool isPossible = node <= MostTextBytes && address <= MostTextBytes && bytes.Length >= crcAt + sizeof(uint);
        if (!isPossible || BinaryPrimitives.ReadUInt32LittleEndian(bytes[crcAt..]) != Crc32C.Compute(bytes[..crcAt]))
        {
            return null;
        }

        sequence = BinaryPrimitives.ReadInt64LittleEndian(bytes);
        return new LogState(
            new Guid(bytes[8..24]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[24..]),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[72..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[32..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[40..]),
            new Guid(bytes[48..64]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[64..]),
            Encoding.UTF8.GetString(bytes.Slice(HeadBytes, node)),
            Encoding.UTF8.GetString(bytes.Slice(HeadBytes + node, address)));
    }
}
