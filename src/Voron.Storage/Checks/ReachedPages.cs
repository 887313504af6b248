using System.Numerics;
using Voron.Storage.Format;

namespace Voron.Storage.Checks;

/// <summary>The pages that a check has reached: one bit for each page, so the set for a terabyte fits in memory.</summary>
internal sealed class ReachedPages(PageNumber endPage)
{
    private readonly ulong[] _words = new ulong[checked((int)(endPage + 63).WordIndex)];

    /// <summary>One more than the highest possible page.</summary>
    internal PageNumber EndPage { get; } = endPage;

    internal long Count { get; private set; }

    internal bool Contains(PageNumber page) => (_words[page.WordIndex] >> page.BitIndex & 1) != 0;

    /// <summary>Returns the first page of the set from this one on; <paramref name="end"/> if there is none before it.</summary>
    internal PageNumber Find(PageNumber from, PageNumber end)
    {
        ulong mask = ulong.MaxValue << from.BitIndex;
        for (long word = from.WordIndex; word < _words.Length && word << 6 < end.Value; word++, mask = ulong.MaxValue)
        {
            ulong wanted = _words[word] & mask;
            if (wanted != 0)
            {
                return PageNumber.Min(end, new PageNumber((word << 6) + BitOperations.TrailingZeroCount(wanted)));
            }
        }

        return end;
    }

    /// <summary>Adds a page; false if it was in the set.</summary>
    internal bool Add(PageNumber page)
    {
        ref ulong word = ref _words[page.WordIndex];
        ulong bit = 1UL << page.BitIndex;
        if ((word & bit) != 0)
        {
            return false;
        }

        word |= bit;
        Count++;
        return true;
    }
}
