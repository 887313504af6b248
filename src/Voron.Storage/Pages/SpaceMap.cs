using System.Numerics;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>
/// Which pages are in use: one bit a page in map pages at computed numbers, versioned like any page, so that allocation state always
/// belongs to the same snapshot as the trees. First fit. The hints in memory are lower bounds: wrong ones cost time, never correctness.
/// </summary>
internal sealed class SpaceMap(PageWriter writer, SpaceLayout layout, long groups)
{
    private readonly List<int> _firstFreeWord = [.. Enumerable.Repeat(0, checked((int)groups))];
    private long _groups = groups;
    private long _groupsAtBegin = groups;
    private long _firstOpenGroup;

    /// <summary>Groups that have a map page.</summary>
    internal long Groups => _groups;

    internal void Begin() => _groupsAtBegin = _groups;

    internal void Rollback()
    {
        _groups = _groupsAtBegin;
        _firstFreeWord.RemoveRange((int)_groups, _firstFreeWord.Count - (int)_groups);
        CollectionsMarshal.AsSpan(_firstFreeWord).Clear();
        _firstOpenGroup = 0;
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

        if (count > layout.PagesPerExtent - layout.GroupsPerExtent - FormatConstants.FirstSpaceMapPage)
        {
            Throw.RunTooLong(count);
        }

        long length = 0;
        for (long group = _firstOpenGroup; ; group++)
        {
            if (group == _groups)
            {
                AddGroup();
            }

            long end = ExtendRun(group, count, ref length);
            if (end >= 0)
            {
                Mark(end - count, count, inUse: true);
                return end - count;
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

    private int FindFree(long group)
    {
        ReadOnlySpan<ulong> words = ReadWords(writer.Source, layout, group, writer.TransactionId);
        int start = _firstFreeWord[(int)group];
        int found = start + words[start..].IndexOfAnyExcept(ulong.MaxValue);
        if (found < start)
        {
            _firstFreeWord[(int)group] = words.Length;
            return -1;
        }

        _firstFreeWord[(int)group] = found;
        return (found << 6) + BitOperations.TrailingZeroCount(~words[found]);
    }

    /// <summary>
    /// Goes on with a run that may have begun in the group before; gives the page after its end, or −1 with the length reached at the
    /// group's end.
    /// </summary>
    private long ExtendRun(long group, long count, ref long length)
    {
        ReadOnlySpan<ulong> words = ReadWords(writer.Source, layout, group, writer.TransactionId);
        int start = length > 0 ? 0 : _firstFreeWord[(int)group];
        for (int word = start; word < words.Length; word++)
        {
            ulong bits = words[word];
            if (bits == ulong.MaxValue)
            {
                length = 0;
                continue;
            }

            if (bits == 0 && length + 64 < count)
            {
                length += 64;
                continue;
            }

            for (int bit = 0; bit < 64; bit++)
            {
                length = ((bits >> bit) & 1) == 0 ? length + 1 : 0;
                if (length == count)
                {
                    return layout.PageOf(group, (word << 6) + bit) + 1;
                }
            }
        }

        return -1;
    }

    private void Mark(long page, long count, bool inUse)
    {
        while (count > 0)
        {
            long group = layout.GroupOf(page);
            int bit = layout.BitOf(page);
            Span<ulong> words = EditWords(group);
            int here = (int)Math.Min(count, layout.PagesPerGroup - bit);
            for (int i = bit; i < bit + here; i++)
            {
                ulong mask = 1UL << (i & 63);
                ref ulong word = ref words[i >> 6];
                if (((word & mask) != 0) == inUse)
                {
                    Throw.NotInUse(layout.PageOf(group, i));
                }

                word ^= mask;
            }

            if (!inUse)
            {
                _firstFreeWord[(int)group] = Math.Min(_firstFreeWord[(int)group], bit >> 6);
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
        writer.CreateWholePage(layout.MapPage(group), PageKind.SpaceMap);
        (int first, int count) = layout.ReservedBits(group);
        Mark(layout.PageOf(group, first), count, inUse: true);
    }
}
