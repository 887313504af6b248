// Unsafe fence. Bounds that callers guarantee: memory given to the pool exists as long as the pool; a block is returned with the class it
// was rented with; the gate of the version table is held. Every block is as long as its class.
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// Blocks in a few size classes, carved from regions of given memory, with a free list for each class. Owns its regions, of which some can
/// be taken out again: see <see cref="IdleBlocks"/>.
/// </summary>
internal sealed unsafe class BlockPool : IDisposable
{
    /// <summary>Longer than a page, and than most runs of values; longer runs have memory of their own.</summary>
    internal const int LargestBlockBytes = 128 << 10;
    private const int SmallestBlockBytes = 256;
    private const int MostFetchedBytes = 512;

    private readonly byte*[] _free = new byte*[ClassOf(LargestBlockBytes) + 1];
    private readonly List<BlockRegion> _regions = [];

    /// <summary>Free blocks that were taken out to be sorted, and the last one of each list once that is done.</summary>
    private readonly byte*[] _idle = new byte*[ClassOf(LargestBlockBytes) + 1];
    private readonly byte*[] _lastIdle = new byte*[ClassOf(LargestBlockBytes) + 1];

    /// <summary>The region of the memory below; null before the first one.</summary>
    private BlockRegion? _carved;
    private byte* _carveAt;
    private byte* _carveEnd;

    /// <summary>Bytes of blocks in use.</summary>
    internal long UsedBytes { get; private set; }

    /// <summary>Bytes that are not carved yet.</summary>
    internal long Room => _carveEnd - _carveAt;

    /// <summary>Length of the regions in bytes.</summary>
    internal long RegionBytes { get; private set; }

    /// <summary>Classes are 256, 384, 512, 768, 1024, … bytes: powers of two and the values halfway between.</summary>
    internal static int ClassOf(int bytes)
    {
        if (bytes <= SmallestBlockBytes)
        {
            return 0;
        }

        int power = BitOperations.Log2((uint)(bytes - 1));
        int halfway = ((bytes - 1) >> (power - 1)) & 1;
        return ((power - 8) * 2) + halfway + 1;
    }

    internal static int BytesOf(int index)
    {
        int power = SmallestBlockBytes << (index / 2);
        return (index & 1) == 0 ? power : power + (power / 2);
    }

    /// <summary>Carves from this region from now on; abandons the rest of the memory before.</summary>
    internal void Add(BlockRegion region)
    {
        _regions.Add(region);
        RegionBytes += region.LengthBytes;
        CarveFrom(region, (byte*)region.Address, region.LengthBytes);
    }

    public void Dispose()
    {
        _regions.ForEach(static region => region.Dispose());
        _regions.Clear();
    }

    /// <summary>Whether a block of the one class and, if it is not negative, one of the other can be rented.</summary>
    internal bool CanServe(int index, int other)
    {
        long carved = _free[index] != null ? 0 : BytesOf(index);
        if (other >= 0)
        {
            bool isFree = other != index ? _free[other] != null : _free[index] != null && *(byte**)_free[index] != null;
            carved += isFree ? 0 : BytesOf(other);
        }

        return carved <= Room;
    }

