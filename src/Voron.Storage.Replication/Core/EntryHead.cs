using System.Buffers.Binary;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// Head of an entry, 32 bytes, little-endian: magic 4, kind 1, flags 1, format 2, epoch 8, number 8, length of the payload 4, CRC-32C of
/// head and payload 4. The payload follows.
/// </summary>
internal readonly record struct EntryHead(EntryKind Kind, EntryFlags Flags, long Epoch, long Number, uint Crc)
{
    internal const int SizeBytes = 32;
    internal const int MostPayloadBytes = 512 << 10;
    internal const ushort Format = 1;

    private const uint Magic = 0x314C5256;
    private const int CrcAt = 28;

    /// <summary>Makes an entry.</summary>
    internal static byte[] Make(EntryKind kind, EntryFlags flags, long epoch, long number, ReadOnlySpan<byte> payload)
    {
        byte[] entry = GC.AllocateUninitializedArray<byte>(SizeBytes + payload.Length);
        Span<byte> head = entry;
        BinaryPrimitives.WriteUInt32LittleEndian(head, Magic);
        head[4] = (byte)kind;
        head[5] = (byte)flags;
        BinaryPrimitives.WriteUInt16LittleEndian(head[6..], Format);
        BinaryPrimitives.WriteInt64LittleEndian(head[8..], epoch);
        BinaryPrimitives.WriteInt64LittleEndian(head[16..], number);
        BinaryPrimitives.WriteInt32LittleEndian(head[24..], payload.Length);
        payload.CopyTo(head[SizeBytes..]);
        BinaryPrimitives.WriteUInt32LittleEndian(head[CrcAt..], Crc32C.ComputeWithout(entry, CrcAt));
        return entry;
    }

    /// <summary>Reads the head of the entry at a position.</summary>
    /// <exception cref="ReplicaStoppedException">The entry is damaged, or of another format.</exception>
    internal static EntryHead Read(long position, ReadOnlySpan<byte> entry)
    {
        if (entry.Length < SizeBytes || BinaryPrimitives.ReadUInt32LittleEndian(entry) != Magic)
        {
            throw ReplicaStoppedException.Damaged(position, "it is no entry of a replica");
        }

        // The format first: another one may have its checksum elsewhere.
        ushort format = BinaryPrimitives.ReadUInt16LittleEndian(entry[6..]);
        if (format != Format)
        {
            throw ReplicaStoppedException.Unknown(position, $"its format is {format}, and this version knows {Format}");
        }

        uint crc = BinaryPrimitives.ReadUInt32LittleEndian(entry[CrcAt..]);
        if (BinaryPrimitives.ReadInt32LittleEndian(entry[24..]) != entry.Length - SizeBytes || crc != Crc32C.ComputeWithout(entry, CrcAt))
        {
            throw ReplicaStoppedException.Damaged(position, "its checksum does not fit");
        }

        EntryHead head = new(
            (EntryKind)entry[4],
            (EntryFlags)entry[5],
            BinaryPrimitives.ReadInt64LittleEndian(entry[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(entry[16..]),
            crc);
        return head.Kind is >= EntryKind.Epoch and <= EntryKind.Barrier && head.Flags <= EntryFlags.Whole
            ? head
            : throw ReplicaStoppedException.Unknown(position, $"its kind is {(byte)head.Kind} with flags {(byte)head.Flags}");
    }
}
