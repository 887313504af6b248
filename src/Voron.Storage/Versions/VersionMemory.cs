// Unsafe fence. Bounds: every rented block is at least as long as requested and is returned with the same size; callers hold the
// version table's gate.
using System.Runtime.CompilerServices;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// The memory of page versions: blocks in a few size classes carved from large regions, and larger blocks for overflow runs. What exceeds
/// the limit is in spill files, which are mapped: no other code knows the difference. Guarded by the gate of the version table. Regions
/// are returned to the system only when the environment closes, spill files as soon as nothing in them is used.
/// </summary>
internal sealed unsafe partial class VersionMemory : IDisposable
{
    private const int FirstRegionBytes = 1 << 20;
    private const int LargestRegionBytes = 16 << 20;
    private const int FirstVersionRegionBytes = 64 << 10;
    private const int VersionPieceBytes = 64 << 10;
    private const int LargestVersionRegionBytes = 2 << 20;
    private const long LargestSpillBytes = 256L << 20;
    private const int LeastUnpreparedBytes = 256 << 10;
    private const int HeapCountOffset = 0;

    private readonly List<AlignedBuffer> _regions = [];
    private readonly List<SpillFile> _spills = [];
    private readonly BlockPool _blocks = new();

    /// <summary>
    /// The pool of versions. They are never in a spill file: their memory is only ever reused for versions, and a spill file is removed
    /// when it is unused.
    /// </summary>
    private readonly BlockPool _versions = new();
    private readonly SpillFiles? _spillFiles;
    private readonly long _mostBytes;
    private readonly long _ampleBytes;
    private AlignedBuffer? _next;
    private PageVersion* _freeVersions;
    private long _nextRegionBytes = FirstRegionBytes;
    private long _nextVersionRegionBytes = FirstVersionRegionBytes;
    private long _nextSpillBytes;
    private long _memoryBytes;
    private bool _disposed;

    /// <param name="pageBytes">The page size.</param>
    /// <param name="maxBytes">Bytes that may be used before spilling begins.</param>
    /// <param name="spillFiles">Creates files for the rest; null for none, and then there is no limit.</param>
    internal VersionMemory(int pageBytes, long maxBytes = long.MaxValue, SpillFiles? spillFiles = null)
    {
        PageBytes = pageBytes;
        _spillFiles = spillFiles;

        // Blocks of one size cannot be used for another, so more is taken than is used: that is no reason to spill.
        _mostBytes = spillFiles is null ? long.MaxValue : maxBytes + Math.Min(maxBytes / 4, LargestRegionBytes);
        _ampleBytes = spillFiles is null ? long.MaxValue : maxBytes / 4 * 3;
        _nextSpillBytes = Math.Min(maxBytes / 4, LargestSpillBytes);
    }

    internal int PageBytes { get; }

    /// <summary>Bytes of blocks and runs in use, spilled or not.</summary>
    internal long UsedBytes { get; private set; }

    /// <summary>Whether enough is left that a few pages will hardly need a spill file, which may be refused.</summary>
    internal bool IsAmple => UsedBytes <= _ampleBytes;

    /// <summary>Length of the spill files.</summary>
    internal long SpillBytes { get; private set; }

    /// <summary>
    /// Whether another region should be prepared, off the write path, because none is ready and there may be one. This early, because
    /// memory that the system has not given yet may cost milliseconds for each mebibyte, most of all in a virtual machine.
    /// </summary>
    internal bool WantsRegion => _next is null && _blocks.Room < _nextRegionBytes && NextRegionBytes > 0;

    private long NextRegionBytes => Math.Min(_nextRegionBytes, _mostBytes - Volatile.Read(ref _memoryBytes));

    /// <summary>Prepares a region whose pages are backed by memory; null if there may be none. Needs no gate.</summary>
    internal AlignedBuffer? PrepareRegion() =>
        NextRegionBytes is > 0 and long bytes ? AlignedBuffer.AllocateForPages(bytes, preFault: true) : null;

    /// <summary>Takes a prepared region, to be used when the current one is full.</summary>
    internal void Adopt(AlignedBuffer region)
    {
        if (_next is not null || _disposed)
        {
            region.Dispose();
            return;
        }

        _next = region;
        _memoryBytes += region.LengthBytes;
    }

    /// <summary>Returns the capacity of the block for a request of this many slot bytes.</summary>
    internal int SlotCapacity(int bytes) => BlockPool.BytesOf(BlockPool.ClassOf(Math.Min(bytes, PageBytes)));

