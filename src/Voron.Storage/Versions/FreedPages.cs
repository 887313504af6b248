using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Pages of the data file that transactions with many frees have freed. One bit for each page means what a marker means for a single one:
/// snapshots before that transaction read it from the file. So dropping a tree of any size takes memory in proportion to the length of the
/// file. A bit may remain for a page that is in use again; that costs at most an image in the page journal. Guarded by the gate of the
/// version table.
/// </summary>
internal sealed class FreedPages
{
    /// <summary>One set for each transaction, in their order.</summary>
    private readonly List<(TransactionId TransactionId, PageSet Pages)> _sets = [];

    internal void Add(TransactionId transactionId, PageNumber page, long count)
    {
        if (_sets.Count == 0 || _sets[^1].TransactionId != transactionId)
        {
            _sets.Add((transactionId, new PageSet()));
        }

        _sets[^1].Pages.Add(page, count);
    }

    /// <summary>Removes the pages of a transaction, the newest one, that is rolled back.</summary>
    internal void Rollback(TransactionId transactionId)
    {
        if (_sets.Count > 0 && _sets[^1].TransactionId == transactionId)
        {
            _sets.RemoveAt(_sets.Count - 1);
        }
    }

    /// <summary>Removes what no live snapshot reads any more, as <see cref="ReclaimQueue.Reclaim"/> does.</summary>
    internal void Reclaim(TransactionId visible, ReadOnlySpan<TransactionId> live)
    {
        while (_sets.Count > 0 && _sets[0].TransactionId <= visible && !IsSeen(_sets[0].TransactionId, live))
        {
            _sets.RemoveAt(0);
        }
    }

    /// <summary>
    /// Returns the last noted page from <paramref name="first"/> on and before <paramref name="end"/>;
    /// <see cref="PageNumber.None"/> if there is none.
    /// </summary>
    internal PageNumber Last(PageNumber first, PageNumber end)
    {
        PageNumber last = PageNumber.None;
        foreach ((_, PageSet pages) in _sets)
        {
            last = PageNumber.Max(last, pages.Last(first, end));
        }

        return last;
    }

    /// <summary>Like <see cref="Last"/>, for pages that a live snapshot reads from the data file.</summary>
    internal PageNumber LastSeen(PageNumber first, PageNumber end, ReadOnlySpan<TransactionId> live)
    {
        PageNumber last = PageNumber.None;
        foreach ((TransactionId transactionId, PageSet pages) in _sets)
        {
            if (IsSeen(transactionId, live))
            {
                last = PageNumber.Max(last, pages.Last(first, end));
            }
        }

        return last;
    }

    /// <summary>Adds up the pages that snapshots read from the data file.</summary>
    internal void CountSeen(ref RetainedBytes seen, int pageBytes)
    {
        foreach ((TransactionId transactionId, PageSet pages) in _sets)
        {
            seen.Add(TransactionId.None, transactionId, pages.Count * pageBytes);
        }
    }

    private static bool IsSeen(TransactionId transactionId, ReadOnlySpan<TransactionId> snapshots)
    {
        foreach (TransactionId snapshot in snapshots)
        {
            if (snapshot < transactionId)
            {
                return true;
            }
        }

        return false;
    }
}
