// Unsafe fence. Bounds: holds only versions that came from the version table and are freed here exactly once.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// The replaced page versions, until they can be freed. Guarded by the gate of the version table. Invariants:
/// <para>1. A version [a, b) is garbage if and only if no live snapshot is in [a, b). Live are the snapshots of readers and of a running
/// checkpoint, the visible one and all later ones. Not "older than the oldest reader": a reader held for hours keeps only what it can
/// see. A checkpoint sees no page that is only in memory.</para>
/// <para>2. Only the holder of the writer lock frees versions, so none disappears under a write transaction.</para>
/// <para>3. Every version here is in exactly one of _fresh, _superseded and _held, and is freed once.</para>
/// <para>4. _superseded is in the order of b. What a live snapshot still sees is in _held and is checked again now and then.</para>
/// <para>5. A version that left its chain (page number None) keeps its blocks until every reader that may have found it has ended.</para>
/// </summary>
internal sealed unsafe class ReclaimQueue(VersionTable table)
{
    /// <summary>Versions in _held that each transaction checks.</summary>
    private const int ChecksPerCall = 16;

    /// <summary>Versions in _held that each transaction checks after a checkpoint, which has kept many, until all are checked.</summary>
    private const int ChecksAfterCheckpoint = 1024;

    /// <summary>How many versions ahead the memory that a check reads is prefetched.</summary>
    private const int Lead = 6;

    private readonly List<nint> _fresh = [];
    private readonly Queue<nint> _superseded = new();
    private readonly List<nint> _held = [];

    /// <summary>Pages whose place in the data file the running checkpoint has written.</summary>
    private readonly PageBits _written = new();

    /// <summary>Index in _held of the version that was checked last; the one before it is next.</summary>
    private int _lastHeld;

    /// <summary>How many of _held are to be checked soon.</summary>
    private int _due;

    /// <summary>Number of versions that wait for readers or a checkpoint.</summary>
    internal int HeldCount => _held.Count;

    /// <summary>Versions replaced since the last reclaim. Exact for the holder of the writer lock.</summary>
    internal int FreshCount => _fresh.Count;

    /// <summary>Whether what the last checkpoint kept is not all checked yet. A checkpoint that ends may set it at any time.</summary>
    internal bool HasMore => Volatile.Read(ref _due) > 0;

    /// <summary>Adds up the replaced and freed pages that snapshots see.</summary>
    internal void CountSeen(ref RetainedBytes seen, int pageBytes)
    {
        table.Gate.AssertHeld();
        table.Freed.CountSeen(ref seen, pageBytes);
        CountSeen(ref seen, CollectionsMarshal.AsSpan(_fresh), pageBytes);
        CountSeen(ref seen, CollectionsMarshal.AsSpan(_held), pageBytes);
        foreach (nint address in _superseded)
        {
            CountSeen(ref seen, (PageVersion*)address, pageBytes);
        }
    }

    /// <summary>Adds a linked version whose b is set.</summary>
    internal void Add(PageVersion* version)
    {
        table.Gate.AssertHeld();
        _fresh.Add((nint)version);
    }

    /// <summary>
    /// Frees those of the versions that the last transaction replaced which no snapshot that can ever be on disk sees, and no reader; the
    /// others are queued. Without it the versions of a page that every lazy transaction changes would accumulate until the journal is
    /// written. The caller holds the writer lock.
    /// </summary>
    /// <param name="taken">The last snapshot whose journal write has begun; the next one is newer than all versions here.</param>
    /// <param name="visible">New readers see this snapshot or a newer one.</param>
    /// <param name="live">The snapshots of readers and checkpoint, collected after both were read.</param>
    internal void ReclaimFresh(TransactionId taken, TransactionId visible, ReadOnlySpan<TransactionId> live)
    {
        table.Gate.AssertHeld();
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
        if (version->PageNumber != PageNumber.None && !version->IsOfLaterPage)
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
    /// Lets later readers read this version's content from the data file, which has it now. Its blocks stay until the readers that may have
    /// found them have ended. Throws, and leaves the version as it was, if there is no memory for it.
    /// </summary>
    internal void MoveToFile(nint versionAddress)
    {
        table.Gate.AssertHeld();
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

            // A reader that found the version before it was unlinked registered a snapshot no newer than what is visible now.
            version->SupersededBy = table.Visible.Next;
            version->PageNumber = PageNumber.None;
            _held.Add((nint)version);
            return;
        }

        table.Prepare(version->PageNumber, version->PageCount);
        HoldBlocks(version);

        // From here on the version is a marker; it stays queued as one. The other pages of a run may belong to others by now and need
        // markers of their own.
        version->Slots = null;
        version->SlotBytes = 0;
        for (PageNumber page = version->PageNumber + 1; page < version->PageNumber + version->PageCount; page++)
        {
            _held.Add((nint)table.PushMarker(page, version->CreatedBy, version->SupersededBy, isLaterPage: true));
        }
    }

