namespace Voron.Storage.Versions;

/// <summary>
/// The free blocks of a pool, taken out of it so that they can be sorted without the gate: hundreds of thousands are linked through the
/// blocks themselves, anywhere in memory. Regions of which every block is here have no user, and leave. Blocks that are returned meanwhile
/// are not here, so their regions stay.
/// </summary>
internal sealed class IdleBlocks
{
    /// <summary>Regions by address, with the bytes of their blocks when the free ones were taken, and those of the free ones.</summary>
    private readonly List<BlockRegion> _regions;
    private readonly long[] _blockBytes;
    private readonly long[] _freeBytes;
    private readonly HashSet<BlockRegion> _leaving = [];

    internal IdleBlocks(IEnumerable<BlockRegion> regions, BlockRegion? carved, nint carveAt, nint carveEnd)
    {
        _regions = [.. regions.OrderBy(static region => region.Address)];
        _blockBytes = [.. _regions.Select(static region => region.BlockBytes)];
        _freeBytes = new long[_regions.Count];
        (Carved, CarveAt, CarveEnd) = (carved, carveAt, carveEnd);
    }

    /// <summary>The region that the pool carved from, and what was left of it.</summary>
    internal BlockRegion? Carved { get; }

    internal nint CarveAt { get; }

    internal nint CarveEnd { get; }

    /// <summary>Length of the regions that leave, in bytes.</summary>
    internal long LeavingBytes => _leaving.Sum(static region => region.LengthBytes);

    internal bool Leaves(BlockRegion region) => _leaving.Contains(region);

    internal bool Leaves(nint block) => _leaving.Contains(_regions[IndexOf(block)]);

    internal void CountFree(nint block, long bytes) => _freeBytes[IndexOf(block)] += bytes;

    /// <summary>Chooses regions without a user, the longest ones first, until no more than this much stays.</summary>
    internal void Choose(long keptBytes)
    {
        long stays = _regions.Sum(static region => region.LengthBytes);
        foreach (int index in Enumerable.Range(0, _regions.Count).OrderByDescending(index => _regions[index].LengthBytes))
        {
            BlockRegion region = _regions[index];
            if (_freeBytes[index] == _blockBytes[index] && stays > keptBytes)
            {
                _leaving.Add(region);
                stays -= region.LengthBytes;
            }
        }
    }

    /// <summary>Returns the regions that leave to the system; the pool has forgotten them.</summary>
    internal void FreeLeaving()
    {
        foreach (BlockRegion region in _leaving)
        {
            region.Dispose();
        }
    }

    private int IndexOf(nint block)
    {
        int low = 0;
        for (int high = _regions.Count - 1; low < high;)
        {
            int middle = (low + high + 1) / 2;
            (low, high) = _regions[middle].Address <= block ? (middle, high) : (low, middle - 1);
        }

        return low;
    }
}
