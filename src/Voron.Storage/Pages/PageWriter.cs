// Unsafe fence. Bounds: slots blocks are at least SlotBytes long and hold the header and Count slots; heaps are one page long; whole
// blocks are PageCount pages long.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Pages;

/// <summary>
/// The page side of the one write transaction: private versions of the pages it changes, page numbers it takes and frees, and how to undo
/// all that. Page numbers stay the same when a page changes; only its version is new. Used under the writer lock.
/// </summary>
internal sealed unsafe partial class PageWriter
{
    /// <summary>Slots that a fresh private version has room for beyond those it starts with.</summary>
    private const int SpareSlots = 8;

    private readonly VersionTable _versions;
    private readonly VersionMemory _memory;
    private readonly ReclaimQueue _reclaim;
    private readonly List<long> _touched = [];
    private readonly List<nint> _superseded = [];
    private readonly SpaceMap _space;

    internal PageWriter(PageSource source, ReclaimQueue reclaim, SpaceLayout layout, long spaceGroups)
    {
        Source = source;
        _versions = source.Versions;
        _memory = source.Versions.Memory;
        _reclaim = reclaim;
        _space = new SpaceMap(this, layout, spaceGroups);
        _savepoints = new PageSavepoints(_versions);
    }

    internal int PageBytes => Source.PageBytes;

    internal PageSource Source { get; }

    internal SpaceMap Space => _space;

    /// <summary>Values that go straight to the data file; null where there is none.</summary>
    internal PlacedRuns? Placed { get; set; }

    /// <summary>No run in memory has more pages than this.</summary>
    internal long LongestRun { get; private set; } = 1;

    /// <summary>The transaction's id; also the snapshot under which it reads its own state.</summary>
    internal long TransactionId { get; private set; }

    /// <summary>Pages this transaction has changed, allocated or freed so far (with repeats).</summary>
    internal int TouchedCount => _touched.Count;

    internal void Begin(long transactionId)
    {
        TransactionId = transactionId;
        _markers = 0;
        _space.Begin();
    }

    internal PageView Read(long page) => Source.Read(page, TransactionId);

    /// <summary>
    /// The transaction's private version of a node, made at its first touch: a copy of its slots; the heap is shared, and only
    /// appended to as long as it is.
    /// </summary>
    internal PageVersion* Edit(long page)
    {
        Keep(page);
        PageVersion* newest = _versions.Newest(page);
        return newest != null && newest->CreatedBy == TransactionId ? newest : EditFirst(page);
    }

    /// <summary>The transaction's private version of a page that is no node, as a whole copy.</summary>
    internal Span<byte> EditWholePage(long page)
    {
        Keep(page);
        PageVersion* newest = _versions.Newest(page);
        if (newest != null && newest->CreatedBy == TransactionId)
        {
            return newest->View.WholePage(PageBytes);
        }

        PageView current = Read(page);
        PageVersion* version;
        using (_versions.Gate.Hold())
        {
            _versions.Prepare(page, 1, PageBytes);
            Supersede(page, 1, current.Header.TransactionId);
            byte* block = _memory.RentBlock(PageBytes);
            version = _versions.Push(page, TransactionId, block, block);
        }

        current.WholePage(PageBytes).CopyTo(new Span<byte>(version->Slots, PageBytes));
        version->View.Header.TransactionId = TransactionId;
        _touched.Add(page);
        return version->View.WholePage(PageBytes);
    }

    /// <summary>Grows the private slots block to at least this capacity; its content is kept and its address changes.</summary>
    internal void EnsureSlotBytes(PageVersion* version, int bytes)
    {
        if (bytes <= version->SlotBytes)
        {
            return;
        }

        int capacity = _memory.SlotCapacity(bytes);
        using (_versions.Gate.Hold())
        {
            byte* larger = _memory.RentBlock(capacity);
            new ReadOnlySpan<byte>(version->Slots, version->SlotBytes).CopyTo(new Span<byte>(larger, capacity));
            _memory.ReturnBlock(version->Slots, version->SlotBytes);
            version->Slots = larger;
            version->SlotBytes = capacity;
        }
    }

    /// <summary>A fresh heap block of one page, content undefined; its first 32 bytes belong to the memory.</summary>
    internal byte* RentHeap()
    {
        using (_versions.Gate.Hold())
        {
            return _memory.RentHeap();
        }
    }

