using System.Numerics;
using Voron.Storage.Format;

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

    internal void Add(PageNumber first, long count)
    {
        for (PageNumber page = first; page < first + count; page++)
        {
            long stretch = StretchOf(page);
            if (!_stretches.TryGetValue(stretch, out ulong[]? words))
            {
                words = new ulong[1 << (StretchShift - WordShift)];
                _stretches.Add(stretch, words);
                _endStretch = Math.Max(_endStretch, stretch + 1);
            }

            ref ulong word = ref words[WordOf(page)];
            ulong bit = 1UL << page.BitIndex;
            Count += (word & bit) == 0 ? 1 : 0;
            word |= bit;
        }
    }

    /// <summary>
    /// Returns the last page of the set from <paramref name="first"/> on and before <paramref name="end"/>;
    /// <see cref="PageNumber.None"/> if there is none.
    /// </summary>
    internal PageNumber Last(PageNumber first, PageNumber end)
    {
        end = PageNumber.Min(end, BeginOf(_endStretch));
        while (end > first)
        {
            long stretch = StretchOf(end - 1);
            PageNumber begin = PageNumber.Max(first, BeginOf(stretch));
            if (_stretches.TryGetValue(stretch, out ulong[]? words))
            {
                PageNumber last = LastIn(words, begin, end);
                if (last != PageNumber.None)
                {
                    return last;
                }
            }

            end = begin;
        }

        return PageNumber.None;
    }

    private static PageNumber LastIn(ulong[] words, PageNumber begin, PageNumber end)
    {
        while (end > begin)
        {
            // In the word of the last page, only the bits before the end.
            PageNumber last = end - 1;
            ulong below = words[WordOf(last)] & (ulong.MaxValue >> (BitMask - last.BitIndex));
            PageNumber firstOfWord = last - last.BitIndex;
            if (below != 0)
            {
                PageNumber page = firstOfWord + BitOperations.Log2(below);
                return page >= begin ? page : PageNumber.None;
            }

            end = firstOfWord;
        }

        return PageNumber.None;
    }

    private static long StretchOf(PageNumber page) => page.Value >> StretchShift;

    private static PageNumber BeginOf(long stretch) => new(stretch << StretchShift);

    private static int WordOf(PageNumber page) => (int)(page.Value & ((1 << StretchShift) - 1)) >> WordShift;
}
