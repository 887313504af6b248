namespace Voron.Simulation;

/// <summary>
/// One file, whatever its names. What programs see is <see cref="Volatile"/>; what a power cut surely leaves is <see cref="Durable"/>; the
/// pending atoms lead from one to the other,
/// except for sectors in <see cref="Lost"/>, which a failed sync gave up.
/// </summary>
internal sealed class SimInode(long id, SimContent durable, SimContent visible)
{
    private HashSet<long>? _chargedBlocks;

    internal long Id { get; } = id;

    internal SimContent Durable { get; set; } = durable;

    internal SimContent Volatile { get; } = visible;

    /// <summary>What the file held when this disk came into being; null for a file created since.</summary>
    internal SimContent? Initial { get; init; }

    /// <summary>Its name then.</summary>
    internal string InitialPath { get; init; } = string.Empty;

    internal HashSet<long>? Lost { get; set; }

    /// <summary>Sectors that the map does not show yet.</summary>
    internal HashSet<long>? Late { get; set; }

    /// <summary>
    /// Whether some name, durable, present or pending, leads to it; what happens to other files cannot be seen after a cut.
    /// </summary>
    internal bool IsReachable { get; set; } = true;

    internal int OpenFiles { get; set; }

    internal int SharedLocks { get; set; }

    internal SimFile? ExclusiveLock { get; set; }

    internal SimRegion? Region { get; private set; }

    /// <summary>Blocks that are charged against the disk's capacity: all below this one, and those in the set.</summary>
    internal long ChargedPrefix { get; private set; } = BlocksOf(visible.Length);

    internal long ChargedBlocks => ChargedPrefix + (_chargedBlocks?.Count ?? 0);

    internal static long BlocksOf(long bytes) => (bytes + SimContent.BlockBytes - 1) / SimContent.BlockBytes;

    /// <summary>How many blocks more a write to this range would take.</summary>
    internal long UnchargedIn(long offset, long end)
    {
        long count = 0;
        for (long block = Math.Max(offset / SimContent.BlockBytes, ChargedPrefix); block < BlocksOf(end); block++)
        {
            count += _chargedBlocks?.Contains(block) == true ? 0 : 1;
        }

        return count;
    }

    internal void Charge(long offset, long end)
    {
        for (long block = Math.Max(offset / SimContent.BlockBytes, ChargedPrefix); block < BlocksOf(end); block++)
        {
            if (block == ChargedPrefix)
            {
                ChargedPrefix++;
                while (_chargedBlocks?.Remove(ChargedPrefix) == true)
                {
                    ChargedPrefix++;
                }
            }
            else
            {
                (_chargedBlocks ??= []).Add(block);
            }
        }
    }

    internal void Uncharge(long length)
    {
        long blocks = BlocksOf(length);
        ChargedPrefix = Math.Min(ChargedPrefix, blocks);
        _chargedBlocks?.RemoveWhere(block => block >= blocks);
    }

    internal void SetVolatileLength(long length)
    {
        long old = Volatile.Length;
        Volatile.Length = length;
        if (length < old)
        {
            Volatile.Valid = Volatile.Valid == long.MaxValue ? long.MaxValue : Math.Min(Volatile.Valid, length);
            Volatile.Trim();
            Uncharge(length);
            Lost?.RemoveWhere(sector => sector * SimContent.SectorBytes >= length);
            // A real map would trap there; the pattern makes a reader of cut-off bytes fail its checksums.
            Region?.Bytes(length, old - length).Fill(0xDD);
        }
        else
        {
            Region?.Bytes(old, length - old).Clear();
        }
    }

    /// <summary>The cache lets go of what the device never got.</summary>
    internal void ForgetLost()
    {
        foreach (long sector in Lost ?? [])
        {
            Volatile.WriteSector(sector, Durable.Sector(sector));
        }

        Lost = null;
    }

    internal void Map(int capacity)
    {
        if (Region is null)
        {
            SimRegion region = SimRegion.Rent(capacity);
            Volatile.Read(0, region.Bytes(0, Volatile.Length));
            Region = region;
        }
    }

    internal void Unmap()
    {
        if (Region is { } region)
        {
            Region = null;
            SimRegion.Return(region);
        }
    }
}