    /// <summary>The private version takes over a rented heap; the old one lives on as long as other versions share it.</summary>
    internal void ReplaceHeap(PageVersion* version, byte* heap)
    {
        using (_versions.Gate.Hold())
        {
            _memory.ReleaseHeap(version->Heap);
            version->Heap = heap;
        }
    }

    /// <summary>A slots block of at least this capacity, content undefined.</summary>
    internal byte* RentSlots(int bytes, out int capacity)
    {
        capacity = _memory.SlotCapacity(bytes);
        using (_versions.Gate.Hold())
        {
            return _memory.RentBlock(capacity);
        }
    }

    /// <summary>The private version takes over a rented slots block, its header included; its own goes back.</summary>
    internal void ReplaceSlots(PageVersion* version, byte* slots, int capacity)
    {
        using (_versions.Gate.Hold())
        {
            _memory.ReturnBlock(version->Slots, version->SlotBytes);
            version->Slots = slots;
            version->SlotBytes = capacity;
        }
    }

    /// <summary>Gives back rented blocks, as far as there are any, that no version took over.</summary>
    internal void ReturnRented(byte* slots, int capacity, byte* heap)
    {
        using (_versions.Gate.Hold())
        {
            if (slots != null)
            {
                _memory.ReturnBlock(slots, capacity);
            }

            if (heap != null)
            {
                _memory.ReleaseHeap(heap);
            }
        }
    }

    /// <summary>A new page with an empty private node.</summary>
    internal PageVersion* Allocate(PageKind kind)
    {
        long page = _space.Allocate();
        Keep(page);
        PageVersion* version;
        using (_versions.Gate.Hold())
        {
            int capacity = _memory.SlotCapacity(PageHeader.SizeBytes + (SpareSlots * NodeSlot.SizeBytes));
            _versions.Prepare(page, 1, capacity, PageBytes);
            byte* slots = _memory.RentBlock(capacity);
            version = _versions.Push(page, TransactionId, slots, _memory.RentHeap());
            version->SlotBytes = capacity;
        }

        version->View.Header = new PageHeader { PageNumber = page, TransactionId = TransactionId, Kind = kind };
        _touched.Add(page);
        return version;
    }

    /// <summary>A new whole page of zeros with a header, at a given number (a space map).</summary>
    internal void CreateWholePage(long page, PageKind kind)
    {
        Keep(page);
        PageVersion* version;
        using (_versions.Gate.Hold())
        {
            _versions.Prepare(page, 1, PageBytes);
            byte* block = _memory.RentBlock(PageBytes);
            version = _versions.Push(page, TransactionId, block, block);
        }

        new Span<byte>(version->Slots, PageBytes).Clear();
        version->View.Header = new PageHeader { PageNumber = page, TransactionId = TransactionId, Kind = kind };
        _touched.Add(page);
    }

    /// <summary>
    /// Gives a node's page back. It may be reused at once: versions protect older snapshots, the checkpoint's rules protect the file.
    /// </summary>
    internal void Free(long page) => FreePages(page, 1, Read(page).Header.TransactionId);

    /// <summary>A private overflow run; its content is zero and may be written until the transaction ends.</summary>
    internal OverflowReference AllocateOverflow(long valueBytes, out Span<byte> content)
    {
        uint count = (uint)OverflowReference.PagesOf(valueBytes, PageBytes);
        LongestRun = Math.Max(LongestRun, count);
        long page = _space.AllocateRun(count);
        Keep(page);
        PageVersion* version;
        using (_versions.Gate.Hold())
        {
            _versions.Prepare(page, 1, PageBytes);
            byte* run = count == 1 ? _memory.RentBlock(PageBytes) : _memory.RentRun(count * (long)PageBytes);
            version = _versions.Push(page, TransactionId, run, run);
            version->PageCount = count;
        }

        if (count == 1)
        {
            new Span<byte>(version->Slots, PageBytes).Clear();
        }

        *(OverflowHeader*)version->Slots = new OverflowHeader
        {
            PageNumber = page, TransactionId = TransactionId, Kind = PageKind.Overflow, PageCount = count,
            Flags = OverflowHeader.FromCheckpoint,
        };
        _touched.Add(page);
        content = new Span<byte>(version->Slots + OverflowHeader.SizeBytes, (int)valueBytes);
        return new OverflowReference { FirstPage = page, ValueBytes = valueBytes };
    }

