using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace Voron.Storage.Tests.Trees;

/// <summary>
/// Makes keys of the shapes that trees get wrong: empty, tiny, runs of one byte, text, long shared beginnings, the greatest length.
/// </summary>
internal sealed class KeyShapes(Random random, int maxKeyBytes)
{
    internal const int Count = 12;

    private readonly byte[] _shared200 = Filled(random, 200);
    private readonly byte[] _sharedMax = Filled(random, maxKeyBytes);
    private ulong _ascending;

    internal byte[] Next(int shape) => shape switch
    {
        0 => random.Next(4) == 0 ? [] : Filled(random, 1),
        1 => Run(0x00, random.Next(maxKeyBytes / 8)),
        2 => Run(0xFF, random.Next(maxKeyBytes / 8)),
        3 => [.. _shared200, .. Filled(random, random.Next(1, 4))],
        4 => [.. _sharedMax.AsSpan(0, maxKeyBytes - 2), .. Filled(random, 2)],
        5 => [.. _sharedMax.AsSpan(0, random.Next(maxKeyBytes - 1)), (byte)random.Next(256)],
        6 => Filled(random, 16),
        7 => Ascending(),
        8 => Filled(random, maxKeyBytes),
        10 => Text(),
        9 => [.. Enumerable.Range(0, random.Next(14)).Select(_ => (byte)random.Next(2))],
        _ => Filled(random, random.Next(maxKeyBytes + 1)),
    };

    internal static byte[] Filled(Random random, int length)
    {
        // A generator with a seed makes bytes one by one, which takes longer than all that is done with them: it begins the words only.
        byte[] bytes = new byte[length];
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes.AsSpan());
        ulong state = (ulong)random.NextInt64() | 1;
        foreach (ref ulong word in words)
        {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word = state * 0x9E3779B97F4A7C15;
        }

        random.NextBytes(bytes.AsSpan(words.Length * sizeof(ulong)));
        return bytes;
    }

    private static byte[] Run(byte value, int length)
    {
        byte[] bytes = new byte[length];
        Array.Fill(bytes, value);
        return bytes;
    }

    /// <summary>UTF-8 of one to four bytes a character.</summary>
    private byte[] Text()
    {
        string[] words = ["a", "ä", "日", "🌳", "z", "ß", "-", "0"];
        return Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, random.Next(1, 12)).Select(_ => words[random.Next(words.Length)])));
    }

    private byte[] Ascending()
    {
        byte[] key = new byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(key.AsSpan(4), _ascending += (ulong)random.Next(1, 300));
        return key;
    }
}
