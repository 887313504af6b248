using System.Numerics;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>A set of pages, one bit for each, that grows as needed. For one thread at a time.</summary>
internal sealed class PageBits
{
    private ulong[] _words = [];

    /// <summary>Number of pages in the set.</summary>
    internal long Count { get; private set; }

    internal bool HasAll(PageNumber page, long count)
    {
        for (PageNumber p = page; p < page + count; p++)
        {
            if (p.WordIndex >= _words.Length || (_words[p.WordIndex] >> p.BitIndex & 1) == 0)
            {
                return false;
            }
        }

        return true;
    }

    internal void Add(PageNumber page, long count)
    {
        long words = (page + count + 63).WordIndex;
        if (words > _words.Length)
        {
            Array.Resize(ref _words, checked((int)Math.Max(words, _words.Length * 2L)));
        }

        for (PageNumber p = page; p < page + count; p++)
        {
            Change(p, isIn: true);
        }
    }

    internal void Remove(PageNumber page, long count)
    {
        PageNumber end = Count == 0 ? page : PageNumber.Min(page + count, new PageNumber((long)_words.Length << 6));
        for (PageNumber p = page; p < end; p++)
        {
            Change(p, isIn: false);
        }
    }

    internal void Clear()
    {
        Array.Clear(_words);
        Count = 0;
    }

    private void Change(PageNumber page, bool isIn)
    {
        ref ulong word = ref _words[page.WordIndex];
        int before = BitOperations.PopCount(word);
        ulong bit = 1UL << page.BitIndex;
        word = isIn ? word | bit : word & ~bit;
        Count += BitOperations.PopCount(word) - before;
    }
}
