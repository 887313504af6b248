using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Typed.Codecs;

namespace Voron.Storage.Typed;

/// <summary>Codecs of the usual key types.</summary>
[SuppressMessage("Naming", "CA1720", Justification = "A codec is named after the type of its keys.")]
public static class KeyCodec
{
    /// <summary>1 byte.</summary>
    public static IKeyCodec<byte> Byte { get; } = new IntegerCodec<byte>();

    /// <summary>2 bytes.</summary>
    public static IKeyCodec<short> Int16 { get; } = new IntegerCodec<short>();

    /// <summary>2 bytes.</summary>
    public static IKeyCodec<ushort> UInt16 { get; } = new IntegerCodec<ushort>();

    /// <summary>4 bytes.</summary>
    public static IKeyCodec<int> Int32 { get; } = new IntegerCodec<int>();

    /// <summary>4 bytes.</summary>
    public static IKeyCodec<uint> UInt32 { get; } = new IntegerCodec<uint>();

    /// <summary>8 bytes.</summary>
    public static IKeyCodec<long> Int64 { get; } = new IntegerCodec<long>();

    /// <summary>8 bytes.</summary>
    public static IKeyCodec<ulong> UInt64 { get; } = new IntegerCodec<ulong>();

    /// <summary>16 bytes.</summary>
    public static IKeyCodec<Int128> Int128 { get; } = new IntegerCodec<Int128>();

    /// <summary>16 bytes.</summary>
    public static IKeyCodec<UInt128> UInt128 { get; } = new IntegerCodec<UInt128>();

    /// <summary>8 bytes, in the order of <see cref="double.CompareTo(double)"/>: NaN first. −0 is 0, and every NaN is one.</summary>
    public static IKeyCodec<double> Double { get; } = new DoubleCodec();

    /// <summary>16 bytes, in the order of <see cref="System.Guid.CompareTo(System.Guid)"/>.</summary>
    public static IKeyCodec<Guid> Guid { get; } = new GuidCodec();

    /// <summary>
    /// 8 bytes. Times of UTC only: a local one would mean another moment on another machine, and is refused.
    /// </summary>
    public static IKeyCodec<DateTime> DateTime { get; } = new DateTimeCodec();

    /// <summary>
    /// 8 bytes: the moment. Two that are the same moment are equal and one key; what is read back has the offset zero.
    /// </summary>
    public static IKeyCodec<DateTimeOffset> DateTimeOffset { get; } = new DateTimeOffsetCodec();

    /// <summary>
    /// UTF-8, so the same bytes as those of a key that was written as such. In the order of code points, which is that of
    /// <see cref="string.CompareOrdinal(string, string)"/> but for surrogates.
    /// </summary>
    public static IKeyCodec<string> String { get; } = new StringCodec();

    /// <summary>Two parts, ordered by the first and then the second.</summary>
    public static IKeyCodec<(T1 First, T2 Second)> Tuple<T1, T2>(IKeyCodec<T1> first, IKeyCodec<T2> second)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        return new PairCodec<T1, T2>(first, second);
    }

    /// <summary>Three parts, ordered by the first, the second and then the third.</summary>
    public static IKeyCodec<(T1 First, T2 Second, T3 Third)> Tuple<T1, T2, T3>(
        IKeyCodec<T1> first, IKeyCodec<T2> second, IKeyCodec<T3> third)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        ArgumentNullException.ThrowIfNull(third);
        return new TripleCodec<T1, T2, T3>(first, second, third);
    }
}
