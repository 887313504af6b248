using System.Numerics;
using FluentAssertions;
using FsCheck;
using FsCheck.Fluent;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed;

/// <summary>Bytes are ordered as keys are, equal keys have equal bytes, and every key comes back.</summary>
public sealed class KeyCodecTests
{
    [Fact]
    public void Integers()
    {
        All(KeyCodec.Byte, byte.MinValue, (byte)1, (byte)127, (byte)128, byte.MaxValue);
        All(KeyCodec.Int16, short.MinValue, (short)-1, (short)0, (short)255, (short)256, short.MaxValue);
        All(KeyCodec.UInt16, ushort.MinValue, (ushort)255, (ushort)256, ushort.MaxValue);
        All(KeyCodec.Int32, int.MinValue, -65_537, -1, 0, 1, 255, 65_536, int.MaxValue);
        All(KeyCodec.UInt32, 0u, 1u, 0x8000_0000u, uint.MaxValue);
        All(KeyCodec.Int64, long.MinValue, -256, -1, 0, 1, 1L << 40, long.MaxValue);
        All(KeyCodec.UInt64, 0ul, 1ul << 63, ulong.MaxValue);
        All(KeyCodec.Int128, Int128.MinValue, Int128.NegativeOne, Int128.Zero, (Int128)ulong.MaxValue + 1, Int128.MaxValue);
        All(KeyCodec.UInt128, UInt128.MinValue, (UInt128)ulong.MaxValue, UInt128.MaxValue);
        Any(KeyCodec.Int32);
        Any(KeyCodec.Int64);
        Any(KeyCodec.UInt64);
        Any(KeyCodec.Int16);
    }

    [Fact]
    public void Doubles()
    {
        All(
            KeyCodec.Double, double.NaN, double.NegativeInfinity, double.MinValue, -1.5, -double.Epsilon, 0, double.Epsilon, 1, Math.PI,
            double.MaxValue, double.PositiveInfinity);
        Any(KeyCodec.Double);
        Bytes(KeyCodec.Double, -0.0).Should().Equal(Bytes(KeyCodec.Double, 0.0), "they are equal");
        Bytes(KeyCodec.Double, BitConverter.Int64BitsToDouble(0x7FF8_0000_0000_0001)).Should().Equal(Bytes(KeyCodec.Double, double.NaN));
    }

    [Fact]
    public void Guids()
    {
        All(KeyCodec.Guid, Guid.Empty, Guid.Parse("00000000-0000-0000-0000-000000000001"),
            Guid.Parse("00000001-0000-0000-0000-000000000000"), Guid.Parse("80000000-0000-0000-0000-000000000000"), Guid.AllBitsSet);
        Any(KeyCodec.Guid);
    }

    [Fact]
    public void Times()
    {
        DateTime last = new(DateTime.MaxValue.Ticks, DateTimeKind.Utc);
        All(KeyCodec.DateTime, new DateTime(0, DateTimeKind.Utc), DateTime.UnixEpoch, last);
        KeyCodec.DateTime.Decode(Bytes(KeyCodec.DateTime, DateTime.UnixEpoch)).Kind.Should().Be(DateTimeKind.Utc);
        All(KeyCodec.DateTimeOffset, DateTimeOffset.MinValue, DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
        Any(KeyCodec.DateTimeOffset);
        DateTimeOffset one = new(2026, 1, 1, 12, 0, 0, TimeSpan.FromHours(2));
        Bytes(KeyCodec.DateTimeOffset, one).Should().Equal(Bytes(KeyCodec.DateTimeOffset, one.ToUniversalTime()), "they are equal");
        foreach (DateTimeKind kind in new[] { DateTimeKind.Local, DateTimeKind.Unspecified })
        {
            FluentActions.Invoking(() => Bytes(KeyCodec.DateTime, new DateTime(1, kind))).Should().Throw<ArgumentException>()
                .WithMessage($"*of kind {kind}*");
        }
    }

    [Fact]
    public void Strings()
    {
        string[] ordered = ["", "\0", "\0a", "A", "a", "a\0", "aa", "b", "ä", "€", "\uFFFD", "😀"];
        All(KeyCodec.String, ordered, static (a, b) => Runes(a).CompareTo(Runes(b)));
        Bytes(KeyCodec.String, "user:42").Should().Equal("user:42"u8.ToArray());
        FluentActions.Invoking(() => Bytes(KeyCodec.String, "\uD800")).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => KeyCodec.String.Decode([0xFF])).Should().Throw<FormatException>();
        FluentActions.Invoking(() => KeyCodec.String.GetMaxBytes(null!)).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    public void Tuples()
    {
        string[] texts = ["", "\0", "\0\u0001", "a", "a\0", "a\0b", "ab", "b"];
        int[] numbers = [int.MinValue, -1, 0, 256, int.MaxValue];
        Pairs(KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), texts, numbers, StringComparer.Ordinal, Comparer<int>.Default);
        Pairs(KeyCodec.Tuple(KeyCodec.Int32, KeyCodec.String), numbers, texts, Comparer<int>.Default, StringComparer.Ordinal);
        Pairs(KeyCodec.Tuple(KeyCodec.String, KeyCodec.String), texts, texts, StringComparer.Ordinal, StringComparer.Ordinal);
        IKeyCodec<(string, int, string)> triple = KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32, KeyCodec.String);
        triple.Decode(Bytes(triple, ("a\0", -5, "c"))).Should().Be(("a\0", -5, "c"));
        KeyCodec.Tuple(KeyCodec.Int32, KeyCodec.Guid).FixedBytes.Should().Be(20);
        triple.FixedBytes.Should().BeNull();

