using System.Numerics;

namespace Voron.Storage.Versions;

/// <summary>A set of page numbers: one bit for each page, in sections that exist only if they have a page of the set.</summary>
internal sealed class PageSet
{
    private const int StretchShift = 15;
    private const int WordShift = 6;
    private const int BitMask = 63;

    private readonly Dictionary<long, ulong[]> _stretches = [];
    private long _endStretch;

    /// <summary>Number of pages in the set.</summary>
    internal long Count { get; private set; }

    internal void Add(long first, long count)
    {
        for (long page = first; page < first + count; page++)
        {
            if (!_stretches.TryGetValue(page >> StretchShift, out ulong[]? words))
            {
                words = new ulong[1 << (StretchShift - WordShift)];
                _stretches.Add(page >> StretchShift, words);
                _endStretch = Math.Max(_endStretch, (page >> StretchShift) + 1);
            }

            ref ulong word = ref words[WordOf(page)];
            ulong bit = 1UL << (int)(page & BitMask);
            Count += (word & bit) == 0 ? 1 : 0;
            word |= bit;
        }
    }

    /// <summary>
    /// Returns the last page of the set from <paramref name="first"/> on and before <paramref name="end"/>; −1 if there is none.
    /// </summary>
    internal long Last(long first, long end)
    {
        end = Math.Min(end, _endStretch << StretchShift);
        while (end > first)
        {
            long stretch = (end - 1) >> StretchShift;
            long begin = Math.Max(first, stretch << StretchShift);
            if (_stretches.TryGetValue(stretch, out ulong[]? words))
            {
                long last = LastIn(words, begin, end);
                if (last >= 0)
                {
                    return last;
                }
            }

            end = begin;
        }

        return -1;
    }

    private static long LastIn(ulong[] words, long begin, long end)
    {
        while (end > begin)
        {
            // In the word of the last page, only the bits before the end.
            long last = end - 1;
            ulong below = words[WordOf(last)] & (ulong.MaxValue >> (BitMask - (int)(last & BitMask)));
            long firstOfWord = last & ~(long)BitMask;
            if (below != 0)
            {
                long page = firstOfWord + BitOperations.Log2(below);
                return page >= begin ? page : -1;
            }

            end = firstOfWord;
        }

        return -1;
    }

    private static int WordOf(long page) => (int)(page & ((1 << StretchShift) - 1)) >> WordShift;
}
