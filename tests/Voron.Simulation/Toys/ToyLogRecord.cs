using System.Buffers.Binary;
using System.Collections.Immutable;
using Voron.Simulation.Crashes;

namespace Voron.Simulation.Toys;

/// <summary>
/// One transaction, or the whole content at one, in the toy log: magic 4, body length 4, transaction id 8, checksum 8, then per change key
/// length 4, value length 4 (-1 for a delete),
/// key, value. The checksum covers id, length and body and begins from the one of the record before.
/// </summary>
internal static class ToyLogRecord
{
    internal const int HeadBytes = 24;
    internal const uint TransactionMagic = 0x31474F4C;
    internal const uint ContentMagic = 0x32474F4C;

    internal static byte[] Build(uint magic, long transaction, IEnumerable<WorkloadChange> changes, ulong previous, out ulong checksum)
    {
        using var body = new MemoryStream();
        Span<byte> lengths = stackalloc byte[8];
        foreach (WorkloadChange change in changes)
        {
            BinaryPrimitives.WriteInt32LittleEndian(lengths, change.Key.Length);
            BinaryPrimitives.WriteInt32LittleEndian(lengths[4..], change.Value?.Length ?? -1);
            body.Write(lengths);
            body.Write(change.Key);
            body.Write(change.Value ?? []);
        }

        byte[] record = new byte[HeadBytes + body.Length];
        BinaryPrimitives.WriteUInt32LittleEndian(record, magic);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(4), (int)body.Length);
        BinaryPrimitives.WriteInt64LittleEndian(record.AsSpan(8), transaction);
        body.ToArray().CopyTo(record, HeadBytes);
        checksum = Checksum(record, previous);
        BinaryPrimitives.WriteUInt64LittleEndian(record.AsSpan(16), checksum);
        return record;
    }

    /// <summary>The record at the start of these bytes; empty when there is none whose length is plausible.</summary>
    internal static ReadOnlySpan<byte> At(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeadBytes || Magic(bytes) is not (TransactionMagic or ContentMagic))
        {
            return [];
        }

        int body = BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]);
        return body < 0 || body > bytes.Length - HeadBytes ? [] : bytes[..(HeadBytes + body)];
    }

    internal static uint Magic(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt32LittleEndian(record);

    internal static long Transaction(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadInt64LittleEndian(record[8..]);

    internal static ulong StoredChecksum(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64LittleEndian(record[16..]);

    internal static ulong Checksum(ReadOnlySpan<byte> record, ulong previous) =>
        Hash128.Of(record[..16], previous).Then(Hash128.Of(record[HeadBytes..])).Low;

    internal static ImmutableSortedDictionary<byte[], byte[]> Apply(
        ReadOnlySpan<byte> record, ImmutableSortedDictionary<byte[], byte[]> content, bool forgetsDeletes)
    {
        ReadOnlySpan<byte> rest = record[HeadBytes..];
        while (rest.Length >= 8)
        {
            int keyBytes = BinaryPrimitives.ReadInt32LittleEndian(rest);
            int valueBytes = BinaryPrimitives.ReadInt32LittleEndian(rest[4..]);
            byte[] key = rest.Slice(8, keyBytes).ToArray();
            if (valueBytes >= 0)
            {
                content = content.SetItem(key, rest.Slice(8 + keyBytes, valueBytes).ToArray());
            }
            else if (!forgetsDeletes)
            {
                content = content.Remove(key);
            }

            rest = rest[(8 + keyBytes + Math.Max(valueBytes, 0))..];
        }

        return content;
    }
}
