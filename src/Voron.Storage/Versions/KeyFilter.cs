using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Tells of most keys that are not in a set that they are not, from twelve bits a key: all bits of a key are in one line of the processor's
/// caches. It never says so of a key that is in the set.
/// </summary>
/// <param name="keys">It has room for this number of keys; with more of them it says of fewer that they are not there.</param>
internal sealed class KeyFilter(int keys)
{
    private const int BitsPerKey = 12;
    private const int BitsPerLine = 512;
    private const int WordsPerLine = BitsPerLine / 64;
    private const int BitsOfKey = 6;
    private const int PlaceBits = 9;

    private readonly HashedLines<ulong> _lines = new((((ulong)keys * BitsPerKey) / BitsPerLine) + 1);

    /// <summary>Whether it was made for this number of keys.</summary>
    internal bool IsFor(int count) => count == keys;

    /// <summary>Removes all keys.</summary>
    internal void Clear() => _lines.Clear();

    /// <summary>The hash of a key, with which it is looked up.</summary>
    internal static ulong HashOf(ReadOnlySpan<byte> key)
    {
        ulong hash = Checksum.Compute(key) * 0x9E37_79B9_7F4A_7C15;
        hash ^= hash >> 32;
        hash *= 0xD6E8_FEB8_6659_FD93;
        return hash ^ (hash >> 32);
    }

    /// <summary>
    /// Adds a key. One thread at a time adds; others may look keys up meanwhile, and find those that were added before what they know of.
    /// </summary>
    internal void Add(ulong hash)
    {
        Span<ulong> line = _lines[hash];
        ulong places = HashedLines<ulong>.PlacesOf(hash);
        for (int i = 0; i < BitsOfKey; i++, places >>= PlaceBits)
        {
            line[WordOf(places)] |= 1UL << (int)(places & 63);
        }
    }

    /// <summary>Whether a key may be in the set.</summary>
    internal bool MayHave(ulong hash)
    {
        // All bits are looked at: they are in one line, and a branch for each would often be predicted wrongly.
        ReadOnlySpan<ulong> line = _lines[hash];
        ulong places = HashedLines<ulong>.PlacesOf(hash);
        ulong all = 1;
        for (int i = 0; i < BitsOfKey; i++, places >>= PlaceBits)
        {
            all &= line[WordOf(places)] >> (int)(places & 63);
        }

        return all != 0;
    }

    private static int WordOf(ulong places) => (int)((places >> 6) & (WordsPerLine - 1));
}
