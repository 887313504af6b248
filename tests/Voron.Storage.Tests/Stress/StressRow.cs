using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Voron.Storage.Tests.Stress;

/// <summary>A value as the model has it: its bytes follow from a seed and a length.</summary>
/// <param name="Seed">What the bytes follow from.</param>
/// <param name="Bytes">The length.</param>
/// <param name="IsStreamed">It was written through a pipe and may lie in pieces.</param>
internal readonly record struct StressRow(int Seed, int Bytes, bool IsStreamed = false)
{
    private const int LongKeyBytes = 180;

    /// <summary>The order of keys is that of their numbers; one in seven is long.</summary>
    internal static byte[] Key(int number)
    {
        string digits = number.ToString("D6", CultureInfo.InvariantCulture);
        return Encoding.ASCII.GetBytes(number % 7 == 0 ? digits.PadRight(LongKeyBytes, 'x') : digits);
    }

    internal void Fill(Span<byte> destination, int offset = 0)
    {
        for (int i = 0; i < destination.Length; i++)
        {
            destination[i] = At(offset + i);
        }
    }

    internal byte[] ToArray()
    {
        byte[] value = new byte[Bytes];
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(value.AsSpan());
        for (int i = 0; i < words.Length; i++)
        {
            words[i] = Word(i);
        }

        Fill(value.AsSpan(words.Length * sizeof(ulong)), words.Length * sizeof(ulong));
        return value;
    }

    /// <summary>Null when these are the value's bytes from an offset on, which is a multiple of eight; else what differs.</summary>
    internal string? Difference(ReadOnlySpan<byte> found, int offset = 0)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(found);
        int first = offset / sizeof(ulong);
        for (int i = 0; i < words.Length; i++)
        {
            if (words[i] != Word(first + i))
            {
                return $"bytes from {offset + (i * sizeof(ulong))} on are {words[i]:x16} and not {Word(first + i):x16}";
            }
        }

        for (int i = words.Length * sizeof(ulong); i < found.Length; i++)
        {
            if (found[i] != At(offset + i))
            {
                return $"byte {offset + i} is {found[i]:x2} and not {At(offset + i):x2}";
            }
        }

        return null;
    }

    private byte At(int index)
    {
        Span<byte> word = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(word, Word(index / sizeof(ulong)));
        return word[index % sizeof(ulong)];
    }

    private ulong Word(int index) => (((ulong)(uint)Seed << 32) | (uint)index) * 0x9E3779B97F4A7C15;
}
