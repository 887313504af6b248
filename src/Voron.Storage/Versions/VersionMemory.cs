// Unsafe fence. Bounds: every rented block is at least as long as requested and is returned with the same size; callers hold the
// version table's gate.
using System.Runtime.CompilerServices;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// The memory of page versions: blocks in a few size classes carved from large regions, and larger blocks for overflow runs. What exceeds
/// the limit is in spill files, which are mapped: no other code knows the difference. Guarded by the gate of the version table. Spill files
/// leave as soon as nothing in them is used, regions when the load that needed them has ended.
/// </summary>
internal sealed unsafe partial class VersionMemory : IDisposable
{
    private const int HeapCountOffset = 0;

    private readonly BlockPool _blocks = new();

    /// <summary>
    /// The pool of versions. They have regions of their own and are never in a spill file: their memory is only ever reused for versions,
    /// until the environment closes.
    /// </summary>
    private readonly BlockPool _versions = new();
    private readonly long _ampleBytes;
    private PageVersion* _freeVersions;

    /// <param name="pageBytes">The page size.</param>
    /// <param name="maxBytes">Bytes that may be used before spilling begins.</param>
    /// <param name="spillFiles">Creates files for the rest; null for none, and then there is no limit.</param>
    internal VersionMemory(int pageBytes, long maxBytes = long.MaxValue, SpillFiles? spillFiles = null)
    {
        PageBytes = pageBytes;
        // Blocks of one size cannot be used for another, so more is taken than is used: that is no reason to spill.
        Regions = new VersionRegions(
            spillFiles is null ? long.MaxValue : maxBytes + Math.Min(maxBytes / 4, VersionRegions.LargestBlockRegionBytes));
        _ampleBytes = spillFiles is null ? long.MaxValue : maxBytes / 16 * 15;
        Spills = new SpillSpace(spillFiles, maxBytes / 4);
    }

    internal int PageBytes { get; }

    /// <summary>Bytes of blocks and runs in use, spilled or not, but for layers of pending trees.</summary>
    internal long UsedBytes { get; private set; }

    /// <summary>Whether enough is left that a few pages will hardly need a spill file, which may be refused.</summary>
    internal bool IsAmple => UsedBytes <= _ampleBytes;

    /// <summary>What is in files.</summary>
    internal SpillSpace Spills { get; }

    /// <summary>
    /// Whether another region should be prepared, off the write path, because none is ready and there may be one. This early, because
    /// memory that the system has not given yet may cost milliseconds for each mebibyte, most of all in a virtual machine.
    /// </summary>
    internal bool WantsBlockRegion => Regions.WantsBlocks(_blocks.Room);

    /// <summary>As <see cref="WantsBlockRegion"/>, for versions.</summary>
    internal bool WantsVersionRegion => Regions.WantsVersions(_versions.Room);

    /// <summary>Regions that are prepared off the write path.</summary>
    internal VersionRegions Regions { get; }

    /// <summary>Bytes of memory that were taken for blocks and are not in use.</summary>
    internal long IdleBytes => _blocks.RegionBytes - _blocks.UsedBytes + Regions.PreparedBytes;

    /// <summary>
    /// Returns regions in which no block is in use to the system, until no more than this much stays. Holds the gate only to take the free
    /// blocks out and to put them back. Meanwhile their memory does not count, so that a writer gets other memory and no spill file. One
    /// thread at a time calls it.
    /// </summary>
    internal void GiveBack(Gate gate, long keptBytes)
    {
        IdleBlocks idle;
        long takenBytes;
        AlignedBuffer? next;
        using (gate.Hold())
        {
            takenBytes = _blocks.RegionBytes - _blocks.UsedBytes;
            idle = _blocks.TakeIdle();
            next = Regions.EndLoad();
            Regions.Count(-takenBytes);
        }

        next?.Dispose();
        _blocks.Sort(idle, keptBytes);
        using (gate.Hold())
        {
            _blocks.PutBack(idle);
            Regions.Count(takenBytes - idle.LeavingBytes);
        }

        idle.FreeLeaving();
    }

    /// <summary>Returns the capacity of the block for a request of this many slot bytes.</summary>
    internal int SlotCapacity(int bytes) => BlockPool.BytesOf(BlockPool.ClassOf(Math.Min(bytes, PageBytes)));

