using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// What is stored of a table under its name in <see cref="TableNames.Tables"/>: the version of this layout (1 byte), the name of the codec
/// of primary keys, the number of indexes (1 byte), and for each its name, the name of its codec, kind (1 byte), state (1 byte) and key.
/// Names and keys have their length before them (2 bytes, little-endian; of a key that there is not, FFFF).
/// </summary>
internal static class TableRecord
{
    private const byte Version = 1;
    private const ushort NoKey = ushort.MaxValue;

    internal static byte[] Write(string keyCodec, List<StoredIndex> indexes)
    {
        ArrayBufferWriter<byte> record = new();
        record.Write([Version]);
        WriteText(record, keyCodec);
        record.Write([(byte)indexes.Count]);
        foreach (StoredIndex index in indexes)
        {
            WriteText(record, index.Name);
            WriteText(record, index.Codec);
            record.Write([(byte)index.Kind, (byte)index.Status.State]);
            WriteKey(record, index.Status.Key);
        }

        return record.WrittenSpan.ToArray();
    }

    internal static List<StoredIndex> Read(string table, ReadOnlySpan<byte> record, out string keyCodec)
    {
        byte version = Take(table, ref record, 1)[0];
        if (version != Version)
        {
            Throw.OtherVersion(table, version, Version);
        }

        keyCodec = ReadText(table, ref record);
        int count = Take(table, ref record, 1)[0];
        List<StoredIndex> indexes = new(count);
        for (int i = 0; i < count; i++)
        {
            string name = ReadText(table, ref record);
            string codec = ReadText(table, ref record);
            ReadOnlySpan<byte> bytes = Take(table, ref record, 2);
            IndexStatus status = new((IndexState)bytes[1], ReadKey(table, ref record));
            bool isBad = status.State is < IndexState.Ready or > IndexState.Building
                || (status is { State: IndexState.Building, Key: { } position } && !BuildPosition.IsOne(position));
            if (isBad)
            {
                Throw.BadRecord(table);
            }

            indexes.Add(new StoredIndex(name, codec, (IndexKind)bytes[0], status));
        }

        return indexes;
    }

    private static void WriteText(ArrayBufferWriter<byte> record, string text) => WriteKey(record, Encoding.UTF8.GetBytes(text));

    private static void WriteKey(ArrayBufferWriter<byte> record, byte[]? key)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(record.GetSpan(sizeof(ushort)), key is null ? NoKey : checked((ushort)key.Length));
        record.Advance(sizeof(ushort));
        record.Write(key);
    }

    private static string ReadText(string table, ref ReadOnlySpan<byte> record)
    {
        byte[]? text = ReadKey(table, ref record);
        if (text is null)
        {
            Throw.BadRecord(table);
        }

        return Encoding.UTF8.GetString(text);
    }

    private static byte[]? ReadKey(string table, ref ReadOnlySpan<byte> record)
    {
        ushort length = BinaryPrimitives.ReadUInt16LittleEndian(Take(table, ref record, sizeof(ushort)));
        return length == NoKey ? null : Take(table, ref record, length).ToArray();
    }

    private static ReadOnlySpan<byte> Take(string table, ref ReadOnlySpan<byte> record, int bytes)
    {
        if (record.Length < bytes)
        {
            Throw.BadRecord(table);
        }

        ReadOnlySpan<byte> taken = record[..bytes];
        record = record[bytes..];
        return taken;
    }

    /// <summary>An index as it is stored.</summary>
    internal readonly record struct StoredIndex(string Name, string Codec, IndexKind Kind, IndexStatus Status);
}
