using System.Numerics;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>A copy of the space maps of one snapshot: which pages it reaches. The checkpoint asks it about the snapshot on disk.</summary>
internal sealed class UsedPages
{
    private readonly SpaceLayout _layout;
    private readonly ulong[][] _words;

    private UsedPages(SpaceLayout layout, ulong[][] words)
    {
        _layout = layout;
        _words = words;
        EndPage = FindEnd();
    }

    internal long Groups => _words.Length;

    /// <summary>One more than the highest page in use.</summary>
    internal long EndPage { get; }

    /// <summary>Pages in use.</summary>
    internal long Count
    {
        get
        {
            long count = 0;
            foreach (ulong[] words in _words)
            {
                foreach (ulong word in words)
                {
                    count += BitOperations.PopCount(word);
                }
            }

            return count;
        }
    }

    /// <summary>
    /// Reads the maps of a registered snapshot; groups beyond <paramref name="groups"/> are those whose map it sees in memory.
    /// </summary>
    /// <param name="source">Where the maps are read.</param>
    /// <param name="groups">Groups whose map may be in the data file.</param>
    /// <param name="snapshot">The registered snapshot.</param>
    /// <param name="damaged">Is told of maps that cannot be read, whose pages are unknown then; without it the first one throws.</param>
    internal static UsedPages Load(Paging.PageSource source, long groups, long snapshot, Action<long, string>? damaged = null)
    {
        SpaceLayout layout = new(source.PageBytes);
        List<ulong[]> words = [];
        for (long group = 0; group < groups || source.Versions.TryFind(layout.MapPage(group), snapshot, out _); group++)
        {
            try
            {
                words.Add(SpaceMap.ReadWords(source, layout, group, snapshot).ToArray());
            }
            catch (StorageCorruptException error) when (damaged is not null)
            {
                words.Add([]);
                damaged(layout.MapPage(group), error.Message);
            }
        }

        return new UsedPages(layout, [.. words]);
    }

    internal bool IsUsed(long page)
    {
        long group = _layout.GroupOf(page);
        int bit = _layout.BitOf(page);
        return group < _words.Length && _words[group].Length > 0 && (_words[group][bit >> 6] >> (bit & 63) & 1) != 0;
    }

    /// <summary>False when the page's map could not be read.</summary>
    internal bool IsKnown(long page)
    {
        long group = _layout.GroupOf(page);
        return group >= _words.Length || _words[group].Length > 0;
    }

    internal bool IsAnyUsed(long page, long count)
    {
        for (long p = page; p < page + count; p++)
        {
            if (IsUsed(p))
            {
                return true;
            }
        }

        return false;
    }

    private long FindEnd()
    {
        for (int group = _words.Length - 1; group >= 0; group--)
        {
            int word = _words[group].AsSpan().LastIndexOfAnyExcept(0UL);
            if (word >= 0)
            {
                return _layout.PageOf(group, (word << 6) + 64 - BitOperations.LeadingZeroCount(_words[group][word]));
            }
        }

        return 0;
    }
}