    internal byte* RentBlock(int bytes)
    {
        int index = BlockPool.ClassOf(bytes);
        byte* block = Spills.TakesLayer ? Spills.TryRentFromLayer(index) : null;
        if (block == null)
        {
            block = _blocks.TryRent(index);
            block = block != null ? block : RentElsewhere(index);
            UsedBytes += BlockPool.BytesOf(index);
        }

        Guard(ref block, bytes);
        return block;
    }

    internal void ReturnBlock(byte* block, int bytes)
    {
        Unguard(ref block);
        int index = BlockPool.ClassOf(bytes);
        bool isOfLayer = false;
        if (Spills.Bytes == 0 || !Spills.TryReturnBlock(block, index, out isOfLayer))
        {
            _blocks.Return(block, index);
        }

        UsedBytes -= isOfLayer ? 0 : BlockPool.BytesOf(index);
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
        if (_versions.Room < versions * PageVersion.SizeBytes)
        {
            _versions.Add(Regions.TakeVersions(versions * PageVersion.SizeBytes));
        }

        // Blocks are at most a page long, rounded up to a size class.
        if (blockBytes > 0 && _blocks.Room < 3L * PageBytes && !CanServe(blockBytes, otherBlockBytes))
        {
            MakeRoom(blockBytes, otherBlockBytes);
        }
    }

    /// <summary>Adds an owner to a heap, and returns it.</summary>
    internal static byte* ShareHeap(byte* heap)
    {
        ++*(int*)(heap + HeapCountOffset);
        return heap;
    }

    /// <summary>Shares a heap between versions: what is in it stays as it is.</summary>
    internal static bool IsHeapShared(byte* heap) => *(int*)(heap + HeapCountOffset) > 1;

    /// <summary>
    /// Gives up one owner of a heap. The last owner of one in a layer does not touch it: the system would write what changes there to the
    /// disk.
    /// </summary>
    internal void ReleaseHeap(byte* heap)
    {
        bool isUntouched = !IsHeapShared(heap) && Spills.HasInLayer(heap);
        if (isUntouched || --*(int*)(heap + HeapCountOffset) == 0)
        {
            ReturnBlock(heap, PageBytes);
        }
    }

    /// <summary>
    /// Rents zeroed memory for an overflow run of more than one page: a block, unless it is too long, because the memory of the C library
    /// stays with the process when it is freed piece by piece.
    /// </summary>
    internal byte* RentRun(long bytes)
    {
        byte* run;
        if (bytes <= BlockPool.LargestBlockBytes)
        {
            run = RentBlock((int)bytes);
            new Span<byte>(run, (int)bytes).Clear();
            return run;
        }

        if (bytes <= Regions.Room)
        {
            run = (byte*)SystemMemory.AllocateZeroed(bytes);
            Regions.Count(bytes);
        }
        else
        {
            run = Spills.RentRun(bytes);
        }

        UsedBytes += bytes;
        return run;
    }

    internal void ReturnRun(byte* run, long bytes)
    {
        if (bytes <= BlockPool.LargestBlockBytes)
        {
            ReturnBlock(run, (int)bytes);
            return;
        }

        UsedBytes -= bytes;
        if (!Spills.TryReturnRun(run, bytes))
        {
            Regions.Count(-bytes);
            SystemMemory.Free(run);
        }
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
            _versions.Add(Regions.TakeVersions(PageVersion.SizeBytes));
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

    public void Dispose()
    {
        CountLost();
        Regions.Dispose();
        _blocks.Dispose();
        _versions.Dispose();
        Spills.Dispose();
    }

    /// <summary>Whether no more memory may be taken from the system.</summary>
    private bool IsFull => Regions.PreparedBytes == 0 && Regions.Room < 3L * PageBytes;

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
        return _blocks.CanServe(index, other) || Spills.CanServe(index, other);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* RentElsewhere(int index)
    {
        byte* block = IsFull && _blocks.TrySplit(index) ? _blocks.TryRent(index) : Spills.TryRentBlock(index);
        if (block == null)
        {
            AddRoom(BlockPool.BytesOf(index));
            block = _blocks.TryRent(index);
        }

        return block != null ? block : Spills.TryRentBlock(index);
    }

    private void AddRoom(long bytes)
    {
        if (Regions.TryTakeBlocks(bytes) is { } region)
        {
            _blocks.Add(region);
        }
        else if (!Spills.HasRoom(bytes))
        {
            Spills.Add(bytes);
        }
    }
}
