using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>
/// Runs in the data file freed by transactions that may not be durable yet, or that a reader in another process does not see yet, in the
/// order of the transactions. Changed under the writer lock; a checkpoint may look at the same time.
/// </summary>
internal sealed class FreedRuns
{
    private readonly Lock _look = new();
    private readonly List<(TransactionId Transaction, PageNumber First, long Count)> _runs = [];

    internal int Count => _runs.Count;

    internal void Add(TransactionId transaction, PageNumber first, long count)
    {
        lock (_look)
        {
            _runs.Add((transaction, first, count));
        }
    }

    internal void RemoveLast()
    {
        lock (_look)
        {
            _runs.RemoveAt(_runs.Count - 1);
        }
    }

    /// <summary>Removes what a transaction that is rolled back has freed.</summary>
    internal void RemoveOf(TransactionId transaction)
    {
        lock (_look)
        {
            _runs.RemoveAll(run => run.Transaction == transaction);
        }
    }

    /// <summary>Removes what transactions up to this one have freed.</summary>
    internal void RemoveUpTo(TransactionId transaction)
    {
        int count = 0;
        while (count < _runs.Count && _runs[count].Transaction <= transaction)
        {
            count++;
        }

        lock (_look)
        {
            _runs.RemoveRange(0, count);
        }
    }

    /// <summary>Returns the last of these pages that is in such a run, or none.</summary>
    internal PageNumber LastIn(PageNumber first, long count)
    {
        lock (_look)
        {
            foreach ((_, PageNumber start, long pages) in _runs)
            {
                if (start < first + count && first < start + pages)
                {
                    return PageNumber.Min(start + pages, first + count) - 1;
                }
            }
        }

        return PageNumber.None;
    }
}
