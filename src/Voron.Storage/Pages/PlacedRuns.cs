using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>
/// Large values are written straight to their place in the data file, once, bypassing the journal and memory. Their pages are free in the
/// transaction, in the snapshot on disk and in every live one: readers', a running checkpoint's, and all states that may still become
/// durable. So no state that can be read or recovered has other content there.
/// <para>1. A page that the snapshot on disk reaches is never taken. 2. A page that has a version or a marker in memory is never taken:
/// live snapshots find pages freed since through those. 3. A run freed by a transaction that is not durable is never taken: a power
/// failure may bring back the state before it. 4. All runs are on the device before the commit record that names them. 5. Replay
/// reserves the runs that the records name before it allocates anything. 6. The file is never truncated below them.</para>
/// Guarded by the writer lock, except <see cref="_onDisk"/>, which checkpoints set under <see cref="_baseGate"/>.
/// </summary>
internal sealed partial class PlacedRuns
{
    private readonly DataFile _file;
    private readonly PageWriter _pages;
    private readonly FailStop _failStop;
    private readonly Func<TransactionId> _durable;
    private readonly Gate _baseGate;
    private readonly byte[] _edge;

    /// <summary>First pages of the open transaction's runs, to be verified through the map before its commit record.</summary>
    private readonly HashSet<PageNumber> _runs = [];

    /// <summary>Runs that replayed records name and no later record has freed, by first page.</summary>
    private readonly Dictionary<PageNumber, PlacedRun> _replayed = [];

    /// <summary>
    /// Runs that the snapshot on disk may not contain: transaction, end page and page count of each. Changed under the writer lock and a
    /// lock on the list itself, so that a report may read it under the latter.
    /// </summary>
    private readonly List<(TransactionId Transaction, PageNumber End, long Count)> _ends = [];

    /// <summary>
    /// Runs in the data file freed by transactions that may not be durable yet: transaction, first page, page count.
    /// </summary>
    private readonly List<(TransactionId Transaction, PageNumber First, long Count)> _freed = [];
    private Func<UsedPages>? _onDisk;
    private bool _isUnsynced;

    internal PlacedRuns(DataFile file, PageWriter pages, FailStop failStop, Func<TransactionId> durable, int leastBytes)
    {
        _file = file;
        _pages = pages;
        _failStop = failStop;
        _durable = durable;
        _baseGate = new Gate();
        _edge = new byte[file.PageBytes];

        // Values that a leaf may hold get no run.
        LeastBytes = Math.Max(leastBytes, file.PageBytes / 2);
    }

    /// <summary>Shortest placed value in bytes; shorter ones are written through the journal.</summary>
    internal int LeastBytes { get; }

    /// <summary>Called before each value is placed; when it returns, the data file may be written to.</summary>
    internal Action? BeforeWrite { get; init; }

    /// <summary>Whether the open transaction has placed values that are not durable yet.</summary>
    internal bool HasAny => _isUnsynced;

    /// <summary>Number of remembered runs freed by transactions that may not be durable.</summary>
    internal int RunsInDoubt => _freed.Count;

    /// <summary>One more than the highest page of the runs that the snapshot on disk may not contain.</summary>
    internal PageNumber EndPage
    {
        get
        {
            PageNumber end = default;
            foreach ((_, PageNumber runEnd, _) in _ends)
            {
                end = PageNumber.Max(end, runEnd);
            }

            return end;
        }
    }

    /// <summary>
    /// Sets the snapshot that is on disk now. When this returns, the previous one's page set is no longer read, and its memory may be
    /// reused.
    /// </summary>
    internal void SetOnDisk(Func<UsedPages> used)
    {
        using (_baseGate.Hold())
        {
            _onDisk = used;
        }
    }

    /// <summary>Forgets runs up to this transaction: the snapshot on disk contains them. Requires the writer lock.</summary>
    internal void ForgetEnds(TransactionId transaction)
    {
        lock (_ends)
        {
            _ends.RemoveAll(end => end.Transaction <= transaction);
        }
    }

