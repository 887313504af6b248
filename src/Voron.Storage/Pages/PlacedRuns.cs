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
/// reserves the runs that the records name before it allocates anything. 6. The file is never truncated below them. 7. Readers in other
/// processes count: what one reads from the file is never taken, and a run freed by a transaction that one does not see yet is in doubt
/// like one of rule 3. 8. A run that records name which a named position has not passed is never taken, punched or cut off, also when no
/// state has it: see <see cref="KeptRuns"/>.</para>
/// Guarded by the writer lock.
/// </summary>
internal sealed partial class PlacedRuns
{
    private readonly DataFile _file;
    private readonly PageWriter _pages;
    private readonly FailStop _failStop;
    private readonly Func<TransactionId> _durable;
    private readonly OutsideReaders _outside;
    private readonly RunWriter _writer;

    /// <summary>First pages of the open transaction's runs, to be verified through the map before its commit record.</summary>
    private readonly HashSet<PageNumber> _runs = [];

    /// <summary>Runs that replayed records name and no later record has freed, by first page.</summary>
    private readonly Dictionary<PageNumber, PlacedRun> _replayed = [];

    private readonly PlacedEnds _ends = new();
    private readonly FreedRuns _freed = new();

    /// <summary>Runs that transactions have placed and undone, while <see cref="KeepsUndone"/>.</summary>
    private readonly FreedRuns _undone = new();
    private bool _isUnsynced;

    internal PlacedRuns(
        DataFile file, PageWriter pages, FailStop failStop, OutsideReaders outside, Func<TransactionId> durable, int leastBytes)
    {
        _file = file;
        _pages = pages;
        _failStop = failStop;
        _outside = outside;
        _durable = durable;
        _writer = new RunWriter(file);
        Kept = new KeptRuns(pages.Space, file.PageBytes);

        // Values that a leaf may hold get no run.
        LeastBytes = Math.Max(leastBytes, file.PageBytes / 2);
    }

    /// <summary>Shortest placed value in bytes; shorter ones are written through the journal.</summary>
    internal int LeastBytes { get; }

    /// <summary>Called before each value is placed; when it returns, the data file may be written to.</summary>
    internal Action? BeforeWrite { get; init; }

    /// <summary>
    /// Whether a run that was undone stays as it is until later transactions are durable: records that name it may still be on their way to
    /// a log that reads it.
    /// </summary>
    internal bool KeepsUndone { private get; set; }

    /// <summary>Whether the open transaction has placed values that are not durable yet.</summary>
    internal bool HasAny => _isUnsynced;

    /// <summary>Runs that a named position needs after they were freed.</summary>
    internal KeptRuns Kept { get; }

    /// <summary>Number of remembered runs freed by transactions that may not be durable.</summary>
    internal int RunsInDoubt => _freed.Count;

    /// <summary>One more than the highest page of the runs that the snapshot on disk may not contain, and of kept ones.</summary>
    internal PageNumber EndPage => PageNumber.Max(Kept.EndPage, _ends.Highest);

    /// <summary>Forgets runs up to this transaction: the snapshot on disk contains them. Requires the writer lock.</summary>
    internal void ForgetEnds(TransactionId transaction) => _ends.RemoveUpTo(transaction);

    /// <summary>Returns the number of pages in runs placed by transactions after this one. Any thread may call it.</summary>
    internal long PagesAfter(TransactionId transaction) => _ends.PagesAfter(transaction);

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
        ulong checksum = _writer.Write(first, (uint)count, _pages.TransactionId, value);
        return new PlacedRun { FirstPage = first, ValueBytes = value.Length, Checksum = checksum };
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
            _freed.Add(_pages.TransactionId, first, count);
            if (Kept.Oldest() < TransactionId.AfterAll && _file.Mapped.HeaderOfRun(first, count) is { Flags: 0 } header)
            {
                Kept.Freed(first, count, header.TransactionId);
            }
        }
    }

    internal void Commit()
    {
        Clear();
        Kept.Commit();
        ForgetDurable();
    }

    internal void Rollback()
    {
        Clear();
        Kept.Rollback();
        if (_ends.Count > 0 || _freed.Count > 0)
        {
            // Skipped while the lists are empty, so that rolling back nothing allocates nothing.
            if (KeepsUndone)
            {
                _ends.AddTo(_undone, _pages.TransactionId);
            }

            _ends.RemoveOf(_pages.TransactionId);
            _freed.RemoveOf(_pages.TransactionId);
        }
    }

    private void NoteEnd(PageNumber first, long count) => _ends.Add(_pages.TransactionId, first + count, count);

    /// <summary>Keeps a run that a record names, if it is free in a snapshot. Requires the writer lock.</summary>
    internal void KeepIfFree(PlacedRun run, TransactionId putBy, TransactionId snapshot)
    {
        if (putBy <= snapshot && _pages.Space.IsFree(Checked(run), snapshot))
        {
            Kept.Keep(run.FirstPage, OverflowReference.PagesOf(run.ValueBytes, _file.PageBytes), putBy);
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
        Kept.ReserveAll();
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
        return _freed.LastIn(page, count) != PageNumber.None;
    }

    private PageNumber Allocate(long count)
    {
        ForgetDurable();
        PagesOnDisk onDisk = _pages.Space.OnDisk;
        using (onDisk.Gate.Hold())
        {
            return _pages.Space.AllocateUntouched(count, onDisk.Used!, LastTouched);
        }
    }

    private void ForgetDurable()
    {
        if (_undone.Count > 0)
        {
            _undone.RemoveUpTo(_durable());
        }

        if (_freed.Count > 0)
        {
            // Durable first: a reader that registers after its slot was read sees all that was durable by then.
            TransactionId durable = _durable();
            _freed.RemoveUpTo(TransactionId.Min(durable, _outside.OldestShown));
        }
    }

    /// <summary>
    /// Whether a reader in another process may read one of these pages from the data file: because its snapshot there reaches it, or
    /// because a transaction that it does not see yet has freed a run there. Any thread may call it.
    /// </summary>
    internal bool IsReadOutside(PageNumber page, long count) => _outside.HasReaders
        && (_outside.LastRead(page, count) != PageNumber.None || _freed.LastIn(page, count) != PageNumber.None);

    private PageNumber LastTouched(PageNumber first, long count)
    {
        PageNumber needed = _freed.LastIn(first, count);
        needed = needed != PageNumber.None ? needed : _undone.LastIn(first, count);
        needed = needed != PageNumber.None ? needed : _outside.LastRead(first, count);
        if (needed != PageNumber.None)
        {
            return needed;
        }

        return VersionSpans.LastWithVersion(_pages.Source.Versions, first, count, _pages.LongestRun);
    }
}
