using System.Numerics;

namespace Voron.Storage.Typed.Codecs;

/// <summary>Big-endian; of signed numbers with the sign turned round, so that negative ones come first.</summary>
internal sealed class IntegerCodec<T> : IKeyCodec<T>
    where T : unmanaged, IBinaryInteger<T>, IMinMaxValue<T>
{
    private const byte Sign = 0x80;

    private static readonly int Bytes = T.Zero.GetByteCount();
    private static readonly bool IsSigned = T.MinValue < T.Zero;

    public int? FixedBytes => Bytes;

    public string Name => typeof(T).Name;

    public int GetMaxBytes(T key) => Bytes;

    public int Encode(T key, Span<byte> destination)
    {
        // WriteBigEndian has its body in the interface: calling it would box the key.
        key.TryWriteBigEndian(destination, out _);
        destination[0] ^= IsSigned ? Sign : (byte)0;
        return Bytes;
    }

    public T Decode(ReadOnlySpan<byte> source)
    {
        Throw.IfNotBytes(source, Bytes, typeof(T));
        Span<byte> copy = stackalloc byte[Bytes];
        source.CopyTo(copy);
        copy[0] ^= IsSigned ? Sign : (byte)0;
        return T.ReadBigEndian(copy, !IsSigned);
    }
}
