// Unsafe fence. Bounds: holds only versions that came from the version table and are freed here exactly once.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// Versions on their way out. A version is garbage iff no live snapshot lies in [a, b): live are all readers', a running checkpoint's,
/// the visible one and everything after it. Only the holder of the writer lock frees, so that nothing vanishes under a write transaction.
/// Not "older than the oldest reader": a reader held for hours keeps only what it can see.
/// <para>Versions enter in the order of b. Those that a live snapshot still sees wait aside and are looked at again from time to
/// time.</para>
/// </summary>
internal sealed unsafe class ReclaimQueue(VersionTable table)
{
    /// <summary>Of those that wait, so many are looked at by each transaction.</summary>
    private const int LooksPerCall = 16;

    /// <summary>So many versions ahead, what a look at one touches is asked for.</summary>
    private const int Lead = 6;

    private readonly List<nint> _fresh = [];
    private readonly Queue<nint> _superseded = new();
    private readonly List<nint> _held = [];

    /// <summary>Pages whose place in the data file the running checkpoint has written.</summary>
    private readonly PageBits _written = new();

    /// <summary>The one of those that wait that was looked at last; the one before it is next.</summary>
    private int _lastHeld;
    private bool _looksAtAll;

    /// <summary>Versions that wait for a reader.</summary>
    internal int HeldCount => _held.Count;

    /// <summary>Versions replaced since the last reclaim. Exact for the holder of the writer lock.</summary>
    internal int FreshCount => _fresh.Count;

    /// <summary>Adds up the replaced and freed pages that snapshots see. The caller holds the gate.</summary>
    internal void CountSeen(ref RetainedBytes seen, int pageBytes)
    {
        table.Freed.CountSeen(ref seen, pageBytes);
        CountSeen(ref seen, CollectionsMarshal.AsSpan(_fresh), pageBytes);
        CountSeen(ref seen, CollectionsMarshal.AsSpan(_held), pageBytes);
        foreach (nint address in _superseded)
        {
            CountSeen(ref seen, (PageVersion*)address, pageBytes);
        }
    }

    /// <summary>Adds a linked version whose b is set. The caller holds the gate.</summary>
    internal void Add(PageVersion* version) => _fresh.Add((nint)version);

    /// <summary>
    /// Of what the last transaction superseded, frees what came and went between two snapshots that can ever be on disk and that nobody
    /// sees; the rest waits in the queue. Without it the versions of a page that every lazy transaction changes would pile up until the
    /// journal is written. The caller holds the writer lock and the gate.
    /// </summary>
    /// <param name="taken">The last snapshot that is on its way to the disk; the next one there is newer than all versions here.</param>
    /// <param name="visible">New readers see this snapshot or a newer one.</param>
    /// <param name="live">The snapshots of readers and checkpoint, collected after both were read.</param>
    internal void ReclaimFresh(long taken, long visible, ReadOnlySpan<long> live)
    {
        for (int place = 0; place < _fresh.Count; place++)
        {
            Fetch(_fresh, place + Lead, place + (2 * Lead));
            nint address = _fresh[place];
            PageVersion* version = (PageVersion*)address;
            if (version->CreatedBy > taken && version->SupersededBy <= visible && !version->IsVisibleToAny(live))
            {
                table.Unlink(version);
                table.Free(version);
            }
            else
            {
                _superseded.Enqueue(address);
            }
        }

        _fresh.Clear();
    }

    /// <summary>
    /// Asks for what freeing soon will touch, which lies anywhere in memory: of one version ahead its own line, of a nearer one what that
    /// leads to.
    /// </summary>
    private void Fetch(List<nint> versions, int near, int far)
    {
        if ((uint)far < (uint)versions.Count)
        {
            CacheLine.Fetch((void*)versions[far]);
        }

        if (CacheLine.CanFetch && (uint)near < (uint)versions.Count)
        {
            PageVersion* version = (PageVersion*)versions[near];
            CacheLine.Fetch(version->Heap);
            CacheLine.Fetch(version->Slots);
            CacheLine.Fetch(table.Head(version->PageNumber));
        }
    }

