// Unsafe fence. Bounds: every block handed out is at least as long as asked for and comes back with the same size; callers hold the
// version table's gate.
using System.Numerics;
using Voron.Storage.Platform;

namespace Voron.Storage.Paging;

/// <summary>
/// The native memory of page versions: blocks in a few size classes carved from large regions, each class with its own free list, and
/// larger blocks for overflow runs. Not thread-safe: the version table's gate covers it. Regions go back to the system only when the
/// environment closes.
/// </summary>
internal sealed unsafe class VersionMemory : IDisposable
{
    private const int SmallestBlockBytes = 256;
    private const int FirstRegionBytes = 1 << 20;
    private const int LargestRegionBytes = 16 << 20;
    private const int HeapCountOffset = 0;

    private readonly List<AlignedBuffer> _regions = [];
    private readonly byte*[] _free;
    private byte* _carveAt;
    private byte* _carveEnd;
    private AlignedBuffer? _next;
    private PageVersion* _freeVersions;
    private int _nextRegionBytes = FirstRegionBytes;
    private bool _disposed;

    internal VersionMemory(int pageBytes)
    {
        PageBytes = pageBytes;
        _free = new byte*[ClassOf(pageBytes) + 1];
    }

    internal int PageBytes { get; }

    /// <summary>Bytes of blocks in use.</summary>
    internal long UsedBytes { get; private set; }

    /// <summary>
    /// True when no other region stands ready: time to prepare one off the write path. As early as that, for memory that the system has
    /// not given yet may cost milliseconds a mebibyte, most of all in a virtual machine.
    /// </summary>
    internal bool WantsRegion => _next is null && _carveEnd - _carveAt < _nextRegionBytes;

    /// <summary>A region whose pages are already backed by memory. Needs no gate.</summary>
    internal AlignedBuffer PrepareRegion() => AlignedBuffer.AllocateForPages(_nextRegionBytes, preFault: true);

    /// <summary>Takes a prepared region for the time when the present one is used up.</summary>
    internal void Adopt(AlignedBuffer region)
    {
        if (_next is not null || _disposed)
        {
            region.Dispose();
            return;
        }

        _next = region;
    }

    /// <summary>The capacity that a request for so many slot bytes gets.</summary>
    internal int SlotCapacity(int bytes) => BytesOf(ClassOf(Math.Min(bytes, PageBytes)));

    internal byte* RentBlock(int bytes)
    {
        int index = ClassOf(bytes);
        byte* block = _free[index];
        if (block != null)
        {
            _free[index] = *(byte**)block;
        }
        else
        {
            block = Carve(BytesOf(index));
        }

        UsedBytes += BytesOf(index);
        return block;
    }

    internal void ReturnBlock(byte* block, int bytes)
    {
        int index = ClassOf(bytes);
        UsedBytes -= BytesOf(index);
        *(byte**)block = _free[index];
        _free[index] = block;
    }

    /// <summary>A heap block with one owner.</summary>
    internal byte* RentHeap()
    {
        byte* heap = RentBlock(PageBytes);
        *(int*)(heap + HeapCountOffset) = 1;
        return heap;
    }

    /// <summary>
    /// Makes sure that requests of together so many bytes, blocks counted with their classes' sizes, cannot fail, whatever is free.
    /// </summary>
    internal void EnsureRoom(long bytes)
    {
        if (_carveEnd - _carveAt >= bytes)
        {
            return;
        }

        AlignedBuffer? region = _next;
        if (region is null || region.LengthBytes < bytes)
        {
            // None is ready: little is taken, which comes page by page as it is touched.
            region = AlignedBuffer.AllocateForPages(Math.Max(FirstRegionBytes, bytes), preFault: false);
        }
        else
        {
            _next = null;
        }

        _regions.Add(region);
        _carveAt = (byte*)region.Address;
        _carveEnd = _carveAt + region.LengthBytes;
        _nextRegionBytes = Math.Min(_nextRegionBytes * 2, LargestRegionBytes);
    }

    internal static void ShareHeap(byte* heap) => ++*(int*)(heap + HeapCountOffset);

    internal void ReleaseHeap(byte* heap)
    {
        if (--*(int*)(heap + HeapCountOffset) == 0)
        {
            ReturnBlock(heap, PageBytes);
        }
    }

    /// <summary>Zeroed memory of an overflow run of more than one page.</summary>
    internal byte* RentRun(long bytes)
    {
        byte* run = (byte*)SystemMemory.AllocateZeroed(bytes);
        UsedBytes += bytes;
        return run;
    }

    internal void ReturnRun(byte* run, long bytes)
    {
        UsedBytes -= bytes;
        SystemMemory.Free(run);
    }

    internal PageVersion* RentVersion()
    {
        PageVersion* version = _freeVersions;
        if (version != null)
        {
            _freeVersions = version->Older;
        }
        else
        {
            version = (PageVersion*)Carve(PageVersion.SizeBytes);
            version->Stamp = 1;
        }

        return version;
    }

    internal void ReturnVersion(PageVersion* version)
    {
        Volatile.Write(ref version->Stamp, version->Stamp + 1);
        version->Older = _freeVersions;
        _freeVersions = version;
    }

    public void Dispose()
    {
        _disposed = true;
        _next?.Dispose();
        _next = null;
        foreach (AlignedBuffer region in _regions)
        {
            region.Dispose();
        }

        _regions.Clear();
    }

    private byte* Carve(int bytes)
    {
        EnsureRoom(bytes);
        byte* block = _carveAt;
        _carveAt += bytes;
        return block;
    }

    /// <summary>Classes are 256, 384, 512, 768, 1024, … bytes: powers of two and the values halfway between.</summary>
    private static int ClassOf(int bytes)
    {
        if (bytes <= SmallestBlockBytes)
        {
            return 0;
        }

        int power = BitOperations.Log2((uint)(bytes - 1));
        int halfway = ((bytes - 1) >> (power - 1)) & 1;
        return ((power - 8) * 2) + halfway + 1;
    }

    private static int BytesOf(int index)
    {
        int power = SmallestBlockBytes << (index / 2);
        return (index & 1) == 0 ? power : power + (power / 2);
    }
}
