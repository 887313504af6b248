using System.Buffers.Binary;

namespace Voron.Storage.Tests.Doors;

/// <summary>The keys of one run: how they are distributed, and which are next to each other.</summary>
internal abstract class FixedKeys<TKey>
{
    /// <summary>No key is below this one.</summary>
    internal abstract TKey Least { get; }

    internal abstract TKey Next(Random random);

    /// <summary>Returns an end of a range that begins with a key; now and then one that is not above it.</summary>
    internal abstract TKey Behind(TKey key, Random random);

    /// <summary>Returns a key above another one; false if there is none.</summary>
    internal abstract bool TryAbove(TKey key, Random random, out TKey above);

    /// <summary>Numbers, which the shapes below make keys of.</summary>
    internal static long Number(Random random, FixedKeyShape shape) => random.Next(50) == 0
        ? (random.Next(3) switch { 0 => long.MinValue, 1 => long.MaxValue, _ => 0 })
        : shape switch
        {
            FixedKeyShape.Dense => random.Next(8_000),
            FixedKeyShape.Clustered => (random.NextInt64(-6, 6) << 44) + random.Next(1_500),
            _ => random.NextInt64(long.MinValue, long.MaxValue),
        };

    internal static bool TryAboveNumber(long key, Random random, out long above)
    {
        long step = random.Next(1, 30);
        bool isThere = key <= long.MaxValue - step;
        above = isThere ? key + step : key;
        return isThere;
    }

    internal static long BehindNumber(long key, Random random) => random.Next(8) switch
    {
        0 => random.NextInt64(long.MinValue, long.MaxValue),
        1 => key,
        _ => key > long.MaxValue - 3_000 ? long.MaxValue : key + random.Next(3_000),
    };
}

internal enum FixedKeyShape
{
    Dense,
    Clustered,
    Spread,
}

internal sealed class FixedLongs(FixedKeyShape shape) : FixedKeys<long>
{
    internal override long Least => long.MinValue;

    internal override long Next(Random random) => Number(random, shape);

    internal override long Behind(long key, Random random) => BehindNumber(key, random);

    internal override bool TryAbove(long key, Random random, out long above) => TryAboveNumber(key, random, out above);
}

internal sealed class FixedUnsigned(FixedKeyShape shape) : FixedKeys<ulong>
{
    private const ulong Middle = 1UL << 63;

    internal override ulong Least => ulong.MinValue;

    internal override ulong Next(Random random) => Of(Number(random, shape));

    internal override ulong Behind(ulong key, Random random) => Of(BehindNumber((long)(key ^ Middle), random));

    internal override bool TryAbove(ulong key, Random random, out ulong above)
    {
        bool isThere = TryAboveNumber((long)(key ^ Middle), random, out long number);
        above = Of(number);
        return isThere;
    }

    private static ulong Of(long number) => (ulong)number ^ Middle;
}

internal sealed class FixedDoubles(FixedKeyShape shape) : FixedKeys<double>
{
    private static readonly double[] Extremes =
    [
        double.NaN, BitConverter.Int64BitsToDouble(0x7FF8_0000_0000_1234), double.NegativeInfinity, double.MinValue, -0.0, 0.0,
        double.Epsilon, -double.Epsilon, double.MaxValue, double.PositiveInfinity,
    ];

    internal override double Least => double.NaN;

    internal override double Next(Random random) => random.Next(12) == 0
        ? Extremes[random.Next(Extremes.Length)]
        : Number(random, shape) / 8.0;

    internal override double Behind(double key, Random random) => random.Next(8) switch
    {
        0 => Next(random),
        1 => key,
        _ => key + random.Next(400),
    };

    internal override bool TryAbove(double key, Random random, out double above)
    {
        above = double.IsNaN(key) ? double.NegativeInfinity
            : double.IsNegativeInfinity(key) ? -1e18
            : double.BitIncrement(key) + random.Next(9);
        return above > key || double.IsNaN(key);
    }
}

internal sealed class FixedGuids(FixedKeyShape shape) : FixedKeys<Guid>
{
    internal override Guid Least => Guid.Empty;

    internal override Guid Next(Random random) => Of(Number(random, shape), 0);

    internal override Guid Behind(Guid key, Random random) => Of(BehindNumber(NumberOf(key), random), random.Next(2));

    internal override bool TryAbove(Guid key, Random random, out Guid above)
    {
        bool isThere = TryAboveNumber(NumberOf(key), random, out long number);
        above = Of(number, random.Next());
        return isThere;
    }

    private static Guid Of(long number, long low)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, (ulong)number ^ (1UL << 63));
        BinaryPrimitives.WriteInt64BigEndian(bytes[8..], low);
        return new Guid(bytes, bigEndian: true);
    }

    private static long NumberOf(Guid key)
    {
        Span<byte> bytes = stackalloc byte[16];
        key.TryWriteBytes(bytes, bigEndian: true, out _);
        return (long)(BinaryPrimitives.ReadUInt64BigEndian(bytes) ^ (1UL << 63));
    }
}
