using System.Numerics;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <content>Runs written straight to the data file, and reservations.</content>
internal sealed partial class SpaceMap
{
    /// <summary>Free pages that no allocation may take.</summary>
    internal PageReservations Reserved { get; } = new(layout);

    /// <summary>
    /// Allocates the lowest run of pages that are free, not reached by the snapshot on disk, and not seen by any live snapshot.
    /// </summary>
    /// <param name="count">Pages of the run.</param>
    /// <param name="onDisk">Pages of the snapshot on disk.</param>
    /// <param name="lastTouched">For a first page and a count, returns the last of the pages that may still be needed, or none.</param>
    internal PageNumber AllocateUntouched(long count, UsedPages onDisk, Func<PageNumber, long, PageNumber> lastTouched)
    {
        CheckRunLength(count);
        PageNumber first = default;
        long length = 0;
        for (long group = 0; ; group++)
        {
            if (group == _groups)
            {
                AddGroup();
            }

            ReadOnlySpan<ulong> words = WordsToSearch(group);
            ReadOnlySpan<ulong> held = onDisk.WordsOf(group);
            for (int word = 0; word < words.Length; word++)
            {
                ulong used = words[word] | (word < held.Length ? held[word] : 0);
                for (int bit = 0; bit < MapWords.BitsPerWord;)
                {
                    int free = Math.Min(BitOperations.TrailingZeroCount(used >> bit), MapWords.BitsPerWord - bit);
                    first = length == 0 ? layout.PageOf(group, (word * MapWords.BitsPerWord) + bit) : first;
                    length += free;
                    bit += free;
                    if (HasUntouched(ref first, ref length, count, lastTouched))
                    {
                        Mark(first, count, inUse: true);
                        return first;
                    }

                    if (bit < MapWords.BitsPerWord)
                    {
                        length = 0;
                        bit += BitOperations.TrailingZeroCount(~(used >> bit));
                    }
                }
            }
        }
    }

    /// <summary>Allocates a run at a given page.</summary>
    internal void Take(PageNumber first, long count)
    {
        AddGroupsTo(first + count - 1);
        Mark(first, count, inUse: true);
    }

    /// <summary>Whether this page is free in a snapshot.</summary>
    internal bool IsFree(PageNumber page, TransactionId snapshot)
    {
        long group = layout.GroupOf(page);
        int bit = layout.BitOf(page);
        return group < _groups && (ReadWords(writer.Source, layout, group, snapshot)[bit >> 6] >> (bit & 63) & 1) == 0;
    }

    /// <summary>Keeps pages from being allocated.</summary>
    internal void Reserve(PageNumber first, long count) => Reserved.Add(first, count);

    /// <summary>Lets pages be allocated again if they are free.</summary>
    internal void Unreserve(PageNumber first, long count)
    {
        Reserved.Remove(first, count);
        long last = Math.Min(layout.GroupOf(first + count - 1), _groups - 1);
        for (long group = layout.GroupOf(first); group <= last; group++)
        {
            _firstFreeWord[(int)group] = 0;
            _longestRun[(int)group] = int.MaxValue;
            _firstOpenGroup = Math.Min(_firstOpenGroup, group);
        }
    }

    internal void EndReservations()
    {
        Reserved.Clear();
        ForgetHints();
    }

    /// <summary>Returns the words that a search of a group uses: its map's, combined with the reservations.</summary>
    private ReadOnlySpan<ulong> WordsToSearch(long group) =>
        Reserved.Over(group, ReadWords(writer.Source, layout, group, writer.TransactionId));

    private static bool HasUntouched(ref PageNumber first, ref long length, long count, Func<PageNumber, long, PageNumber> lastTouched)
    {
        while (length >= count)
        {
            PageNumber touched = lastTouched(first, count);
            if (touched == PageNumber.None)
            {
                return true;
            }

            length -= touched + 1 - first;
            first = touched + 1;
        }

        return false;
    }

    private void AddGroupsTo(PageNumber page)
    {
        while (_groups <= layout.GroupOf(page))
        {
            AddGroup();
        }
    }

    private void CheckRunLength(long count)
    {
        if (count > layout.PagesPerExtent - layout.GroupsPerExtent - FormatConstants.FirstSpaceMapPage.Value)
        {
            Throw.RunTooLong(count);
        }
    }
}
