namespace Voron.Storage.Typed.Codecs;

/// <summary>The bytes in the order in which they are written down.</summary>
internal sealed class GuidCodec : IKeyCodec<Guid>
{
    private const int Bytes = 16;

    public int? FixedBytes => Bytes;

    public string Name => nameof(Guid);

    public int GetMaxBytes(Guid key) => Bytes;

    public int Encode(Guid key, Span<byte> destination)
    {
        key.TryWriteBytes(destination, bigEndian: true, out int written);
        return written;
    }

    public Guid Decode(ReadOnlySpan<byte> source)
    {
        Throw.IfNotBytes(source, Bytes, typeof(Guid));
        return new Guid(source, bigEndian: true);
    }
}
