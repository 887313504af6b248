using System.Numerics;
using Voron.Storage.Threads;

namespace Voron.Storage.Pages;

/// <summary>The pages that the snapshot on disk reaches, and how far a search for others has come.</summary>
internal sealed class PagesOnDisk
{
    private Func<UsedPages>? _used;
    private int _word;

    /// <summary>Held while <see cref="Used"/> is used: the next checkpoint but one uses its memory for another snapshot.</summary>
    internal Gate Gate { get; } = new();

    /// <summary>Null while the database is opened.</summary>
    internal UsedPages? Used => _used?.Invoke();

    /// <summary>The group of the space map that is searched.</summary>
    internal long Group { get; private set; }

    /// <summary>
    /// Sets the snapshot that is on disk now. When this returns, the previous one's page set is no longer read, and its memory may be
    /// reused.
    /// </summary>
    internal void Set(Func<UsedPages> used)
    {
        using (Gate.Hold())
        {
            _used = used;
            Restart();
        }
    }

    /// <summary>Lets the search begin with the first page.</summary>
    internal void Restart() => (Group, _word) = (0, 0);

    /// <summary>
    /// Searches the words of the group's map for a page that is free and that the snapshot does not reach, from the word on in which the
    /// last one was found. Returns its bit; −1 if there is none, and then the search goes on in the next group.
    /// </summary>
    internal int FindOther(UsedPages onDisk, ReadOnlySpan<ulong> words)
    {
        ReadOnlySpan<ulong> held = onDisk.WordsOf(Group);
        for (; _word < words.Length; _word++)
        {
            ulong used = words[_word] | (_word < held.Length ? held[_word] : 0);
            if (used != ulong.MaxValue)
            {
                return (_word * MapWords.BitsPerWord) + BitOperations.TrailingZeroCount(~used);
            }
        }

        (Group, _word) = (Group + 1, 0);
        return -1;
    }
}