    private static void CountSeen(ref RetainedBytes seen, Span<nint> versions, int pageBytes)
    {
        for (int place = 0; place < versions.Length; place++)
        {
            if (place + (2 * Lead) < versions.Length)
            {
                CacheLine.Fetch((void*)versions[place + (2 * Lead)]);
            }

            CountSeen(ref seen, (PageVersion*)versions[place], pageBytes);
        }
    }

    private static void CountSeen(ref RetainedBytes seen, PageVersion* version, int pageBytes)
    {
        // Blocks that only wait for readers that may have found them are not counted: their content counts where it went. Nor are later
        // pages of runs: the first counts for all.
        if (version->PageNumber >= 0 && !version->IsOfLaterPage)
        {
            seen.Add(version->CreatedBy, version->SupersededBy, version->PageCount * (long)pageBytes);
        }
    }

    private void EnqueueFresh()
    {
        foreach (nint version in _fresh)
        {
            _superseded.Enqueue(version);
        }

        _fresh.Clear();
    }

    /// <summary>
    /// The data file now has this version's content: readers that come from now on read it there. Its blocks stay until the readers that
    /// may have found them are gone. The caller holds the gate. Throws, and the version stays as it was, when there is no
    /// memory for it.
    /// </summary>
    internal void MoveToFile(nint versionAddress)
    {
        PageVersion* version = (PageVersion*)versionAddress;
        HideMarkers(version);
        if (version->IsInFile)
        {
            // Replaced while the checkpoint ran, and empty since.
            return;
        }

        if (version->SupersededBy == PageVersion.Current)
        {
            table.Unlink(version);
            Interlocked.MemoryBarrier();

            // Whoever found the version before it was unlinked registered a snapshot no newer than what is visible now.
            version->SupersededBy = table.Visible + 1;
            version->PageNumber = -1;
            _held.Add((nint)version);
            return;
        }

        table.Prepare(version->PageNumber, version->PageCount);
        HoldBlocks(version);

        // From here on the version is a marker; it stays queued as one. The other pages of a run may belong to others by now and need
        // markers of their own.
        version->Slots = null;
        version->SlotBytes = 0;
        for (long page = version->PageNumber + 1; page < version->PageNumber + version->PageCount; page++)
        {
            _held.Add((nint)table.PushMarker(page, version->CreatedBy, version->SupersededBy, isLaterPage: true));
        }
    }

    /// <summary>
    /// A mapped page chunk has this version's content: readers that come from now on read it there. The file's earlier content of the
    /// page stays what it is. The caller holds the gate.
    /// </summary>
    internal void MoveToChunk(nint versionAddress, nint image, int chunk)
    {
        PageVersion* version = (PageVersion*)versionAddress;
        PageVersion* blocks = HoldBlocks(version);
        table.TurnIntoView(version, image, chunk);
        Interlocked.MemoryBarrier();

        // What is visible is asked for behind the change: a reader that found the blocks registered a snapshot no newer than that.
        blocks->SupersededBy = Math.Min(version->SupersededBy, table.Visible + 1);
    }

    /// <summary>
    /// A checkpoint has written these pages to their places. It looks at its versions of them no more; whether they arrive is another
    /// matter, so versions that others may ask for stay. The caller holds the gate.
    /// </summary>
    internal void NoteWritten(long page, long count) => _written.Add(page, count);

    /// <summary>The checkpoint has ended, well or badly. The caller holds the gate.</summary>
    internal void ForgetWritten() => _written.Clear();

    /// <summary>Many versions were moved: the next <see cref="Reclaim"/> looks at all that wait. The caller holds the gate.</summary>
    internal void LookSoon() => _looksAtAll = true;

