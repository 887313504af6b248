using System.Numerics;

namespace Voron.Storage.Checks;

/// <summary>The pages that a check has reached: one bit for each page, so the set for a terabyte fits in memory.</summary>
internal sealed class ReachedPages(long endPage)
{
    private readonly ulong[] _words = new ulong[checked((int)((endPage + 63) >> 6))];

    /// <summary>One more than the highest possible page.</summary>
    internal long EndPage { get; } = endPage;

    internal long Count { get; private set; }

    internal bool Contains(long page) => (_words[page >> 6] >> (int)(page & 63) & 1) != 0;

    /// <summary>Returns the first page of the set from this one on; <paramref name="end"/> if there is none before it.</summary>
    internal long Find(long from, long end)
    {
        ulong mask = ulong.MaxValue << (int)(from & 63);
        for (long word = from >> 6; word < _words.Length && word << 6 < end; word++, mask = ulong.MaxValue)
        {
            ulong wanted = _words[word] & mask;
            if (wanted != 0)
            {
                return Math.Min(end, (word << 6) + BitOperations.TrailingZeroCount(wanted));
            }
        }

        return end;
    }

    /// <summary>Adds a page; false if it was in the set.</summary>
    internal bool Add(long page)
    {
        ref ulong word = ref _words[page >> 6];
        ulong bit = 1UL << (int)(page & 63);
        if ((word & bit) != 0)
        {
            return false;
        }

        word |= bit;
        Count++;
        return true;
    }
}