    /// <summary>
    /// Carves small blocks out of a free block of a larger class; false if there is none. It never becomes a large block again.
    /// </summary>
    internal bool TrySplit(int index)
    {
        for (int larger = _free.Length - 1; larger > index; larger--)
        {
            byte* block = _free[larger];
            if (block != null)
            {
                _free[larger] = *(byte**)block;
                BlockRegion region = _regions.Find(region => region.Holds((nint)block))!;
                region.BlockBytes -= BytesOf(larger);
                CarveFrom(region, block, BytesOf(larger));
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns a block; null if none is free and there is no room to carve one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* TryRent(int index)
    {
        byte* block = _free[index];
        if (block != null)
        {
            byte* next = *(byte**)block;
            _free[index] = next;
            Fetch(next, index);
        }
        else
        {
            block = TryCarve(BytesOf(index));
            if (block == null)
            {
                return null;
            }
        }

        UsedBytes += BytesOf(index);
        return block;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Return(byte* block, int index)
    {
        UsedBytes -= BytesOf(index);
        Poison(block, BytesOf(index));
        *(byte**)block = _free[index];
        _free[index] = block;
    }

    /// <summary>Counts a block as returned, which is not rented again.</summary>
    internal void Forget(int index) => UsedBytes -= BytesOf(index);

    /// <summary>Prefetches the block that is rented and filled next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Fetch(byte* block, int index)
    {
        int bytes = CacheLine.CanFetch ? Math.Min(BytesOf(index), MostFetchedBytes) : 0;
        for (int offset = 0; offset < bytes; offset += CacheLine.Bytes)
        {
            CacheLine.Fetch(block + offset);
        }
    }

    /// <summary>Poisons a returned block in the checked build, so that no check accepts what is read from it.</summary>
    [Conditional("CHECKED")]
    private static void Poison(byte* block, int bytes) => new Span<byte>(block, bytes).Fill(0xDD);

    /// <summary>Returns memory for something other than a block, or null; it is never returned.</summary>
    internal byte* TryCarve(long bytes)
    {
        if (Room < bytes)
        {
            return null;
        }

        byte* carved = _carveAt;
        _carveAt += bytes;
        _carved!.BlockBytes += bytes;
        return carved;
    }

    /// <summary>
    /// Takes all free blocks, and what is not carved yet, out of the pool, so that regions without a user can leave. The next two calls
    /// are <see cref="Sort"/> and <see cref="PutBack"/>, with no other call of this one in between.
    /// </summary>
    internal IdleBlocks TakeIdle()
    {
        IdleBlocks idle = new(_regions, _carved, (nint)_carveAt, (nint)_carveEnd);
        for (int index = 0; index < _free.Length; index++)
        {
            _idle[index] = _free[index];
            _free[index] = null;
        }

        CarveFrom(null, null, 0);
        return idle;
    }

    /// <summary>Chooses the regions that leave, and takes their blocks out of those that were taken. Needs no gate.</summary>
    internal void Sort(IdleBlocks idle, long keptBytes)
    {
        for (int index = 0; index < _idle.Length; index++)
        {
            for (byte* block = _idle[index]; block != null; block = *(byte**)block)
            {
                idle.CountFree((nint)block, BytesOf(index));
            }
        }

        idle.Choose(keptBytes);
        for (int index = 0; index < _idle.Length; index++)
        {
            byte* next;
            byte* staying = null;
            _lastIdle[index] = null;
            for (byte* block = _idle[index]; block != null; block = next)
            {
                next = *(byte**)block;
                if (!idle.Leaves((nint)block))
                {
                    _lastIdle[index] = staying == null ? block : _lastIdle[index];
                    *(byte**)block = staying;
                    staying = block;
                }
            }

            _idle[index] = staying;
        }
    }

    /// <summary>Takes back the blocks that stay, and forgets the regions that leave.</summary>
    internal void PutBack(IdleBlocks idle)
    {
        for (int index = 0; index < _idle.Length; index++)
        {
            if (_idle[index] != null)
            {
                *(byte**)_lastIdle[index] = _free[index];
                _free[index] = _idle[index];
                _idle[index] = null;
            }
        }

        RegionBytes -= idle.LeavingBytes;
        _regions.RemoveAll(idle.Leaves);
        if (_carved is null && idle.Carved is { } region && !idle.Leaves(region))
        {
            CarveFrom(region, (byte*)idle.CarveAt, idle.CarveEnd - idle.CarveAt);
        }
    }

    private void CarveFrom(BlockRegion? region, byte* start, long bytes)
    {
        _carved = region;
        _carveAt = start;
        _carveEnd = start + bytes;
    }
}