    /// <summary>
    /// Frees what nobody can see: <paramref name="live"/> holds the snapshots of readers and checkpoint, collected after
    /// <paramref name="visible"/> was read. The caller holds the writer lock and the gate.
    /// </summary>
    /// <param name="visible">New readers, and new checkpoints, see this snapshot or a newer one.</param>
    /// <param name="live">The snapshots of readers, and behind them that of a running checkpoint.</param>
    /// <param name="readers">How many of them are readers'.</param>
    /// <param name="everything">Look at all that wait, not only at some of them.</param>
    internal void Reclaim(long visible, ReadOnlySpan<long> live, int readers, bool everything)
    {
        table.Freed.Reclaim(visible, live);
        EnqueueFresh();
        while (_superseded.TryPeek(out nint first) && ((PageVersion*)first)->SupersededBy <= visible)
        {
            _superseded.Dequeue();
            if (!TryFree((PageVersion*)first, visible, live, readers))
            {
                _held.Add(first);
            }
        }

        int looks = LooksPerCall;
        if (everything || _looksAtAll)
        {
            _looksAtAll = false;
            _lastHeld = 0;
            looks = _held.Count;
        }

        LookAtHeld(visible, live, readers, looks);
    }

    /// <summary>
    /// Looks at so many of those that wait, in turn from the last to the first: a look at all of them would have a commit wait for
    /// milliseconds.
    /// </summary>
    private void LookAtHeld(long visible, ReadOnlySpan<long> live, int readers, int looks)
    {
        for (; looks > 0 && _held.Count > 0; looks--)
        {
            _lastHeld = (_lastHeld > 0 ? Math.Min(_lastHeld, _held.Count) : _held.Count) - 1;
            Fetch(_held, _lastHeld - Lead, _lastHeld - (2 * Lead));
            if (TryFree((PageVersion*)_held[_lastHeld], visible, live, readers))
            {
                _held[_lastHeld] = _held[^1];
                _held.RemoveAt(_held.Count - 1);
            }
        }
    }

    /// <summary>The version gets other content; its blocks stay, in no chain, for the readers that may have found them.</summary>
    private PageVersion* HoldBlocks(PageVersion* version)
    {
        PageVersion* blocks = table.Memory.RentVersion();
        blocks->PageNumber = -1;
        blocks->CreatedBy = version->CreatedBy;
        blocks->SupersededBy = version->SupersededBy;
        blocks->Slots = version->Slots;
        blocks->Heap = version->Heap;
        blocks->SlotBytes = version->SlotBytes;
        blocks->PageCount = version->PageCount;
        _held.Add((nint)blocks);
        return blocks;
    }

    /// <summary>False when a reader may still ask for the version.</summary>
    private bool TryFree(PageVersion* version, long visible, ReadOnlySpan<long> live, int readers)
    {
        if (IsForReadersToCome(version, visible))
        {
            return false;
        }

        if (version->IsVisibleToAny(live))
        {
            if (IsWrittenOut(version) && !version->IsVisibleToAny(live[..readers]))
            {
                table.Empty(version);
            }

            return false;
        }

        if (version->PageNumber >= 0)
        {
            table.Unlink(version);
        }

        table.Free(version);
        return true;
    }

    /// <summary>
    /// The transaction that supersedes the marked page is not published: readers that register now see the page in the data file, even if
    /// none does yet. Blocks that are in no chain cannot be found by such a reader.
    /// </summary>
    private static bool IsForReadersToCome(PageVersion* version, long visible) =>
        version->PageNumber >= 0 && version->SupersededBy > visible && !version->IsEmpty;

    /// <summary>
    /// The running checkpoint has no more use for the content of its version of this page: it stands at its place in the file, and when
    /// the checkpoint fails, the next one brings a newer version. Not while there are spill files: they are asked at its end whether they
    /// kept what was written from them.
    /// </summary>
    private bool IsWrittenOut(PageVersion* version) =>
        version->PageNumber >= 0 && version->PageCount == 1 && !version->IsInFile && !version->IsInChunk
        && table.Memory.SpillBytes == 0
        && _written.HasAll(version->PageNumber, 1);

    /// <summary>
    /// The file's earlier content of these pages is gone: markers that name it turn into empty intervals and leave with their turn in the
    /// queue.
    /// </summary>
    private void HideMarkers(PageVersion* version)
    {
        for (long page = version->PageNumber; page < version->PageNumber + version->PageCount; page++)
        {
            for (PageVersion* other = table.Head(page); other != null; other = other->Older)
            {
                if (other->IsInFile && other != version)
                {
                    other->CreatedBy = other->SupersededBy;
                }
            }
        }
    }
}
