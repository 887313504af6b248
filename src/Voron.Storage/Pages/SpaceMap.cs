using System.Numerics;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>
/// Which pages are in use: one bit a page in map pages at computed numbers, versioned like any page, so that allocation state always
/// belongs to the same snapshot as the trees. First fit.
/// <para>For each group memory holds two hints that can cost time but never correctness: a word before which nothing is free, and a length
/// that no free run exceeds. A search for a run looks through a group only when the second allows it, and otherwise at its two ends, where
/// a run may go on into the next group: so a group is looked through once after each time that something in it was freed.</para>
/// </summary>
internal sealed partial class SpaceMap(PageWriter writer, SpaceLayout layout, long groups)
{
    private readonly List<int> _firstFreeWord = [.. Enumerable.Repeat(0, checked((int)groups))];
    private readonly List<int> _longestRun = [.. Enumerable.Repeat(int.MaxValue, checked((int)groups))];
    private long _groups = groups;
    private long _groupsAtBegin = groups;
    private long _firstOpenGroup;
    private long _wordsLookedAt;

    /// <summary>Groups that have a map page.</summary>
    internal long Groups => _groups;

    /// <summary>Words of map pages that searches have looked at so far: what they cost.</summary>
    internal long WordsLookedAt => _wordsLookedAt;

    internal void Begin() => _groupsAtBegin = _groups;

    internal void Rollback() => RollbackTo(_groupsAtBegin);

    /// <summary>The maps are as they were when there were so many groups; hints that may be too good are forgotten.</summary>
    internal void RollbackTo(long groups)
    {
        _groups = groups;
        _firstFreeWord.RemoveRange((int)_groups, _firstFreeWord.Count - (int)_groups);
        _longestRun.RemoveRange((int)_groups, _longestRun.Count - (int)_groups);
        ForgetHints();
    }

    /// <summary>Takes the lowest free page.</summary>
    internal long Allocate()
    {
        for (long group = _firstOpenGroup; ; group++)
        {
            if (group == _groups)
            {
                AddGroup();
            }

            int bit = FindFree(group);
            if (bit >= 0)
            {
                _firstOpenGroup = group;
                EditWords(group)[bit >> 6] |= 1UL << (bit & 63);
                return layout.PageOf(group, bit);
            }
        }
    }

    /// <summary>Takes the lowest run of contiguous free pages of this length; it never crosses the map pages of an extent.</summary>
    internal long AllocateRun(long count)
    {
        if (count == 1)
        {
            return Allocate();
        }

        CheckRunLength(count);
        long before = 0;
        for (long group = _firstOpenGroup; ; group++)
        {
            if (group == _groups)
            {
                AddGroup();
            }

            long first = FindRun(group, count, ref before);
            if (first >= 0)
            {
                Mark(first, count, inUse: true);
                return first;
            }
        }
    }

    internal void Free(long page, long count)
    {
        Mark(page, count, inUse: false);
        long group = layout.GroupOf(page);
        _firstOpenGroup = Math.Min(_firstOpenGroup, group);
    }

    /// <summary>The words of a group's map as a snapshot sees them.</summary>
    internal static ReadOnlySpan<ulong> ReadWords(Paging.PageSource source, SpaceLayout layout, long group, long snapshot)
    {
        long page = layout.MapPage(group);
        Paging.PageView view = source.Read(page, snapshot);
        if (view.Header.Kind != PageKind.SpaceMap)
        {
            Throw.BadSpaceMap(page);
        }

        return MemoryMarshal.Cast<byte, ulong>(view.WholePage(source.PageBytes)[PageHeader.SizeBytes..]);
    }

    private void ForgetHints()
    {
        CollectionsMarshal.AsSpan(_firstFreeWord).Clear();
        CollectionsMarshal.AsSpan(_longestRun).Fill(int.MaxValue);
        _firstOpenGroup = 0;
    }

    private int FindFree(long group)
    {
        ReadOnlySpan<ulong> words = WordsToSearch(group);
        int start = _firstFreeWord[(int)group];
        int found = start + words[start..].IndexOfAnyExcept(ulong.MaxValue);
        _wordsLookedAt += (found < start ? words.Length : found + 1) - start;
        if (found < start)
        {
            _firstFreeWord[(int)group] = words.Length;
            return -1;
        }

        _firstFreeWord[(int)group] = found;
        return (found << 6) + BitOperations.TrailingZeroCount(~words[found]);
    }

    /// <summary>
    /// The first page of a run that ends in a group, or −1. <paramref name="before"/> counts the free pages right before the group, and
    /// on return those at its end.
    /// </summary>
    private long FindRun(long group, long count, ref long before)
    {
        ReadOnlySpan<ulong> words = WordsToSearch(group);
        if (before > 0)
        {
            long leading = MapWords.LeadingFree(words, ref _wordsLookedAt);
            if (before + leading >= count)
            {
                return layout.PageOf(group, 0) - before;
            }

            if (leading == layout.PagesPerGroup)
            {
                before += leading;
                return -1;
            }
        }

        if (_longestRun[(int)group] >= count)
        {
            int bit = MapWords.FindRun(words, _firstFreeWord[(int)group], count, out int longest, ref _wordsLookedAt);
            if (bit >= 0)
            {
                return layout.PageOf(group, bit);
            }

            _longestRun[(int)group] = longest;
        }

        before = MapWords.TrailingFree(words, ref _wordsLookedAt);
        return -1;
    }

    private void Mark(long page, long count, bool inUse)
    {
        while (count > 0)
        {
            int group = (int)layout.GroupOf(page);
            int bit = layout.BitOf(page);
            int here = (int)Math.Min(count, layout.PagesPerGroup - bit);
            int wrong = MapWords.Change(EditWords(group), bit, here, inUse);
            if (wrong >= 0)
            {
                Throw.WrongBit(layout.PageOf(group, wrong), inUse);
            }

            if (!inUse)
            {
                _firstFreeWord[group] = Math.Min(_firstFreeWord[group], bit / MapWords.BitsPerWord);
                _longestRun[group] = int.MaxValue;
            }

            page += here;
            count -= here;
        }
    }

    private Span<ulong> EditWords(long group) =>
        MemoryMarshal.Cast<byte, ulong>(writer.EditWholePage(layout.MapPage(group))[PageHeader.SizeBytes..]);

    private void AddGroup()
    {
        long group = _groups++;
        _firstFreeWord.Add(0);
        _longestRun.Add(int.MaxValue);
        writer.CreateWholePage(layout.MapPage(group), PageKind.SpaceMap);
        (int first, int count) = layout.ReservedBits(group);
        Mark(layout.PageOf(group, first), count, inUse: true);
    }
}
