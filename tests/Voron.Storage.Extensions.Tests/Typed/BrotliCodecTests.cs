using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed;

public sealed class BrotliCodecTests
{
    private const byte Plain = 0;
    private const byte Packed = 1;

    private static readonly IValueCodec<byte[]> Codec = ValueCodec.Brotli(new BytesCodec());

    [Theory]
    [InlineData(0, Plain)]
    [InlineData(1, Plain)]
    [InlineData(511, Plain)]
    [InlineData(512, Packed)]
    [InlineData(100_000, Packed)]
    [InlineData(5_000_000, Packed)]
    public void Values_come_back_and_long_ones_are_shorter(int bytes, byte kind)
    {
        byte[] value = Text(bytes);
        byte[] stored = Encode(Codec, value);
        stored[0].Should().Be(kind);
        if (kind == Packed)
        {
            stored.Length.Should().BeLessThan(bytes / 2);
        }
        else
        {
            stored.Length.Should().Be(bytes + 1);
        }

        Codec.Decode(stored).AsSpan().SequenceEqual(value).Should().BeTrue();
    }

    [Fact]
    public void Random_values_of_all_qualities_come_back_through_any_of_them()
    {
        int seed = Environment.GetEnvironmentVariable("VORON_SEED") is { Length: > 0 } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Random.Shared.Next();
        Random random = new(seed);
        for (int i = 0; i < 2_000; i++)
        {
            byte[] value = new byte[random.Next(3_000)];
            random.NextBytes(value);

            // Zeros in a part of it: from incompressible to nothing else.
            value.AsSpan(random.Next(value.Length + 1)).Clear();
            int from = random.Next(600);
            byte[] stored = Encode(ValueCodec.Brotli(new BytesCodec(), random.Next(12), from), value);
            stored.Length.Should().BeLessThanOrEqualTo(value.Length + 1);
            (stored[0] == Packed && value.Length < from).Should().BeFalse();
            Codec.Decode(stored).AsSpan().SequenceEqual(value).Should().BeTrue("VORON_SEED={0} repeats it, step {1}", seed, i);
        }
    }

    [Fact]
    public void Values_that_do_not_become_shorter_are_stored_as_they_are()
    {
        byte[] value = new byte[10_000];
        new Random(1).NextBytes(value);
        byte[] stored = Encode(Codec, value);
        stored[0].Should().Be(Plain);
        stored.AsSpan(1).SequenceEqual(value).Should().BeTrue();
    }

    /// <summary>Brotli has no checksum, so some damage gives other bytes; but nothing else than the typed error is ever thrown.</summary>
    [Fact]
    public void Damaged_bytes_give_the_typed_error()
    {
        byte[] stored = Encode(Codec, Text(2_000));
        for (int length = 0; length < stored.Length; length++)
        {
            Fails(stored[..length]);
        }

        Fails([.. stored[..1], 0, 0, 0, 0, .. stored[5..]]);
        Fails([.. stored[..1], 0xFF, 0xFF, 0xFF, 0xFF, .. stored[5..]]);
        Fails([.. stored[..1], .. Bytes(1_999), .. stored[5..]]);
        Fails([.. stored[..1], .. Bytes(2_001), .. stored[5..]]);
        Fails([2, .. stored[1..]]);
        int refused = 0;
        for (int at = 1; at < stored.Length; at++)
        {
            for (int bit = 0; bit < 8; bit++)
            {
                byte[] damaged = [.. stored];
                damaged[at] ^= (byte)(1 << bit);
                try
                {
                    Codec.Decode(damaged).Length.Should().Be(BinaryPrimitives.ReadInt32LittleEndian(damaged.AsSpan(1)));
                }
                catch (FormatException)
                {
                    refused++;
                }
            }
        }

        refused.Should().BeGreaterThan(8 * 4, "no wrong length is believed");
    }

    [Fact]
    public void A_claimed_length_takes_no_memory()
    {
        byte[] stored = Encode(Codec, Text(5_000_000));
        byte[] claims = [.. stored[..1], .. Bytes(int.MaxValue), .. stored[5..600]];
        long before = GC.GetAllocatedBytesForCurrentThread();
        Fails(claims);
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(64 << 20);
        Fails([.. stored[..1], .. Bytes(4_999_999), .. stored[5..]]);
        Fails([.. stored[..1], .. Bytes(5_000_001), .. stored[5..]]);
        Fails(stored[..^1]);
    }

