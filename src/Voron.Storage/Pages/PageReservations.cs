using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>
/// Free pages that no allocation may take: during replay those that records name, and later those of <see cref="KeptRuns"/>. Guarded by the
/// writer lock.
/// </summary>
internal sealed class PageReservations(SpaceLayout layout)
{
    /// <summary>A bit for each page, by group.</summary>
    private readonly Dictionary<long, ulong[]> _words = [];
    private ulong[] _searched = [];

    internal void Add(PageNumber first, long count) => Set(first, count, reserved: true);

    internal void Remove(PageNumber first, long count) => Set(first, count, reserved: false);

    internal void Clear() => _words.Clear();

    internal bool HasAny(PageNumber first, long count)
    {
        for (PageNumber page = first; page < first + count && _words.Count > 0; page += 1)
        {
            int bit = layout.BitOf(page);
            if (_words.TryGetValue(layout.GroupOf(page), out ulong[]? words) && (words[bit >> 6] >> (bit & 63) & 1) != 0)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns the words of a group's map combined with the reservations, valid until the next call.</summary>
    internal ReadOnlySpan<ulong> Over(long group, ReadOnlySpan<ulong> words)
    {
        if (_words.Count == 0 || !_words.TryGetValue(group, out ulong[]? reserved))
        {
            return words;
        }

        if (_searched.Length != words.Length)
        {
            _searched = new ulong[words.Length];
        }

        for (int i = 0; i < words.Length; i++)
        {
            _searched[i] = words[i] | reserved[i];
        }

        return _searched;
    }

    private void Set(PageNumber first, long count, bool reserved)
    {
        for (PageNumber page = first; page < first + count;)
        {
            int bit = layout.BitOf(page);
            int here = (int)Math.Min(first + count - page, layout.PagesPerGroup - bit);
            ref ulong[]? words = ref CollectionsMarshal.GetValueRefOrAddDefault(_words, layout.GroupOf(page), out _);
            words ??= new ulong[layout.PagesPerGroup / MapWords.BitsPerWord];
            for (int i = bit; i < bit + here; i++)
            {
                ulong mask = 1UL << (i % MapWords.BitsPerWord);
                ref ulong word = ref words[i / MapWords.BitsPerWord];
                word = reserved ? word | mask : word & ~mask;
            }

            page += here;
        }
    }
}
