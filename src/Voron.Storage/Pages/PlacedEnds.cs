using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>
/// Runs that the snapshot on disk may not contain, in the order in which they were placed. Changed under the writer lock; a report may look
/// at the same time.
/// </summary>
internal sealed class PlacedEnds
{
    private readonly Lock _look = new();
    private readonly List<PlacedEnd> _ends = [];

    internal int Count => _ends.Count;

    /// <summary>The highest end. Requires the writer lock.</summary>
    internal PageNumber Highest
    {
        get
        {
            PageNumber highest = default;
            foreach (PlacedEnd end in _ends)
            {
                highest = PageNumber.Max(highest, end.End);
            }

            return highest;
        }
    }

    internal void Add(TransactionId transaction, PageNumber end, long count)
    {
        lock (_look)
        {
            _ends.Add(new PlacedEnd(transaction, end, count));
        }
    }

    internal PlacedEnd RemoveLast()
    {
        lock (_look)
        {
            PlacedEnd last = _ends[^1];
            _ends.RemoveAt(_ends.Count - 1);
            return last;
        }
    }

    internal void RemoveUpTo(TransactionId transaction)
    {
        lock (_look)
        {
            _ends.RemoveAll(end => end.Transaction <= transaction);
        }
    }

    internal void RemoveOf(TransactionId transaction)
    {
        lock (_look)
        {
            _ends.RemoveAll(end => end.Transaction == transaction);
        }
    }

    /// <summary>Adds the runs of a transaction to others. Requires the writer lock.</summary>
    internal void AddTo(FreedRuns others, TransactionId transaction)
    {
        foreach (PlacedEnd end in _ends)
        {
            if (end.Transaction == transaction)
            {
                others.Add(transaction, end.End - end.Count, end.Count);
            }
        }
    }

    /// <summary>Number of pages in runs of transactions after this one. Any thread may call it.</summary>
    internal long PagesAfter(TransactionId transaction)
    {
        lock (_look)
        {
            long pages = 0;
            foreach (PlacedEnd end in _ends)
            {
                pages += end.Transaction > transaction ? end.Count : 0;
            }

            return pages;
        }
    }
}
