using System.Numerics;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>A copy of one snapshot's space maps: the pages it reaches. The checkpoint uses it for the snapshot on disk.</summary>
internal sealed class UsedPages
{
    private readonly SpaceLayout _layout;
    private readonly List<ulong[]> _words = [];

    private UsedPages(SpaceLayout layout) => _layout = layout;

    internal long Groups => _words.Count;

    /// <summary>One more than the highest page in use.</summary>
    internal PageNumber EndPage { get; private set; }

    /// <summary>Number of pages in use.</summary>
    internal long Count { get; private set; }

    /// <summary>
    /// Reads the maps of a registered snapshot; groups beyond <paramref name="groups"/> are included while it sees their map in memory.
    /// </summary>
    /// <param name="source">Source to read the maps from.</param>
    /// <param name="groups">Number of groups whose map may be in the data file.</param>
    /// <param name="snapshot">The registered snapshot.</param>
    /// <param name="damaged">Called for each unreadable map, whose pages are then unknown; if null, the first one throws.</param>
    internal static UsedPages Load(PageSource source, long groups, TransactionId snapshot, Action<PageNumber, string>? damaged = null)
    {
        UsedPages used = new(new SpaceLayout(source.PageBytes));
        used.Reload(source, groups, snapshot, damaged);
        return used;
    }

    /// <summary>Reads the maps of another snapshot, reusing its memory. No other thread may use it meanwhile.</summary>
    internal void Reload(PageSource source, long groups, TransactionId snapshot, Action<PageNumber, string>? damaged = null)
    {
        int group = 0;
        Count = 0;
        for (; group < groups || source.Versions.TryFind(_layout.MapPage(group), snapshot, out _); group++)
        {
            ulong[] words = group < _words.Count ? _words[group] : [];
            if (group == _words.Count)
            {
                _words.Add(words);
            }

            using PageBuffers.Hold held = source.Hold();
            try
            {
                _words[group] = CopyOf(SpaceMap.ReadWords(source, _layout, group, snapshot), words);
            }
            catch (StorageException error) when (damaged is not null && error.IsOfDamage)
            {
                _words[group] = [];
                damaged(_layout.MapPage(group), error.Message);
            }

            foreach (ulong word in _words[group])
            {
                Count += BitOperations.PopCount(word);
            }
        }

        _words.RemoveRange(group, _words.Count - group);
        EndPage = FindEnd();
    }

    /// <summary>Returns a deep copy.</summary>
    internal UsedPages Copy()
    {
        UsedPages copy = new(_layout) { Count = Count, EndPage = EndPage };
        foreach (ulong[] words in _words)
        {
            copy._words.Add([.. words]);
        }

        return copy;
    }

    internal bool IsUsed(PageNumber page)
    {
        long group = _layout.GroupOf(page);
        int bit = _layout.BitOf(page);
        return group < _words.Count && _words[(int)group].Length > 0 && (_words[(int)group][bit >> 6] >> (bit & 63) & 1) != 0;
    }

    /// <summary>Returns the first page from <paramref name="from"/> on that is used or unused, or <paramref name="end"/>.</summary>
    internal PageNumber Find(bool used, PageNumber from, PageNumber end)
    {
        while (from < end)
        {
            long group = _layout.GroupOf(from);
            if (group >= _words.Count)
            {
                return used ? end : from;
            }

            ulong[] words = _words[(int)group];
            int bit = _layout.BitOf(from);
            ulong mask = ulong.MaxValue << (bit & 63);
            for (int word = bit >> 6; word < words.Length; word++, mask = ulong.MaxValue)
            {
                ulong wanted = (used ? words[word] : ~words[word]) & mask;
                if (wanted != 0)
                {
                    return PageNumber.Min(end, _layout.PageOf(group, (word << 6) + BitOperations.TrailingZeroCount(wanted)));
                }
            }

            from = _layout.PageOf(group + 1, 0);
        }

        return end;
    }

    /// <summary>Returns false if the page's map could not be read.</summary>
    internal bool IsKnown(PageNumber page)
    {
        long group = _layout.GroupOf(page);
        return group >= _words.Count || _words[(int)group].Length > 0;
    }

    /// <summary>Returns the words of a group's map; empty if the group has no map.</summary>
    internal ReadOnlySpan<ulong> WordsOf(long group) => group < _words.Count ? _words[(int)group] : [];

    internal bool IsAnyUsed(PageNumber page, long count)
    {
        for (PageNumber p = page; p < page + count; p++)
        {
            if (IsUsed(p))
            {
                return true;
            }
        }

        return false;
    }

    private static ulong[] CopyOf(ReadOnlySpan<ulong> words, ulong[] memory)
    {
        ulong[] copy = memory.Length == words.Length ? memory : new ulong[words.Length];
        words.CopyTo(copy);
        return copy;
    }

    private PageNumber FindEnd()
    {
        for (int group = _words.Count - 1; group >= 0; group--)
        {
            int word = _words[group].AsSpan().LastIndexOfAnyExcept(0UL);
            if (word >= 0)
            {
                return _layout.PageOf(group, (word << 6) + 64 - BitOperations.LeadingZeroCount(_words[group][word]));
            }
        }

        return default;
    }
}
