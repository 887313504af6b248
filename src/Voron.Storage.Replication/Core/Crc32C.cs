using System.Buffers.Binary;
using System.Numerics;

namespace Voron.Storage.Replication.Core;

/// <summary>CRC-32C of bytes.</summary>
internal static class Crc32C
{
    internal static uint Compute(ReadOnlySpan<byte> bytes) => ~Add(~0u, bytes);

    /// <summary>The checksum of bytes without these four, which hold it.</summary>
    internal static uint ComputeWithout(ReadOnlySpan<byte> bytes, int at) => ~Add(Add(~0u, bytes[..at]), bytes[(at + sizeof(uint))..]);

    private static uint Add(uint crc, ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length >= sizeof(ulong))
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
            bytes = bytes[sizeof(ulong)..];
        }

        foreach (byte one in bytes)
        {
            crc = BitOperations.Crc32C(crc, one);
        }

        return crc;
    }
}
