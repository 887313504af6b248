using System.Buffers;
using System.Security.Cryptography;
using System.Text;

namespace Voron.Storage.Orleans;

/// <summary>
/// Keys of several parts, of which none is the beginning of another one: a part ends with 0 1, and a 0 in it is written as 0 255. Parts may
/// have any length; one that is too long for its share of the key is cut, and ends with the hash of all of it.
/// </summary>
internal static class KeyParts
{
    /// <summary>The shares of a key, which together fit into the shortest limit, 1,024 bytes with pages of 4 KiB.</summary>
    internal const int ServiceBytes = 100;

    internal const int GrainBytes = 600;
    internal const int NameBytes = 200;

    private const byte Escape = 0;
    private const byte End = 1;
    private const byte Zero = 255;

    internal static void Add(ArrayBufferWriter<byte> key, string part, int most) => Add(key, Encoding.UTF8.GetBytes(part), most);

    internal static void Add(ArrayBufferWriter<byte> key, ReadOnlySpan<byte> part, int most)
    {
        int longest = (2 * part.Length) + 2;
        Span<byte> to = key.GetSpan(Math.Max(longest, most));
        int count = 0;
        foreach (byte one in part)
        {
            to[count++] = one;
            if (one == Escape)
            {
                to[count++] = Zero;
            }
        }

        to[count++] = Escape;
        to[count++] = End;
        if (count > most)
        {
            SHA256.HashData(part, to[(most - SHA256.HashSizeInBytes)..most]);
            count = most;
        }

        key.Advance(count);
    }
}
