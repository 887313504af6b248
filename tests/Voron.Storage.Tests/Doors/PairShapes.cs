namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Makes keys and values of the shapes that blocks of pairs get wrong: empty, with zeros, prefixes of each other, the longest.
/// </summary>
internal sealed class PairShapes(Random random, int maxBytes, int? valueBytes)
{
    internal byte[][] Keys()
    {
        int longest = maxBytes - 2 - (valueBytes ?? 0);
        return
        [
            [], [0], [0, 0], [0, 1], [0, 2], [0, 0xFF], [1], [0xFF], [0xFF, 0xFF], "a"u8.ToArray(), "ab"u8.ToArray(), "b"u8.ToArray(),
            [.. "a"u8, 0], [.. "a"u8, 0, 1], [.. "a"u8, 0, 0xFF], new byte[longest / 2],
            .. Enumerable.Range(0, 3).Select(_ => Filled(longest)), .. Enumerable.Range(0, 12).Select(_ => Filled(16)),
        ];
    }

    internal byte[] Value(byte[] key)
    {
        int most = maxBytes - 2 - key.Length - key.Count(static b => b == 0);
        int length = valueBytes ?? Math.Min(most, random.Next(12) switch
        {
            0 => 0,
            1 => 1,
            2 => most,
            3 => 255,
            4 => random.Next(most + 1),
            _ => random.Next(1, 20),
        });
        byte[] value = Filled(length);
        if (length > 1 && random.Next(2) == 0)
        {
            value.AsSpan(0, length - 2).Clear();
        }

        return value;
    }

    private byte[] Filled(int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        bytes.AsSpan().Replace((byte)0, (byte)7);
        return bytes;
    }
}
