using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Voron.Storage.Typed;

namespace Voron.Samples.Worker;

/// <summary>Values as JSON, by what the compiler has generated for their type.</summary>
internal sealed class JsonCodec<T>(JsonTypeInfo<T> type) : IValueCodec<T>
{
    public void Encode(T value, IBufferWriter<byte> destination)
    {
        using Utf8JsonWriter writer = new(destination);
        JsonSerializer.Serialize(writer, value, type);
    }

    public T Decode(ReadOnlySpan<byte> source) => JsonSerializer.Deserialize(source, type)!;
}