    /// <summary>Returns the number of pages in runs placed by transactions after this one. Any thread may call it.</summary>
    internal long PagesAfter(TransactionId transaction)
    {
        lock (_ends)
        {
            long pages = 0;
            foreach ((TransactionId placedBy, _, long count) in _ends)
            {
                pages += placedBy > transaction ? count : 0;
            }

            return pages;
        }
    }

    /// <summary>Writes a value, or a piece of one, to a free run of pages. Durable only after <see cref="MakeDurable"/>.</summary>
    internal PlacedRun Write(ReadOnlySpan<byte> value)
    {
        long count = OverflowReference.PagesOf(value.Length, _file.PageBytes);
        PageNumber first = Allocate(count);
        _runs.Add(first);
        NoteEnd(first, count);
        NotePlaced(first);
        _isUnsynced = true;
        BeforeWrite?.Invoke();
        _file.EnsurePages(first + count);
        return new PlacedRun { FirstPage = first, ValueBytes = value.Length, Checksum = WriteRun(first, (uint)count, value) };
    }

    /// <summary>Before the commit record: syncs all that the transaction placed and verifies that the map shows it.</summary>
    internal void MakeDurable()
    {
        if (!_isUnsynced)
        {
            return;
        }

        _file.Sync();

        try
        {
            foreach (PageNumber first in _runs)
            {
                _file.Mapped.Confirm(first, _pages.TransactionId);
            }
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            _failStop.Poison(error);
            throw;
        }

        _isUnsynced = false;
    }

    /// <summary>Called when the transaction frees a run: its page count if it is in the data file, 0 if it is in memory.</summary>
    internal void Forget(PageNumber first, long count)
    {
        bool wasRun = _runs.Remove(first);
        PlacedRun? replayed = _replayed.Remove(first, out PlacedRun run) ? run : null;
        Note(new Step(first, IsPlaced: false, wasRun, replayed, HasFreed: count > 0));
        if (count > 0)
        {
            _freed.Add((_pages.TransactionId, first, count));
        }
    }

    internal void Commit()
    {
        Clear();
        ForgetDurable();
    }

    internal void Rollback()
    {
        Clear();
        if (_ends.Count > 0 || _freed.Count > 0)
        {
            // Skipped while the lists are empty, so that rolling back nothing allocates nothing.
            lock (_ends)
            {
                _ends.RemoveAll(end => end.Transaction == _pages.TransactionId);
            }

            _freed.RemoveAll(freed => freed.Transaction == _pages.TransactionId);
        }
    }

    private void NoteEnd(PageNumber first, long count)
    {
        lock (_ends)
        {
            _ends.Add((_pages.TransactionId, first + count, count));
        }
    }

    /// <summary>Before replay: keeps the run's pages from any other allocation until <see cref="EndReplay"/>.</summary>
    internal void Reserve(PlacedRun run)
    {
        _pages.Space.Reserve(Checked(run), OverflowReference.PagesOf(run.ValueBytes, _file.PageBytes));
    }

    /// <summary>In replay: claims the run for the transaction, as it was when its record was written.</summary>
    internal void ClaimForReplay(PlacedRun run)
    {
        // The file contained the run when its transaction committed. Space maps are created up to it, so a number far beyond is refused.
        const long MostPagesBehind = 1L << 22;
        long count = OverflowReference.PagesOf(run.ValueBytes, _file.PageBytes);
        if (Checked(run).Value > (2 * (_file.Bytes / _file.PageBytes)) + MostPagesBehind)
        {
            Throw.BadRun(run.FirstPage, run.ValueBytes);
        }

        _pages.Space.Take(run.FirstPage, count);
        _replayed[run.FirstPage] = run;
        NoteEnd(run.FirstPage, count);
        NotePlaced(run.FirstPage);
    }

    /// <summary>
    /// Ends replay: every run that its records name and no later record freed must be in the file. A missing one was acknowledged by the
    /// device and lost.
    /// </summary>
    internal void EndReplay()
    {
        _pages.Space.EndReservations();
        foreach (PlacedRun run in _replayed.Values)
        {
            long count = OverflowReference.PagesOf(run.ValueBytes, _file.PageBytes);
            ulong? found = _file.Mapped.ChecksumOfRun(run.FirstPage, count);
            if (found != run.Checksum)
            {
                Throw.LostRun(_file.Path, run.FirstPage, count, run.Checksum, found);
            }
        }

        _replayed.Clear();
    }

