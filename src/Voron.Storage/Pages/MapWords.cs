using System.Numerics;

namespace Voron.Storage.Pages;

/// <summary>Finds and changes runs of pages in the words of one space map: one bit per page, 0 = free.</summary>
internal static class MapWords
{
    internal const int BitsPerWord = 64;

    /// <summary>The longest run that lies inside one word and touches neither end of it.</summary>
    private const int LongestInsideWord = BitsPerWord - 2;

    /// <summary>
    /// Returns the first bit of the first run of <paramref name="count"/> free pages at or after a word, or −1. In the latter case no run
    /// there is longer than <paramref name="longest"/>. Adds the number of <paramref name="words"/> read to <paramref name="looked"/>.
    /// </summary>
    internal static int FindRun(ReadOnlySpan<ulong> words, int firstWord, long count, out int longest, ref long looked)
    {
        longest = 0;
        int length = 0;
        for (int word = firstWord; word < words.Length; word++)
        {
            looked++;
            ulong bits = words[word];
            int leading = BitOperations.TrailingZeroCount(bits);
            length += leading;
            longest = Math.Max(longest, length);
            if (length >= count)
            {
                return (word * BitsPerWord) + leading - length;
            }

            if (leading == BitsPerWord)
            {
                continue;
            }

            length = BitOperations.LeadingZeroCount(bits);
            if (count <= LongestInsideWord && FindInside(bits, (int)count, ref longest) is int bit and >= 0)
            {
                return (word * BitsPerWord) + bit;
            }

            longest = Math.Max(longest, count > LongestInsideWord ? Math.Max(length, LongestInsideWord) : length);
        }

        return -1;
    }

    /// <summary>Returns the number of free pages before the first one in use.</summary>
    internal static long LeadingFree(ReadOnlySpan<ulong> words, ref long looked)
    {
        int word = words.IndexOfAnyExcept(0UL);
        looked += word < 0 ? words.Length : word + 1;
        return word < 0 ? (long)words.Length * BitsPerWord : ((long)word * BitsPerWord) + BitOperations.TrailingZeroCount(words[word]);
    }

    /// <summary>Returns the number of free pages after the last one in use.</summary>
    internal static long TrailingFree(ReadOnlySpan<ulong> words, ref long looked)
    {
        int word = words.LastIndexOfAnyExcept(0UL);
        looked += word < 0 ? words.Length : words.Length - word;
        return word < 0
            ? (long)words.Length * BitsPerWord
            : ((long)(words.Length - word - 1) * BitsPerWord) + BitOperations.LeadingZeroCount(words[word]);
    }

    /// <summary>Flips bits; returns −1, or the first bit in an unexpected state (bits of earlier words are flipped by then).</summary>
    internal static int Change(Span<ulong> words, int bit, int count, bool inUse)
    {
        while (count > 0)
        {
            int shift = bit % BitsPerWord;
            int here = Math.Min(BitsPerWord - shift, count);
            ulong mask = (ulong.MaxValue >> (BitsPerWord - here)) << shift;
            ref ulong word = ref words[bit / BitsPerWord];
            ulong wrong = (inUse ? word : ~word) & mask;
            if (wrong != 0)
            {
                return bit - shift + BitOperations.TrailingZeroCount(wrong);
            }

            word ^= mask;
            bit += here;
            count -= here;
        }

        return -1;
    }

    /// <summary>Returns the first bit of the first long enough run of free bits inside a word, or −1.</summary>
    private static int FindInside(ulong bits, int count, ref int longest)
    {
        int at = 0;
        while (at < BitsPerWord)
        {
            ulong rest = bits >> at;
            int free = rest == 0 ? BitsPerWord - at : BitOperations.TrailingZeroCount(rest);
            longest = Math.Max(longest, free);
            if (free >= count)
            {
                return at;
            }

            at += free;
            at += at < BitsPerWord ? BitOperations.TrailingZeroCount(~(bits >> at)) : 0;
        }

        return -1;
    }
}
