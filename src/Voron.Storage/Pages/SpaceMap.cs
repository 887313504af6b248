using System.Numerics;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>
/// The space map: one bit per page says whether it is in use, in map pages at computed numbers. They are versioned like any page, so the
/// allocation state always belongs to the same snapshot as the trees. Allocation is first fit.
/// <para>Each group has two hints in memory that can cost time but never correctness: a word before which no page is free, and a length
/// that no free run exceeds. A search for a run scans a group only if the second hint allows it, and otherwise checks only its two ends,
/// where a run may continue into the next group. So a group is scanned once after each time that pages in it were freed.</para>
/// </summary>
internal sealed partial class SpaceMap(PageWriter writer, SpaceLayout layout, long groups)
{
    private readonly List<int> _firstFreeWord = [.. Enumerable.Repeat(0, checked((int)groups))];
    private readonly List<int> _longestRun = [.. Enumerable.Repeat(int.MaxValue, checked((int)groups))];
    private long _groups = groups;
    private long _groupsAtBegin = groups;
    private long _firstOpenGroup;
    private long _wordsLookedAt;

    /// <summary>Number of groups that have a map page.</summary>
    internal long Groups => _groups;

    /// <summary>Map words read by searches so far, as a measure of their cost.</summary>
    internal long WordsLookedAt => _wordsLookedAt;

    internal void Begin() => _groupsAtBegin = _groups;

    internal void Rollback() => RollbackTo(_groupsAtBegin);

    /// <summary>Returns to a state with this many groups, the maps being restored already; drops hints that may be too strict.</summary>
    internal void RollbackTo(long groups)
    {
        _groups = groups;
        _firstFreeWord.RemoveRange((int)_groups, _firstFreeWord.Count - (int)_groups);
        _longestRun.RemoveRange((int)_groups, _longestRun.Count - (int)_groups);
        ForgetHints();
    }

    /// <summary>Allocates the lowest free page, or with <see cref="KeepsOffDisk"/> one that the snapshot on disk does not reach.</summary>
    internal PageNumber Allocate()
    {
        if (KeepsOffDisk && TryAllocateOffDisk(out PageNumber page))
        {
            return page;
        }

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

    /// <summary>Allocates the lowest run of <paramref name="count"/> free pages; it never crosses the map pages of an extent.</summary>
    internal PageNumber AllocateRun(long count)
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

            PageNumber first = FindRun(group, count, ref before);
            if (first != PageNumber.None)
            {
                Mark(first, count, inUse: true);
                return first;
            }
        }
    }

    internal void Free(PageNumber page, long count)
    {
        Mark(page, count, inUse: false);
        long group = layout.GroupOf(page);
        _firstOpenGroup = Math.Min(_firstOpenGroup, group);
    }

    /// <summary>Returns the words of a group's map as a snapshot sees them.</summary>
    internal static ReadOnlySpan<ulong> ReadWords(PageSource source, SpaceLayout layout, long group, TransactionId snapshot)
    {
        PageNumber page = layout.MapPage(group);
        PageView view = source.Read(page, snapshot);
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
        OnDisk.Restart();
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
    /// Returns the first page of a run that ends in this group, or none. <paramref name="before"/> is the number of free pages right before
    /// the group; on return, of those at its end.
    /// </summary>
    private PageNumber FindRun(long group, long count, ref long before)
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
                return PageNumber.None;
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
        return PageNumber.None;
    }

    private void Mark(PageNumber page, long count, bool inUse)
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