    internal byte* RentBlock(int bytes)
    {
        int index = BlockPool.ClassOf(bytes);
        byte* block = _blocks.TryRent(index);
        if (block == null)
        {
            block = RentElsewhere(index);
        }

        UsedBytes += BlockPool.BytesOf(index);
        Guard(ref block, bytes);
        return block;
    }

    internal void ReturnBlock(byte* block, int bytes)
    {
        Unguard(ref block);
        int index = BlockPool.ClassOf(bytes);
        UsedBytes -= BlockPool.BytesOf(index);
        if (_spills.Count > 0 && SpillOf(block) is { } spill)
        {
            spill.ReturnBlock(block, index);
        }
        else
        {
            _blocks.Return(block, index);
        }
    }

    /// <summary>Rents a heap block with one owner.</summary>
    internal byte* RentHeap()
    {
        byte* heap = RentBlock(PageBytes);
        *(int*)(heap + HeapCountOffset) = 1;
        return heap;
    }

    /// <summary>
    /// Ensures that requests of these blocks, for lengths other than 0, and of this many versions cannot fail in the same hold of the
    /// gate.
    /// </summary>
    internal void EnsureRoom(int blockBytes, int otherBlockBytes, long versions)
    {
        // First, because it may use memory of the blocks.
        if (_versions.Room < versions * PageVersion.SizeBytes)
        {
            AddVersionRoom(versions * PageVersion.SizeBytes);
        }

        // Blocks are at most a page long, rounded up to a size class.
        if (blockBytes > 0 && _blocks.Room < 3L * PageBytes && !CanServe(blockBytes, otherBlockBytes))
        {
            MakeRoom(blockBytes, otherBlockBytes);
        }
    }

    internal static void ShareHeap(byte* heap) => ++*(int*)(heap + HeapCountOffset);

    /// <summary>Shares a heap between versions: what is in it stays as it is.</summary>
    internal static bool IsHeapShared(byte* heap) => *(int*)(heap + HeapCountOffset) > 1;

    internal void ReleaseHeap(byte* heap)
    {
        if (--*(int*)(heap + HeapCountOffset) == 0)
        {
            ReturnBlock(heap, PageBytes);
        }
    }

    /// <summary>Rents zeroed memory for an overflow run of more than one page.</summary>
    internal byte* RentRun(long bytes)
    {
        byte* run;
        if (bytes <= _mostBytes - _memoryBytes)
        {
            run = (byte*)SystemMemory.AllocateZeroed(bytes);
            _memoryBytes += bytes;
        }
        else
        {
            run = RentSpilledRun(bytes);
        }

        UsedBytes += bytes;
        return run;
    }

    internal void ReturnRun(byte* run, long bytes)
    {
        UsedBytes -= bytes;
        if (_spills.Count > 0 && SpillOf(run) is { } spill)
        {
            spill.ReturnRun(run, bytes);
            return;
        }

        _memoryBytes -= bytes;
        SystemMemory.Free(run);
    }

    internal PageVersion* RentVersion()
    {
        PageVersion* version = _freeVersions;
        if (version != null)
        {
            _freeVersions = version->Older;
            CacheLine.Fetch(_freeVersions);
            return version;
        }

        if (_versions.Room < PageVersion.SizeBytes)
        {
            AddVersionRoom(PageVersion.SizeBytes);
        }

        version = (PageVersion*)_versions.TryCarve(PageVersion.SizeBytes);
        version->Stamp = 1;
        return version;
    }

    internal void ReturnVersion(PageVersion* version)
    {
        System.Diagnostics.Debug.Assert((version->Stamp & 1) != 0, "a version that is linked");
        version->Older = _freeVersions;
        _freeVersions = version;
    }

    /// <summary>Returns the spill files that are in use.</summary>
    internal SpillFile[] UsedSpills() => [.. _spills.Where(static spill => !spill.IsUnused)];

    /// <summary>Hands over the spill files that are not in use any more; the caller disposes them outside the gate.</summary>
    internal SpillFile[] TakeUnusedSpills()
    {
        SpillFile[] unused = [.. _spills.Where(static spill => spill.IsUnused)];
        _spills.RemoveAll(static spill => spill.IsUnused);
        SpillBytes = _spills.Sum(static spill => spill.Bytes);
        return unused;
    }

    public void Dispose()
    {
        _disposed = true;
        CountLost();
        _next?.Dispose();
        _next = null;
        _regions.ForEach(static region => region.Dispose());
        _regions.Clear();
        _spills.ForEach(static spill => spill.Dispose());
        _spills.Clear();
    }

