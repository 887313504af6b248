using System.Buffers.Binary;
using System.Text;

namespace Voron.Storage.Akka;

/// <summary>
/// The trees of a journal and their keys. Events are by persistence id and sequence number; every event has a number in the order of
/// writing, and rows of that number in <see cref="Order"/> and, for each of its tags, in <see cref="Tags"/> hold its key.
/// </summary>
internal sealed class EventTrees(string prefix)
{
    private const int LengthBytes = sizeof(ushort);

    internal string Events { get; } = prefix + "events";

    internal string Order { get; } = prefix + "order";

    internal string Tags { get; } = prefix + "tags";

    /// <summary>The highest sequence number of each persistence id, which outlives its events.</summary>
    internal string Ids { get; } = prefix + "ids";

    /// <summary>Persistence ids in the order of their first use.</summary>
    internal string IdOrder { get; } = prefix + "id-order";

    /// <summary>The last numbers that were given, so that none is given twice after deletions.</summary>
    internal string Counters { get; } = prefix + "counters";

    internal string Snapshots { get; } = prefix + "snapshots";

    internal static ReadOnlySpan<byte> EventCounter => "event"u8;

    internal static ReadOnlySpan<byte> IdCounter => "id"u8;

    /// <summary>A text with its length before it, so that no key of one text is among those of another, and a number.</summary>
    internal static byte[] KeyOf(string text, long number)
    {
        byte[] prefix = PrefixOf(text);
        byte[] key = new byte[prefix.Length + sizeof(long)];
        prefix.CopyTo(key, 0);
        BinaryPrimitives.WriteInt64BigEndian(key.AsSpan(prefix.Length), number);
        return key;
    }

    internal static byte[] PrefixOf(string text)
    {
        int bytes = Encoding.UTF8.GetByteCount(text);
        if (bytes > ushort.MaxValue)
        {
            throw new ArgumentException($"A persistence id or a tag has {bytes} bytes in UTF-8; at most {ushort.MaxValue} are possible.");
        }

        byte[] prefix = new byte[LengthBytes + bytes];
        BinaryPrimitives.WriteUInt16BigEndian(prefix, (ushort)bytes);
        Encoding.UTF8.GetBytes(text, prefix.AsSpan(LengthBytes));
        return prefix;
    }

    internal static string TextOf(ReadOnlySpan<byte> key) =>
        Encoding.UTF8.GetString(key.Slice(LengthBytes, BinaryPrimitives.ReadUInt16BigEndian(key)));

    internal static byte[] KeyOf(long number)
    {
        byte[] key = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        return key;
    }

    /// <summary>The number at the end of a key, or a value that is only a number.</summary>
    internal static long NumberOf(ReadOnlySpan<byte> key) => BinaryPrimitives.ReadInt64BigEndian(key[^sizeof(long)..]);
}