    /// <summary>
    /// Lets later readers read this version's content from a mapped page chunk, which has it now. The earlier content of the page in the
    /// data file stays.
    /// </summary>
    internal void MoveToChunk(nint versionAddress, nint image, int chunk)
    {
        table.Gate.AssertHeld();
        PageVersion* version = (PageVersion*)versionAddress;
        PageVersion* blocks = HoldBlocks(version);
        table.TurnIntoView(version, image, chunk);
        Interlocked.MemoryBarrier();

        // Read the visible snapshot after the change: a reader that found the blocks registered a snapshot no newer than that.
        blocks->SupersededBy = TransactionId.Min(version->SupersededBy, table.Visible.Next);
    }

    /// <summary>
    /// Notes that the running checkpoint has written these pages to their places and does not read its versions of them any more. They may
    /// not be on the device yet, so versions that readers may need stay.
    /// </summary>
    internal void NoteWritten(PageNumber page, long count)
    {
        table.Gate.AssertHeld();
        _written.Add(page, count);
    }

    /// <summary>Forgets what was noted, at the end of a checkpoint, whether it succeeded or not.</summary>
    internal void ForgetWritten()
    {
        table.Gate.AssertHeld();
        _written.Clear();
    }

    /// <summary>Makes each <see cref="Reclaim"/> check many versions that wait, until all that wait now are checked.</summary>
    internal void CheckAllSoon()
    {
        table.Gate.AssertHeld();
        _lastHeld = 0;
        _due = _held.Count;
    }

    /// <summary>
    /// Frees the versions that no snapshot sees. The caller holds the writer lock, and has collected <paramref name="live"/> after it read
    /// <paramref name="visible"/>.
    /// </summary>
    /// <param name="visible">New readers, and new checkpoints, see this snapshot or a newer one.</param>
    /// <param name="live">The snapshots of readers, followed by that of a running checkpoint.</param>
    /// <param name="readers">How many of them are readers'.</param>
    /// <param name="everything">Whether to check all versions that wait, not only some of them.</param>
    internal void Reclaim(TransactionId visible, ReadOnlySpan<TransactionId> live, int readers, bool everything)
    {
        table.Gate.AssertHeld();
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

        int checks = everything ? _held.Count : Math.Max(Math.Min(_due, ChecksAfterCheckpoint), ChecksPerCall);
        _due = everything ? 0 : Math.Max(_due - checks, 0);
        _lastHeld = everything ? 0 : _lastHeld;
        CheckHeld(visible, live, readers, checks);
    }

    /// <summary>
    /// Checks some of the versions in _held, from the last to the first and around: checking all of them would delay a commit by
    /// milliseconds.
    /// </summary>
    private void CheckHeld(TransactionId visible, ReadOnlySpan<TransactionId> live, int readers, int checks)
    {
        for (; checks > 0 && _held.Count > 0; checks--)
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

    /// <summary>Keeps the blocks of a version that gets other content, in no chain, for the readers that may have found them.</summary>
    private PageVersion* HoldBlocks(PageVersion* version)
    {
        PageVersion* blocks = table.Memory.RentVersion();
        blocks->PageNumber = PageNumber.None;
        blocks->CreatedBy = version->CreatedBy;
        blocks->SupersededBy = version->SupersededBy;
        blocks->Slots = version->Slots;
        blocks->Heap = version->Heap;
        blocks->SlotBytes = version->SlotBytes;
        blocks->PageCount = version->PageCount;
        _held.Add((nint)blocks);
        return blocks;
    }

    /// <summary>Frees the version; false if a reader or a checkpoint may still need it.</summary>
    private bool TryFree(PageVersion* version, TransactionId visible, ReadOnlySpan<TransactionId> live, int readers)
    {
        if (IsForReadersToCome(version, visible))
        {
            return false;
        }

        if (version->IsVisibleToAny(version->PageNumber.IsInMemory ? live[..readers] : live))
        {
            if (IsWrittenOut(version) && !version->IsVisibleToAny(live[..readers]))
            {
                table.Empty(version);
            }

            return false;
        }

        if (version->PageNumber != PageNumber.None)
        {
            table.Unlink(version);
        }

        table.Free(version);
        return true;
    }

    /// <summary>
    /// Whether readers that register now may need the version: the transaction that replaced it is not published. Such a reader cannot find
    /// blocks that are in no chain.
    /// </summary>
    private static bool IsForReadersToCome(PageVersion* version, TransactionId visible) =>
        version->PageNumber != PageNumber.None && version->SupersededBy > visible && !version->IsEmpty;

    /// <summary>
    /// Whether the running checkpoint no longer needs the content of its version of this page: it is written to its place in the file, and
    /// if the checkpoint fails, the next one writes a newer version. Never while there are spill files: they are synced at its end, to see
    /// whether what was written from them was kept.
    /// </summary>
    private bool IsWrittenOut(PageVersion* version) =>
        version->PageNumber != PageNumber.None && version->PageCount == 1 && !version->IsInFile && !version->IsInChunk
        && !table.Memory.Spills.IsAny
        && _written.HasAll(version->PageNumber, 1);

    /// <summary>
    /// Empties the intervals of markers that name the earlier content of these pages in the file, which is overwritten. They are freed like
    /// other versions.
    /// </summary>
    private void HideMarkers(PageVersion* version)
    {
        for (PageNumber page = version->PageNumber; page < version->PageNumber + version->PageCount; page++)
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
