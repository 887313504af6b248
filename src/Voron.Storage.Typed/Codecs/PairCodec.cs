using System.Buffers;

namespace Voron.Storage.Typed.Codecs;

/// <summary>
/// The bytes of the first part, then those of the second. Where the first has no fixed length it must say where it ends, without disturbing
/// the order: a zero in it becomes <c>00 FF</c>, and its end is <c>00 01</c>.
/// </summary>
internal sealed class PairCodec<T1, T2>(IKeyCodec<T1> first, IKeyCodec<T2> second) : IKeyCodec<(T1 First, T2 Second)>
{
    private const int EndBytes = 2;
    private const byte End = 0x01;
    private const byte Zero = 0xFF;

    public int? FixedBytes => first.FixedBytes + second.FixedBytes;

    public string Name => $"({first.Name},{second.Name})";

    public int GetMaxBytes((T1 First, T2 Second) key) => checked(
        (first.FixedBytes ?? ((2 * first.GetMaxBytes(key.First)) + EndBytes)) + second.GetMaxBytes(key.Second));

    public int Encode((T1 First, T2 Second) key, Span<byte> destination)
    {
        int used = first.FixedBytes is null ? EncodeVariable(key.First, destination) : first.Encode(key.First, destination);
        return used + second.Encode(key.Second, destination[used..]);
    }

    /// <summary>The bytes with which all pairs with this first part begin.</summary>
    internal byte[] EncodeFirst(T1 part)
    {
        byte[] bytes = new byte[first.FixedBytes ?? checked((2 * first.GetMaxBytes(part)) + EndBytes)];
        return bytes[..(first.FixedBytes is null ? EncodeVariable(part, bytes) : first.Encode(part, bytes))];
    }

    public (T1 First, T2 Second) Decode(ReadOnlySpan<byte> source)
    {
        if (first.FixedBytes is not { } bytes)
        {
            return DecodeVariable(source);
        }

        if (source.Length < bytes)
        {
            Throw.NoKey(typeof(T1), "the first part is cut off.");
        }

        return (first.Decode(source[..bytes]), second.Decode(source[bytes..]));
    }

    private int EncodeVariable(T1 part, Span<byte> destination)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(first.GetMaxBytes(part));
        ReadOnlySpan<byte> plain = buffer.AsSpan(0, first.Encode(part, buffer));
        int used = 0;
        foreach (byte one in plain)
        {
            destination[used++] = one;
            if (one == 0)
            {
                destination[used++] = Zero;
            }
        }

        destination[used++] = 0;
        destination[used++] = End;
        ArrayPool<byte>.Shared.Return(buffer);
        return used;
    }

    private (T1 First, T2 Second) DecodeVariable(ReadOnlySpan<byte> source)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(source.Length);
        try
        {
            int length = 0;
            int at = 0;
            while (true)
            {
                if (at + 1 >= source.Length)
                {
                    Throw.NoKey(typeof(T1), "the first part has no end.");
                }

                byte one = source[at++];
                if (one == 0 && source[at++] is var mark && mark != Zero)
                {
                    if (mark != End)
                    {
                        Throw.NoKey(typeof(T1), $"a zero is followed by {mark:X2}.");
                    }

                    return (first.Decode(buffer.AsSpan(0, length)), second.Decode(source[at..]));
                }

                buffer[length++] = one;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