    private void Clear()
    {
        _runs.Clear();
        ForgetSavepoints();
        _isUnsynced = false;
    }

    private static PageNumber Checked(PlacedRun run)
    {
        const long MostPages = 1L << 46;
        if (run.FirstPage < FormatConstants.CatalogRootPage || run.FirstPage.Value > MostPages || run.ValueBytes is < 1 or > int.MaxValue)
        {
            Throw.BadRun(run.FirstPage, run.ValueBytes);
        }

        return run.FirstPage;
    }

    /// <summary>
    /// Whether a transaction that may not be durable has freed one of these pages: a power failure may bring back the state that has a
    /// value there. Requires the writer lock.
    /// </summary>
    internal bool IsFreedByUndurable(PageNumber page, long count)
    {
        ForgetDurable();
        return LastFreed(page, count) != PageNumber.None;
    }

    private PageNumber Allocate(long count)
    {
        ForgetDurable();
        using (_baseGate.Hold())
        {
            return _pages.Space.AllocateUntouched(count, _onDisk!(), LastTouched);
        }
    }

    private void ForgetDurable()
    {
        // The list is in transaction id order.
        int count = 0;
        TransactionId durable = _freed.Count == 0 ? TransactionId.None : _durable();
        while (count < _freed.Count && _freed[count].Transaction <= durable)
        {
            count++;
        }

        _freed.RemoveRange(0, count);
    }

    private PageNumber LastFreed(PageNumber first, long count)
    {
        foreach ((_, PageNumber start, long pages) in _freed)
        {
            if (start < first + count && first < start + pages)
            {
                return PageNumber.Min(start + pages, first + count) - 1;
            }
        }

        return PageNumber.None;
    }

    private PageNumber LastTouched(PageNumber first, long count)
    {
        PageNumber freed = LastFreed(first, count);
        if (freed != PageNumber.None)
        {
            return freed;
        }

        return VersionSpans.LastWithVersion(_pages.Source.Versions, first, count, _pages.LongestRun);
    }

    /// <summary>Writes the header with the first bytes, whole pages straight from the value, and the zero-padded last page.</summary>
    private ulong WriteRun(PageNumber first, uint count, ReadOnlySpan<byte> value)
    {
        int pageBytes = _file.PageBytes;
        RunningChecksum checksum = new((count * (long)pageBytes) - sizeof(ulong));
        int inFirst = Math.Min(value.Length, pageBytes - OverflowHeader.SizeBytes);
        int whole = (value.Length - inFirst) / pageBytes * pageBytes;
        BeginFirstPage(first, count, value[..inFirst]);
        checksum.Append(_edge.AsSpan(sizeof(ulong)));
        ReadOnlySpan<byte> middle = value.Slice(inFirst, whole);
        ReadOnlySpan<byte> last = value[(inFirst + whole)..];
        checksum.Append(middle);
        if (!last.IsEmpty)
        {
            FillEdge(last);
            checksum.Append(_edge);
            _file.Write(first + count - 1, _edge);
        }

        const int PieceBytes = 8 << 20;
        for (int done = 0; done < middle.Length;)
        {
            int piece = Math.Min(PieceBytes, middle.Length - done);
            _file.Write(first + 1 + (done / pageBytes), middle.Slice(done, piece));
            done += piece;
        }

        BeginFirstPage(first, count, value[..inFirst]);
        MemoryMarshal.Write(_edge, checksum.Value);
        _file.Write(first, _edge);
        return checksum.Value;
    }

    private void BeginFirstPage(PageNumber first, uint count, ReadOnlySpan<byte> bytes)
    {
        _edge.AsSpan().Clear();
        MemoryMarshal.Write(_edge, new OverflowHeader
        {
            PageNumber = first, TransactionId = _pages.TransactionId, Kind = PageKind.Overflow, PageCount = count,
        });
        bytes.CopyTo(_edge.AsSpan(OverflowHeader.SizeBytes));
    }

    private void FillEdge(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_edge);
        _edge.AsSpan(bytes.Length).Clear();
    }
}
