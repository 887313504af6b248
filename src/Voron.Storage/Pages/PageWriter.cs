// Unsafe fence. Bounds: slots blocks are at least SlotBytes long and hold the header and Count slots; heaps are one page long; whole
// blocks are PageCount pages long.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>
/// The page side of the write transaction: private versions of the pages it changes, page numbers it allocates and frees, and their undo.
/// A changed page keeps its number and gets a new version. Requires the writer lock.
/// </summary>
internal sealed unsafe partial class PageWriter
{
    /// <summary>Spare slots in a new private version.</summary>
    private const int SpareSlots = 8;

    private readonly VersionTable _versions;
    private readonly VersionMemory _memory;
    private readonly ReclaimQueue _reclaim;
    private readonly List<PageNumber> _touched = [];
    private readonly List<nint> _superseded = [];
    private readonly SpaceMap _space;
    private readonly MemoryOnlyPages _inMemory;

    internal PageWriter(PageSource source, ReclaimQueue reclaim, SpaceLayout layout, long spaceGroups)
    {
        Source = source;
        _versions = source.Versions;
        _memory = source.Versions.Memory;
        _reclaim = reclaim;
        _space = new SpaceMap(this, layout, spaceGroups);
        _savepoints = new PageSavepoints(_versions);
        _inMemory = new MemoryOnlyPages(source.Pending);
    }

    internal int PageBytes => Source.PageBytes;

    internal PageSource Source { get; }

    internal SpaceMap Space => _space;

    /// <summary>Pages that have no place in the data file.</summary>
    internal MemoryOnlyPages InMemory => _inMemory;

    /// <summary>Tells changes of few nodes from changes of many.</summary>
    internal FirstEdits FirstEdits { get; } = new();

    /// <summary>Values written straight to the data file; null if there are none.</summary>
    internal PlacedRuns? Placed { get; set; }

    /// <summary>Upper bound of the page count of any run in memory.</summary>
    internal long LongestRun { get; private set; } = 1;

    /// <summary>The transaction's id; also the snapshot under which it reads its own state.</summary>
    internal TransactionId TransactionId { get; private set; }

    /// <summary>Pages this transaction has changed, allocated or freed so far, counting repeats.</summary>
    internal int TouchedCount => _touched.Count;

    internal void Begin(TransactionId transactionId)
    {
        TransactionId = transactionId;
        _markers = 0;
        _inMemory.Begin();
        _space.Begin();
    }

    internal PageView Read(PageNumber page) => Source.Read(page, TransactionId);

    /// <summary>
    /// Returns the transaction's private version of a node, created at its first change: the slots are copied; the heap is shared and, as
    /// long as it is shared, only appended to.
    /// </summary>
    internal PageVersion* Edit(PageNumber page)
    {
        Keep(page);
        PageVersion* newest = _versions.Newest(page);
        return newest != null && newest->CreatedBy == TransactionId ? newest : EditFirst(page);
    }

    /// <summary>Returns the transaction's private version, a full copy, of a page that is not a node.</summary>
    internal Span<byte> EditWholePage(PageNumber page)
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

    /// <summary>Grows the private slots block to at least this many bytes; keeps its content, but its address changes.</summary>
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

    /// <summary>Rents a heap block of one page, content undefined; its first 32 bytes belong to the version memory.</summary>
    internal byte* RentHeap()
    {
        using (_versions.Gate.Hold())
        {
            return _memory.RentHeap();
        }
    }

    /// <summary>Gives a rented heap to the private version; the old heap remains as long as other versions share it.</summary>
    internal void ReplaceHeap(PageVersion* version, byte* heap)
    {
        using (_versions.Gate.Hold())
        {
            _memory.ReleaseHeap(version->Heap);
            version->Heap = heap;
        }
    }

    /// <summary>Rents a slots block of at least this many bytes, content undefined.</summary>
    internal byte* RentSlots(int bytes, out int capacity)
    {
        capacity = _memory.SlotCapacity(bytes);
        using (_versions.Gate.Hold())
        {
            return _memory.RentBlock(capacity);
        }
    }

    /// <summary>Gives a rented slots block, including its header, to the private version; returns the old block.</summary>
    internal void ReplaceSlots(PageVersion* version, byte* slots, int capacity)
    {
        using (_versions.Gate.Hold())
        {
            _memory.ReturnBlock(version->Slots, version->SlotBytes);
            version->Slots = slots;
            version->SlotBytes = capacity;
        }
    }

    /// <summary>Returns rented blocks that no version took over; null blocks are ignored.</summary>
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

