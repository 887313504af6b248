using System.Buffers.Binary;
using Voron.Storage.Engine;
using Voron.Storage.Format;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// A part of a redo record in a batch: transaction id 8, flags 4 (1 commit, 2 the record has further parts, 4 a piece of a value), number
/// of fragments before it 4, length of the body 4, body; little-endian.
/// </summary>
/// <param name="Record">What it is.</param>
/// <param name="Body">The redo.</param>
internal readonly record struct BatchRecord(RedoRecord Record, ReadOnlyMemory<byte> Body)
{
    internal const int HeadBytes = 20;
    private const uint Commit = 1;
    private const uint GoesOn = 2;
    private const uint Content = 4;

    internal static void WriteHead(Span<byte> head, RedoRecord record, int bodyBytes)
    {
        BinaryPrimitives.WriteInt64LittleEndian(head, record.TransactionId.Value);
        BinaryPrimitives.WriteUInt32LittleEndian(
            head[8..], (record.IsLast ? Commit : 0) | (record.GoesOn ? GoesOn : 0) | (record.IsContent ? Content : 0));
        BinaryPrimitives.WriteUInt32LittleEndian(head[12..], record.Fragment);
        BinaryPrimitives.WriteInt32LittleEndian(head[16..], bodyBytes);
    }

    /// <summary>Reads the record at the beginning of what is left of a batch, and goes behind it; false at its end.</summary>
    internal static bool TryRead(long position, ref ReadOnlyMemory<byte> rest, out BatchRecord record)
    {
        record = default;
        if (rest.IsEmpty)
        {
            return false;
        }

        ReadOnlySpan<byte> head = rest.Span;
        int bytes = head.Length < HeadBytes ? -1 : BinaryPrimitives.ReadInt32LittleEndian(head[16..]);
        if (bytes < 0 || bytes > head.Length - HeadBytes)
        {
            throw ReplicaStoppedException.Damaged(position, $"a record of {bytes} bytes stands in {head.Length} bytes of a batch");
        }

        uint flags = BinaryPrimitives.ReadUInt32LittleEndian(head[8..]);
        if ((flags & ~(Commit | GoesOn | Content)) != 0)
        {
            throw ReplicaStoppedException.Unknown(position, $"the flags of a record are {flags}");
        }

        RedoRecord redo = new(
            new TransactionId(BinaryPrimitives.ReadInt64LittleEndian(head)),
            BinaryPrimitives.ReadUInt32LittleEndian(head[12..]),
            IsLast: (flags & Commit) != 0,
            GoesOn: (flags & GoesOn) != 0,
            IsContent: (flags & Content) != 0);
        record = new BatchRecord(redo, rest.Slice(HeadBytes, bytes));
        rest = rest[(HeadBytes + bytes)..];
        return true;
    }
}