    [Fact]
    public void A_tree_has_compressed_values_and_a_table_indexes_them()
    {
        using TemporaryFolder folder = new();
        TableDefinition<long, string> words = new(
            "words", KeyCodec.Int64, ValueCodec.Brotli(new StringValues(), from: 20), static word => word.Length)
        {
            Indexes = { Index.Of("first", KeyCodec.Int32, static (string word) => word[0]) },
        };
        using (StorageEnvironment storage = StorageEnvironment.Open(folder.Path))
        {
            using WriteTransaction write = storage.BeginWrite();
            for (int length = 1; length < 300; length++)
            {
                write.OpenTable(words).Insert(new string((char)('a' + (length % 26)), length));
            }

            write.OpenTable(words).Update(200, static word => word);
            write.Commit();
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        using ReadTransaction read = again.BeginRead();
        ReadTable<long, string> table = read.OpenTable(words);
        table.Check().Should().BeEmpty();
        table.Get(250).Should().Be(new string((char)('a' + (250 % 26)), 250));
        read.OpenTree("words").TryGet([0x80, 0, 0, 0, 0, 0, 0, 250], out ReadOnlySpan<byte> stored).Should().BeTrue();
        stored.Length.Should().BeLessThan(40);
        again.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Encoding_and_decoding_allocate_nothing_of_their_own()
    {
        IValueCodec<byte[]> codec = ValueCodec.Brotli(new FixedCodec(Text(4_000)));
        ArrayBufferWriter<byte> buffer = new(8_000);
        for (int i = 0; i < 50; i++)
        {
            Round();
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            Round();
        }

        (GC.GetAllocatedBytesForCurrentThread() - before).Should().Be(0);

        void Round()
        {
            buffer.ResetWrittenCount();
            codec.Encode([], buffer);
            codec.Decode(buffer.WrittenSpan);
        }
    }

    [Fact]
    public void Bad_arguments_are_refused()
    {
        BytesCodec inner = new();
        ((Action)(static () => ValueCodec.Brotli<byte[]>(null!))).Should().Throw<ArgumentNullException>();
        ((Action)(() => ValueCodec.Brotli(inner, quality: -1))).Should().Throw<ArgumentOutOfRangeException>();
        ((Action)(() => ValueCodec.Brotli(inner, quality: 12))).Should().Throw<ArgumentOutOfRangeException>();
        ((Action)(() => ValueCodec.Brotli(inner, from: -1))).Should().Throw<ArgumentOutOfRangeException>();
    }

    private static void Fails(byte[] stored) => ((Action)(() => Codec.Decode(stored))).Should().Throw<FormatException>()
        .WithMessage("These bytes are no value of type Byte[]: *");

    private static byte[] Bytes(int length)
    {
        byte[] bytes = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, length);
        return bytes;
    }

    private static byte[] Text(int bytes)
    {
        StringBuilder text = new();
        for (int i = 0; text.Length < bytes; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"row {i % 977} of many; ");
        }

        return Encoding.ASCII.GetBytes(text.ToString(0, bytes));
    }

    private static byte[] Encode(IValueCodec<byte[]> codec, byte[] value)
    {
        ArrayBufferWriter<byte> buffer = new();
        codec.Encode(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    private sealed class BytesCodec : IValueCodec<byte[]>
    {
        public void Encode(byte[] value, IBufferWriter<byte> destination) => destination.Write(value);

        public byte[] Decode(ReadOnlySpan<byte> source) => source.ToArray();
    }

    /// <summary>Writes one value and makes none.</summary>
    private sealed class FixedCodec(byte[] value) : IValueCodec<byte[]>
    {
        public void Encode(byte[] ignored, IBufferWriter<byte> destination) => destination.Write(value);

        public byte[] Decode(ReadOnlySpan<byte> source) => source.SequenceEqual(value) ? value : throw new FormatException();
    }

    private sealed class StringValues : IValueCodec<string>
    {
        public void Encode(string value, IBufferWriter<byte> destination) => Encoding.UTF8.GetBytes(value, destination);

        public string Decode(ReadOnlySpan<byte> source) => Encoding.UTF8.GetString(source);
    }
}
