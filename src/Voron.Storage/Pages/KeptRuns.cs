using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>
/// Placed runs that the newest state does not have any more, and that records name which a named position has not passed: a consumer of
/// the changes reads them in the data file. Their pages are reserved, so nothing takes them; and they are neither punched nor cut off.
/// Changed under the writer lock and a lock on the runs, so that another thread may read their length under the latter.
/// </summary>
internal sealed class KeptRuns(SpaceMap space, int pageBytes)
{
    /// <summary>The transaction that put each run, and its pages, by its first page.</summary>
    private readonly Dictionary<PageNumber, (TransactionId PutBy, long Count)> _runs = [];

    private long _bytes;

    /// <summary>Runs that the open transaction has added.</summary>
    private readonly List<PageNumber> _open = [];

    /// <summary>The oldest position: what later transactions have put is kept.</summary>
    internal Func<TransactionId> Oldest { get; set; } = static () => TransactionId.AfterAll;

    /// <summary>Called at each commit while runs are kept: drops positions that need too much.</summary>
    internal Action? Relieve { get; set; }

    /// <summary>One more than the highest page that is kept.</summary>
    internal PageNumber EndPage
    {
        get
        {
            PageNumber end = default;
            foreach ((PageNumber first, (_, long count)) in _runs)
            {
                end = PageNumber.Max(end, first + count);
            }

            return end;
        }
    }

    /// <summary>Length of all kept runs. Any thread may read it.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Length of the kept runs that transactions after this one have put. Any thread may call it.</summary>
    internal long BytesAfter(TransactionId position)
    {
        lock (_runs)
        {
            return _runs.Values.Sum(run => run.PutBy > position ? run.Count * pageBytes : 0);
        }
    }

    /// <summary>Keeps a run that the open transaction frees, if a position needs it.</summary>
    internal void Freed(PageNumber first, long count, TransactionId putBy)
    {
        if (putBy > Oldest())
        {
            _open.Add(first);
            Keep(first, count, putBy);
        }
    }

    /// <summary>Keeps a run that is free already.</summary>
    internal void Keep(PageNumber first, long count, TransactionId putBy)
    {
        lock (_runs)
        {
            // One that began here before was overwritten when this one was put.
            long before = _runs.TryGetValue(first, out (TransactionId PutBy, long Count) other) ? other.Count : 0;
            _runs[first] = (putBy, count);
            Volatile.Write(ref _bytes, _bytes + ((count - before) * pageBytes));
        }

        space.Reserve(first, count);
    }

    /// <summary>Lets go a run that the open transaction did not free after all.</summary>
    internal void Restore(PageNumber first)
    {
        if (_open.Remove(first))
        {
            Release(first);
        }
    }

    internal void Rollback()
    {
        foreach (PageNumber first in _open)
        {
            Release(first);
        }

        _open.Clear();
    }

    /// <summary>Ends the open transaction, and lets go what no position needs any more.</summary>
    internal void Commit()
    {
        _open.Clear();
        if (_runs.Count == 0)
        {
            return;
        }

        Relieve?.Invoke();
        TransactionId oldest = Oldest();
        List<PageNumber> passed = [];
        foreach ((PageNumber first, (TransactionId putBy, _)) in _runs)
        {
            if (putBy <= oldest)
            {
                passed.Add(first);
            }
        }

        passed.ForEach(Release);
        if (passed.Count > 0)
        {
            // Runs that were put and freed before this process began may share pages.
            ReserveAll();
        }
    }

    /// <summary>Reserves the pages again, after all reservations have ended.</summary>
    internal void ReserveAll()
    {
        foreach ((PageNumber first, (_, long count)) in _runs)
        {
            space.Reserve(first, count);
        }
    }

    private void Release(PageNumber first)
    {
        long count;
        lock (_runs)
        {
            count = _runs[first].Count;
            _runs.Remove(first);
            Volatile.Write(ref _bytes, _bytes - (count * pageBytes));
        }

        space.Unreserve(first, count);
    }
}