    /// <summary>Allocates a page with an empty private node, in the data file or only in memory.</summary>
    internal PageVersion* Allocate(PageKind kind, bool inMemory = false)
    {
        PageNumber page = inMemory ? _inMemory.Allocate() : _space.Allocate();
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

    /// <summary>Creates a zeroed whole page with a header, at a given number (a space map).</summary>
    internal void CreateWholePage(PageNumber page, PageKind kind)
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
    /// Frees a node's page. It may be reused at once: versions protect older snapshots, the checkpoint's rules protect the file.
    /// </summary>
    internal void Free(PageNumber page) => FreePages(page, 1, Read(page).Header.TransactionId);

    /// <summary>Allocates a private overflow run; its content is zeroed and may be written until the transaction ends.</summary>
    internal OverflowReference AllocateOverflow(long valueBytes, out Span<byte> content)
    {
        uint count = (uint)OverflowReference.PagesOf(valueBytes, PageBytes);
        LongestRun = Math.Max(LongestRun, count);
        PageNumber page = _space.AllocateRun(count);
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
    /// Frees the run of a value without reading it; if it is a list of pieces, reads the list and frees all pieces as well.
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
    /// Frees a run. The id of the transaction that created it is not known here, so every older snapshot is assumed to read its pages.
    /// </summary>
    internal void FreeRun(OverflowReference reference)
    {
        PageNumber first = reference.FirstPage;
        long count = OverflowReference.PagesOf(reference.ValueBytes, PageBytes);
        PageVersion* newest = _versions.Newest(first);
        bool isInMemory = newest != null && newest->SupersededBy == PageVersion.Current;
        if (isInMemory ? newest->PageCount != count : count is < 1 or > uint.MaxValue || !Source.Mapped.HasRun(first, count))
        {
            Throw.BadRun(first, reference.ValueBytes);
        }

        Placed?.Forget(first, isInMemory ? 0 : count);
        FreePages(first, (uint)count, createdBy: TransactionId.None);
    }

    /// <summary>Ends the transaction: queues the versions that it replaced for reclaiming. Nothing here can fail.</summary>
    internal void Commit()
    {
        using (_versions.Gate.Hold())
        {
            foreach (nint version in _superseded)
            {
                _reclaim.Add((PageVersion*)version);
            }
        }

        SlotSeal.Set(_versions, _touched, TransactionId);
        _inMemory.Commit();
        Placed?.Commit();
        Clear();
    }

    /// <summary>
    /// Undoes the transaction: removes private versions and makes replaced ones current again. Takes time in proportion to pages touched.
    /// </summary>
    internal void Rollback()
    {
        using (_versions.Gate.Hold())
        {
            foreach (PageNumber page in _touched)
            {
                PageUndo.UndoPage(_versions, page, TransactionId);
            }

            FreeMarkers(CollectionsMarshal.AsSpan(_superseded));
            _versions.Freed.Rollback(TransactionId);
        }

        _space.Rollback();
        _inMemory.Rollback();
        Placed?.Rollback();
        Clear();
    }

    private PageVersion* EditFirst(PageNumber page)
    {
        PageView current = Read(page);
        ref PageHeader header = ref current.Header;
        int usedBytes = PageHeader.SizeBytes + (header.Count * NodeSlot.SizeBytes);
        if (usedBytes + header.HeapUsedBytes > PageBytes)
        {
            Throw.BadNode(page, header.Count, header.HeapUsedBytes);
        }

        FirstEdits.Note(header.TransactionId);
        bool whole = current.Slots == current.Heap;
        int capacity = _memory.SlotCapacity(usedBytes + (SpareSlots * NodeSlot.SizeBytes));
        PageVersion* version;
        using (_versions.Gate.Hold())
        {
            // What is in a layer stays as it is: its file is confirmed once.
            whole |= page.IsInMemory && _memory.Spills.HasInLayer(current.Heap);
            _versions.Prepare(page, 1, capacity, whole ? PageBytes : 0);
            Supersede(page, 1, current.Header.TransactionId);
            byte* slots = _memory.RentBlock(capacity);
            byte* heap = whole ? _memory.RentHeap() : VersionMemory.ShareHeap(current.Heap);
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
    /// Ends the page's current version with this transaction; if that is in the file, pushes a marker. Requires the version table's gate.
    /// </summary>
    private void Supersede(PageNumber page, uint count, TransactionId createdBy)
    {
        PageVersion* newest = _versions.Newest(page);
        if (newest != null && newest->SupersededBy == PageVersion.Current)
        {
            newest->SupersededBy = TransactionId;
            _superseded.Add((nint)newest);
            return;
        }

        for (PageNumber p = page; p < page + count; p++)
        {
            _superseded.Add((nint)_versions.PushMarker(p, createdBy, TransactionId));
            _markers++;
        }
    }
}
