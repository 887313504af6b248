namespace Voron.Storage.Typed;

/// <summary>
/// Converts keys to bytes and back. A codec preserves order: of two keys the smaller one has the smaller bytes, compared byte by byte and
/// unsigned, with a prefix before what it is a prefix of; keys that are equal have equal bytes. Codecs keep nothing between calls.
/// </summary>
/// <typeparam name="T">The type of keys.</typeparam>
public interface IKeyCodec<T>
{
    /// <summary>Length in bytes of every key; null when it depends on the key.</summary>
    int? FixedBytes { get; }

    /// <summary>
    /// Stored with a table, so that it is not opened with another codec. A codec of your own that may be mistaken for another one of the
    /// same length gives itself a name, and keeps it.
    /// </summary>
    string Name => FixedBytes is { } bytes ? $"own of {bytes} bytes" : "own";

    /// <summary>A length in bytes that this key does not exceed.</summary>
    int GetMaxBytes(T key);

    /// <summary>Writes the key, and gives how many bytes it has.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Room of at least <see cref="GetMaxBytes"/> bytes.</param>
    int Encode(T key, Span<byte> destination);

    /// <summary>Reads a key that consists of exactly these bytes.</summary>
    /// <exception cref="FormatException">They are no key of this codec.</exception>
    T Decode(ReadOnlySpan<byte> source);
}
