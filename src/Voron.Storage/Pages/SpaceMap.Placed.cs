using System.Numerics;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <content>Runs written straight to the data file, and their reservation during replay.</content>
internal sealed partial class SpaceMap
{
    /// <summary>During replay: pages that the journal's records name, by group.</summary>
    private Dictionary<long, ulong[]>? _reserved;
    private ulong[] _searched = [];

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

            ReadOnlySpan<ulong> words = ReadWords(writer.Source, layout, group, writer.TransactionId);
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

    /// <summary>Keeps pages from being allocated until <see cref="EndReservations"/>.</summary>
    internal void Reserve(PageNumber first, long count)
    {
        _reserved ??= [];
        for (PageNumber page = first; page < first + count;)
        {
            long group = layout.GroupOf(page);
            int bit = layout.BitOf(page);
            int here = (int)Math.Min(first + count - page, layout.PagesPerGroup - bit);
            ref ulong[]? words = ref CollectionsMarshal.GetValueRefOrAddDefault(_reserved, group, out _);
            words ??= new ulong[layout.PagesPerGroup / MapWords.BitsPerWord];
            for (int i = bit; i < bit + here; i++)
            {
                words[i / MapWords.BitsPerWord] |= 1UL << (i % MapWords.BitsPerWord);
            }

            page += here;
        }
    }

    internal void EndReservations()
    {
        _reserved = null;
        ForgetHints();
    }

    /// <summary>Returns the words that a search of a group uses: its map's, combined with the reservations during replay.</summary>
    private ReadOnlySpan<ulong> WordsToSearch(long group)
    {
        ReadOnlySpan<ulong> words = ReadWords(writer.Source, layout, group, writer.TransactionId);
        if (_reserved is null || !_reserved.TryGetValue(group, out ulong[]? reserved))
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