    /// <summary>
    /// Gives the run of a value back without reading it, or, where it is a list of pieces, reads the list and gives back all of them.
    /// </summary>
    internal void FreeOverflow(OverflowReference reference)
    {
        if (reference.IsList)
        {
            foreach (OverflowReference piece in Source.ReadList(reference, TransactionId))
            {
                FreeRun(piece);
            }
        }

        FreeRun(reference.Run);
    }

    /// <summary>
    /// Of a run that lies in the file nobody knows here since when: its pages count as read by every snapshot before this transaction's.
    /// </summary>
    internal void FreeRun(OverflowReference reference)
    {
        long first = reference.FirstPage;
        long count = OverflowReference.PagesOf(reference.ValueBytes, PageBytes);
        PageVersion* newest = _versions.Newest(first);
        bool isInMemory = newest != null && newest->SupersededBy == PageVersion.Current;
        if (isInMemory ? newest->PageCount != count : first < 0 || count is < 1 or > uint.MaxValue || first > Source.Mapped.Pages - count)
        {
            Throw.BadRun(first, reference.ValueBytes);
        }

        Placed?.Forget(first, isInMemory ? 0 : count);
        FreePages(first, (uint)count, createdBy: 0);
    }

    /// <summary>Ends the transaction: what it replaced waits for its last readers. Nothing here can fail.</summary>
    internal void Commit()
    {
        using (_versions.Gate.Hold())
        {
            foreach (nint version in _superseded)
            {
                _reclaim.Add((PageVersion*)version);
            }
        }

        SealSlots();
        Placed?.Commit();
        Clear();
    }

    /// <summary>
    /// Undoes the transaction: private versions vanish, replaced ones are current again. Costs time in proportion to the pages touched.
    /// </summary>
    internal void Rollback()
    {
        using (_versions.Gate.Hold())
        {
            foreach (long page in _touched)
            {
                PageUndo.UndoPage(_versions, page, TransactionId);
            }

            FreeMarkers(CollectionsMarshal.AsSpan(_superseded));
            _versions.Freed.Rollback(TransactionId);
        }

        _space.Rollback();
        Placed?.Rollback();
        Clear();
    }

    private PageVersion* EditFirst(long page)
    {
        PageView current = Read(page);
        ref PageHeader header = ref current.Header;
        int usedBytes = PageHeader.SizeBytes + (header.Count * NodeSlot.SizeBytes);
        if (usedBytes + header.HeapUsedBytes > PageBytes)
        {
            Throw.BadNode(page, header.Count, header.HeapUsedBytes);
        }

        bool whole = current.Slots == current.Heap;
        int capacity = _memory.SlotCapacity(usedBytes + (SpareSlots * NodeSlot.SizeBytes));
        PageVersion* version;
        using (_versions.Gate.Hold())
        {
            _versions.Prepare(page, 1, capacity, whole ? PageBytes : 0);
            Supersede(page, 1, current.Header.TransactionId);
            byte* slots = _memory.RentBlock(capacity);
            byte* heap = current.Heap;
            if (whole)
            {
                heap = _memory.RentHeap();
            }
            else
            {
                VersionMemory.ShareHeap(heap);
            }

            version = _versions.Push(page, TransactionId, slots, heap);
            version->SlotBytes = capacity;
        }

        new ReadOnlySpan<byte>(current.Slots, usedBytes).CopyTo(new Span<byte>(version->Slots, capacity));
        if (whole)
        {
            int mark = PageBytes - header.HeapUsedBytes;
            new ReadOnlySpan<byte>(current.Heap + mark, header.HeapUsedBytes)
                .CopyTo(new Span<byte>(version->Heap + mark, header.HeapUsedBytes));
        }

        version->View.Header.TransactionId = TransactionId;
        _touched.Add(page);
        return version;
    }

    /// <summary>
    /// The page's present version ends with this transaction; when it is in the file, a marker says so. The caller holds the gate.
    /// </summary>
    private void Supersede(long page, uint count, long createdBy)
    {
        PageVersion* newest = _versions.Newest(page);
        if (newest != null && newest->SupersededBy == PageVersion.Current)
        {
            newest->SupersededBy = TransactionId;
            _superseded.Add((nint)newest);
            return;
        }

        for (long p = page; p < page + count; p++)
        {
            _superseded.Add((nint)_versions.PushMarker(p, createdBy, TransactionId));
            _markers++;
        }
    }
}
