using System.Buffers.Binary;
using Akka.Actor;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Akka.Serialization;

namespace Voron.Storage.Akka;

/// <summary>
/// An event with its key and value. The value is its number, its time, what its serializer needs, its manifest, writer and tags, and the
/// payload's bytes.
/// </summary>
internal sealed class StoredEvent
{
    private StoredEvent(byte[] key, byte[] value, string[] tags)
    {
        Key = key;
        Value = value;
        Tags = tags;
    }

    internal byte[] Key { get; }

    internal byte[] Value { get; }

    internal string[] Tags { get; }

    internal long Number
    {
        get => BinaryPrimitives.ReadInt64LittleEndian(Value);
        set => BinaryPrimitives.WriteInt64LittleEndian(Value, value);
    }

    internal string PersistenceId => EventTrees.TextOf(Key);

    internal long SequenceNr => EventTrees.NumberOf(Key);

    internal static StoredEvent Of(ExtendedActorSystem system, IPersistentRepresentation written)
    {
        Tagged? tagged = written.Payload is Tagged found ? found : null;
        string[] tags = tagged is null ? [] : [.. tagged.Value.Tags];
        using MemoryStream bytes = new();
        using BinaryWriter writer = new(bytes);
        writer.Write(0L);
        writer.Write(written.Timestamp > 0 ? written.Timestamp : DateTime.UtcNow.Ticks);
        writer.Write(written.Manifest ?? string.Empty);
        writer.Write(written.WriterGuid ?? string.Empty);
        writer.Write7BitEncodedInt(tags.Length);
        foreach (string tag in tags)
        {
            writer.Write(tag);
        }

        WritePayload(writer, system, tagged?.Payload ?? written.Payload);
        writer.Flush();
        return new StoredEvent(EventTrees.KeyOf(written.PersistenceId, written.SequenceNr), bytes.ToArray(), tags);
    }

    internal static StoredEvent Read(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte[] copy = value.ToArray();
        using BinaryReader reader = ReaderOf(copy);
        SkipToTags(reader);
        return new StoredEvent(key.ToArray(), copy, ReadTags(reader));
    }

    internal Persistent ToPersistent(ExtendedActorSystem system)
    {
        using BinaryReader reader = ReaderOf(Value);
        reader.BaseStream.Position = sizeof(long);
        long timestamp = reader.ReadInt64();
        string manifest = reader.ReadString();
        string writer = reader.ReadString();
        ReadTags(reader);
        return new Persistent(
            ReadPayload(reader, system), SequenceNr, PersistenceId, manifest, isDeleted: false, ActorRefs.NoSender, writer, timestamp);
    }

    internal static void WritePayload(BinaryWriter writer, ExtendedActorSystem system, object payload)
    {
        Serializer serializer = system.Serialization.FindSerializerFor(payload);
        byte[] bytes = Serialization.WithTransport(system, () => serializer.ToBinary(payload));
        writer.Write(serializer.Identifier);
        writer.Write(Serialization.ManifestFor(serializer, payload) ?? string.Empty);
        writer.Write(bytes);
    }

    internal static object ReadPayload(BinaryReader reader, ExtendedActorSystem system)
    {
        int serializer = reader.ReadInt32();
        string manifest = reader.ReadString();
        byte[] bytes = reader.ReadBytes(checked((int)(reader.BaseStream.Length - reader.BaseStream.Position)));
        return system.Serialization.Deserialize(bytes, serializer, manifest);
    }

    private static BinaryReader ReaderOf(byte[] value) => new(new MemoryStream(value, writable: false));

    private static void SkipToTags(BinaryReader reader)
    {
        reader.BaseStream.Position = 2 * sizeof(long);
        _ = reader.ReadString();
        _ = reader.ReadString();
    }

    private static string[] ReadTags(BinaryReader reader)
    {
        string[] tags = new string[reader.Read7BitEncodedInt()];
        for (int i = 0; i < tags.Length; i++)
        {
            tags[i] = reader.ReadString();
        }

        return tags;
    }
}