        IKeyCodec<((string, string), string)> nested = KeyCodec.Tuple(KeyCodec.Tuple(KeyCodec.String, KeyCodec.String), KeyCodec.String);
        nested.Decode(Bytes(nested, (("a\0", "\0\0b"), "c"))).Should().Be((("a\0", "\0\0b"), "c"));
    }

    [Fact]
    public void Bytes_of_another_codec_are_refused()
    {
        IKeyCodec<(string, int)> pair = KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32);
        byte[][] bad = [[], [1], [1, 2], [0], [0, 0], [0, 7, 1], [0, 1], [0, 1, 1, 2, 3], [97, 0, 0xFF]];
        foreach (byte[] bytes in bad)
        {
            FluentActions.Invoking(() => pair.Decode(bytes)).Should().Throw<FormatException>();
        }

        FluentActions.Invoking(() => KeyCodec.Int64.Decode([1, 2, 3])).Should().Throw<FormatException>()
            .WithMessage("These bytes are no key of type Int64: there are 3, and such keys have 8. *");
        FluentActions.Invoking(() => KeyCodec.DateTime.Decode([255, 0, 0, 0, 0, 0, 0, 0])).Should().Throw<FormatException>();
        FluentActions.Invoking(() => KeyCodec.Tuple(KeyCodec.Int32, KeyCodec.Int32).Decode([1, 2])).Should().Throw<FormatException>();
    }

    /// <summary>Text in the order of code points.</summary>
    private static BigInteger Runes(string text)
    {
        byte[] utf32 = [.. text.EnumerateRunes().SelectMany(static rune => BitConverter.GetBytes(rune.Value + 1).Reverse())];
        Array.Resize(ref utf32, 64);
        return new BigInteger(utf32, isUnsigned: true, isBigEndian: true);
    }

    private static void Pairs<T1, T2>(
        IKeyCodec<(T1 First, T2 Second)> codec, T1[] firsts, T2[] seconds, IComparer<T1> first, IComparer<T2> second) => All(
            codec,
            [.. firsts.SelectMany(_ => seconds, static (a, b) => (First: a, Second: b))],
            (a, b) => first.Compare(a.First, b.First) is var order && order != 0 ? order : second.Compare(a.Second, b.Second));

    private static void Any<T>(IKeyCodec<T> codec)
        where T : IComparable<T> => Prop.ForAll<T, T>((a, b) =>
        {
            Same(codec, a, b, static (x, y) => x.CompareTo(y));
            codec.Decode(Bytes(codec, a)).CompareTo(a).Should().Be(0);
        }).QuickCheckThrowOnFailure();

    private static void All<T>(IKeyCodec<T> codec, params T[] keys)
        where T : IComparable<T> => All(codec, keys, static (a, b) => a.CompareTo(b));

    private static void All<T>(IKeyCodec<T> codec, T[] keys, Comparison<T> order)
    {
        foreach (T a in keys)
        {
            codec.Decode(Bytes(codec, a)).Should().Be(a);
            foreach (T b in keys)
            {
                Same(codec, a, b, order);
            }
        }
    }

    private static void Same<T>(IKeyCodec<T> codec, T a, T b, Comparison<T> order) =>
        Math.Sign(Bytes(codec, a).AsSpan().SequenceCompareTo(Bytes(codec, b))).Should().Be(Math.Sign(order(a, b)), "of {0} and {1}", a, b);

    private static byte[] Bytes<T>(IKeyCodec<T> codec, T key)
    {
        byte[] room = new byte[codec.GetMaxBytes(key)];
        int used = codec.Encode(key, room);
        (codec.FixedBytes ?? used).Should().Be(used);
        return room[..used];
    }
}
