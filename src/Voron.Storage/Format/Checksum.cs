using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>
/// The checksum of every checked structure: two CRC-32C lanes over alternate 8-byte words, low lane in the low half. The second lane
/// starts from the length, so neither a run of zeros nor a cut one passes. Little-endian machines only, like the format.
/// </summary>
internal static class Checksum
{
    internal const uint Seed = 0xFFFF_FFFF;

    internal static ulong Compute(ReadOnlySpan<byte> bytes) => Finish(bytes, Seed, ~(uint)bytes.Length);

    /// <summary>Checksum of two pieces that need not be adjacent, as if the first one's checksum were a prefix of the second.</summary>
    internal static ulong Compute(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        ulong head = Compute(first);
        return Finish(second, (uint)head, (uint)(head >> 32) ^ (uint)second.Length);
    }

    /// <summary>Adds whole words alternately to two lanes, beginning with the first one.</summary>
    internal static void AddWords(ReadOnlySpan<byte> bytes, ref uint first, ref uint second)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        ref ulong word = ref MemoryMarshal.GetReference(words);
        int pairs = words.Length & ~1;
        uint one = first;
        uint two = second;
        for (int i = 0; i < pairs; i += 2)
        {
            one = BitOperations.Crc32C(one, Unsafe.Add(ref word, i));
            two = BitOperations.Crc32C(two, Unsafe.Add(ref word, i + 1));
        }

        first = pairs < words.Length ? BitOperations.Crc32C(one, words[pairs]) : one;
        second = two;
    }

    private static ulong Finish(ReadOnlySpan<byte> bytes, uint low, uint high)
    {
        AddWords(bytes, ref low, ref high);
        int rest = bytes.Length & 7;
        if (rest != 0)
        {
            ulong last = 0;
            bytes[^rest..].CopyTo(MemoryMarshal.AsBytes(new Span<ulong>(ref last)));
            high = BitOperations.Crc32C(high, last);
        }

        return low | ((ulong)high << 32);
    }
}
