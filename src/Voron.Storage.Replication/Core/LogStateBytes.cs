using System.Buffers.Binary;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// A state as bytes: sequence 8, log 16, position 8, epoch 8, number 8, writer 16, transaction 8, checksum of the entry 4, CRC-32C 4;
/// little-endian.
/// </summary>
internal static class LogStateBytes
{
    internal const int SizeBytes = 80;
    private const int CrcAt = SizeBytes - sizeof(uint);

    internal static byte[] Write(LogState state, long sequence)
    {
        byte[] bytes = new byte[SizeBytes];
        Span<byte> at = bytes;
        BinaryPrimitives.WriteInt64LittleEndian(at, sequence);
        state.Log.TryWriteBytes(at[8..]);
        BinaryPrimitives.WriteInt64LittleEndian(at[24..], state.Position);
        BinaryPrimitives.WriteInt64LittleEndian(at[32..], state.Epoch);
        BinaryPrimitives.WriteInt64LittleEndian(at[40..], state.Number);
        state.Writer.TryWriteBytes(at[48..]);
        BinaryPrimitives.WriteInt64LittleEndian(at[64..], state.TransactionId);
        BinaryPrimitives.WriteUInt32LittleEndian(at[72..], state.Crc);
        BinaryPrimitives.WriteUInt32LittleEndian(at[CrcAt..], Crc32C.Compute(at[..CrcAt]));
        return bytes;
    }

    /// <summary>Reads a state; null if the bytes are none, or damaged.</summary>
    internal static LogState? TryRead(ReadOnlySpan<byte> bytes, out long sequence)
    {
        sequence = 0;
        if (bytes.Length < SizeBytes || BinaryPrimitives.ReadUInt32LittleEndian(bytes[CrcAt..]) != Crc32C.Compute(bytes[..CrcAt]))
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
            BinaryPrimitives.ReadInt64LittleEndian(bytes[64..]));
    }
}
