using System.Numerics;

namespace Voron.Storage.Versions;

/// <summary>A set of pages, one bit for each, that grows as needed. For one thread at a time.</summary>
internal sealed class PageBits
{
    private ulong[] _words = [];

    /// <summary>Number of pages in the set.</summary>
    internal long Count { get; private set; }

    internal bool HasAll(long page, long count)
    {
        for (long p = page; p < page + count; p++)
        {
            if ((p >> 6) >= _words.Length || (_words[p >> 6] >> (int)(p & 63) & 1) == 0)
            {
                return false;
            }
        }

        return true;
    }

    internal void Add(long page, long count)
    {
        long words = (page + count + 63) >> 6;
        if (words > _words.Length)
        {
            Array.Resize(ref _words, checked((int)Math.Max(words, _words.Length * 2L)));
        }

        for (long p = page; p < page + count; p++)
        {
            Change(p, isIn: true);
        }
    }

    internal void Remove(long page, long count)
    {
        long end = Count == 0 ? page : Math.Min(page + count, (long)_words.Length << 6);
        for (long p = page; p < end; p++)
        {
            Change(p, isIn: false);
        }
    }

    internal void Clear()
    {
        Array.Clear(_words);
        Count = 0;
    }

    private void Change(long page, bool isIn)
    {
        ref ulong word = ref _words[page >> 6];
        int before = BitOperations.PopCount(word);
        ulong bit = 1UL << (int)(page & 63);
        word = isIn ? word | bit : word & ~bit;
        Count += BitOperations.PopCount(word) - before;
    }
}
