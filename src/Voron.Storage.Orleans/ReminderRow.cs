using Orleans;
using Orleans.Runtime;

namespace Voron.Storage.Orleans;

/// <summary>The value of a reminder: ETag, start, period, then grain and name, each with its length.</summary>
internal static class ReminderRow
{
    private const int ETagBytes = 16;

    internal static byte[] BytesOf(ReminderEntry entry, Guid eTag)
    {
        using MemoryStream bytes = new();
        using BinaryWriter writer = new(bytes);
        writer.Write(eTag.ToByteArray());
        writer.Write(entry.StartAt.ToBinary());
        writer.Write(entry.Period.Ticks);
        Write(writer, entry.GrainId.Type.AsSpan());
        Write(writer, entry.GrainId.Key.AsSpan());
        writer.Write(entry.ReminderName);
        writer.Flush();
        return bytes.ToArray();
    }

    internal static ReminderEntry Read(ReadOnlySpan<byte> from)
    {
        try
        {
            using BinaryReader reader = new(new MemoryStream(from.ToArray()));
            return new ReminderEntry
            {
                ETag = GrainRecord.TextOf(new Guid(reader.ReadBytes(ETagBytes))),
                StartAt = DateTime.FromBinary(reader.ReadInt64()),
                Period = TimeSpan.FromTicks(reader.ReadInt64()),
                GrainId = new GrainId(new GrainType(ReadPart(reader)), new IdSpan(ReadPart(reader))),
                ReminderName = reader.ReadString(),
            };
        }
        catch (Exception error) when (error is EndOfStreamException or ArgumentException or FormatException)
        {
            throw new InvalidDataException(
                "An entry of the tree is no reminder. The tree must hold nothing else: name another one.", error);
        }
    }

    private static void Write(BinaryWriter writer, ReadOnlySpan<byte> part)
    {
        writer.Write7BitEncodedInt(part.Length);
        writer.Write(part);
    }

    private static byte[] ReadPart(BinaryReader reader)
    {
        byte[] part = new byte[reader.Read7BitEncodedInt()];
        reader.BaseStream.ReadExactly(part);
        return part;
    }
}
