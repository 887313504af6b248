using System.Buffers;

namespace Voron.Storage.Typed;

/// <summary>Converts values to bytes and back: the place for the serializer of your choice.</summary>
/// <typeparam name="T">The type of values.</typeparam>
public interface IValueCodec<T>
{
    /// <summary>Writes the value.</summary>
    void Encode(T value, IBufferWriter<byte> destination);

    /// <summary>Reads a value. The bytes are the database's own and must not be kept.</summary>
    T Decode(ReadOnlySpan<byte> source);
}
