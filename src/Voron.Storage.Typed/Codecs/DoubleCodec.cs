using System.Buffers.Binary;

namespace Voron.Storage.Typed.Codecs;

/// <summary>The bits as a number: of negative ones all are turned round, of others the sign.</summary>
internal sealed class DoubleCodec : IKeyCodec<double>
{
    private const long Sign = long.MinValue;

    public int? FixedBytes => sizeof(double);

    public string Name => nameof(Double);

    public int GetMaxBytes(double key) => sizeof(double);

    public int Encode(double key, Span<byte> destination)
    {
        // .NET's own NaN has its sign set, so it comes before all numbers, as CompareTo has it.
        double one = double.IsNaN(key) ? double.NaN : key == 0 ? 0 : key;
        long bits = BitConverter.DoubleToInt64Bits(one);
        BinaryPrimitives.WriteInt64BigEndian(destination, bits < 0 ? ~bits : bits ^ Sign);
        return sizeof(double);
    }

    public double Decode(ReadOnlySpan<byte> source)
    {
        Throw.IfNotBytes(source, sizeof(double), typeof(double));
        long turned = BinaryPrimitives.ReadInt64BigEndian(source);
        return BitConverter.Int64BitsToDouble(turned < 0 ? turned ^ Sign : ~turned);
    }
}