    private SpillFile? SpillOf(byte* address)
    {
        foreach (SpillFile spill in _spills)
        {
            if (spill.Holds(address))
            {
                return spill;
            }
        }

        return null;
    }

    /// <summary>Whether no more memory may be taken from the system.</summary>
    private bool IsFull => _next is null && _mostBytes - _memoryBytes < 3L * PageBytes;

    private void MakeRoom(int blockBytes, int otherBlockBytes)
    {
        int index = BlockPool.ClassOf(blockBytes);
        if (!IsFull || !_blocks.TrySplit(index) || !CanServe(blockBytes, otherBlockBytes))
        {
            AddRoom(3L * PageBytes);
        }
    }

    private bool CanServe(int blockBytes, int otherBlockBytes)
    {
        int index = BlockPool.ClassOf(blockBytes);
        int other = otherBlockBytes == 0 ? -1 : BlockPool.ClassOf(otherBlockBytes);
        bool canServe = _blocks.CanServe(index, other);
        for (int i = 0; i < _spills.Count && !canServe; i++)
        {
            canServe = _spills[i].CanServe(index, other);
        }

        return canServe;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* RentElsewhere(int index)
    {
        byte* block = IsFull && _blocks.TrySplit(index) ? _blocks.TryRent(index) : RentSpilledBlock(index);
        if (block == null)
        {
            AddRoom(BlockPool.BytesOf(index));
            block = _blocks.TryRent(index);
        }

        return block != null ? block : RentSpilledBlock(index);
    }

    private byte* RentSpilledBlock(int index)
    {
        byte* block = null;
        for (int i = _spills.Count - 1; i >= 0 && block == null; i--)
        {
            block = _spills[i].TryRentBlock(index);
        }

        return block;
    }

    private byte* RentSpilledRun(long bytes)
    {
        byte* run = null;
        for (int i = _spills.Count - 1; i >= 0 && run == null; i--)
        {
            run = _spills[i].TryRentRun(bytes);
        }

        if (run == null)
        {
            AddSpill(bytes);
            run = _spills[^1].TryRentRun(bytes);
        }

        return run;
    }

    private void AddRoom(long bytes)
    {
        AlignedBuffer? region = _next;
        if (region is not null && region.LengthBytes >= bytes)
        {
            _next = null;
        }
        else if (_mostBytes - _memoryBytes >= bytes)
        {
            // None is ready: take little, because it is backed by memory while the caller waits; page by page would cost more.
            long little = Math.Clamp(_memoryBytes / 4, LeastUnpreparedBytes, FirstRegionBytes);
            little = Math.Min(little, _mostBytes - _memoryBytes);
            region = AlignedBuffer.AllocateForPages(Math.Max(little, bytes), preFault: true);
            _memoryBytes += region.LengthBytes;
        }
        else
        {
            if (_spills.Count == 0 || _spills[^1].Room < bytes)
            {
                AddSpill(bytes);
            }

            return;
        }

        _regions.Add(region);
        _blocks.CarveFrom((byte*)region.Address, region.LengthBytes);
        _nextRegionBytes = Math.Min(_nextRegionBytes * 2, LargestRegionBytes);
    }

    /// <summary>
    /// Takes memory from the region of the blocks, which the system has given already, or else from a new region, for which the caller
    /// waits.
    /// </summary>
    private void AddVersionRoom(long bytes)
    {
        if (bytes <= VersionPieceBytes && _blocks.Room >= VersionPieceBytes + (3L * PageBytes))
        {
            _versions.CarveFrom(_blocks.TryCarve(VersionPieceBytes), VersionPieceBytes);
            return;
        }

        AlignedBuffer region = AlignedBuffer.AllocateForPages(Math.Max(_nextVersionRegionBytes, bytes), preFault: true);
        _memoryBytes += region.LengthBytes;
        _regions.Add(region);
        _versions.CarveFrom((byte*)region.Address, region.LengthBytes);
        _nextVersionRegionBytes = Math.Min(_nextVersionRegionBytes * 2, LargestVersionRegionBytes);
    }

    private void AddSpill(long bytes)
    {
        const long GranuleBytes = 64 << 10;
        long needed = (bytes + GranuleBytes - 1) & -GranuleBytes;
        SpillFile spill = _spillFiles!.Make(Math.Max(needed, _nextSpillBytes), needed);
        _spills.Add(spill);
        SpillBytes += spill.Bytes;
        _nextSpillBytes = Math.Min(_nextSpillBytes * 2, LargestSpillBytes);
    }
}
