namespace Voron.Simulation;

/// <summary>
/// One file, whatever its names. What programs see is <see cref="Volatile"/>; what a power cut surely leaves is <see cref="Durable"/>; the
/// pending atoms lead from one to the other,
/// except for sectors in <see cref="Lost"/>, which a failed sync gave up.
/// </summary>
internal sealed class SimInode(long id, SimContent durable, SimContent visible)
{
    private HashSet<long>? _chargedBlocks;
    private int _asked;

    internal long Id { get; } = id;

    internal SimContent Durable { get; set; } = durable;

    internal SimContent Volatile { get; } = visible;

    /// <summary>What the file held when this disk came into being; null for a file created since.</summary>
    internal SimContent? Initial { get; init; }

    /// <summary>Its name then.</summary>
    internal string InitialPath { get; init; } = string.Empty;

    internal HashSet<long>? Lost { get; set; }

    /// <summary>Blocks that cannot be read until they are written as a whole.</summary>
    internal HashSet<long>? Unreadable { get; set; }

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
            Unreadable?.RemoveWhere(block => block * SimContent.BlockBytes >= length);
            // A real map would trap there; the pattern makes a reader of cut-off bytes fail its checksums.
            Region?.Bytes(length, old - length).Fill(0xDD);
        }
        else
        {
            Region?.Bytes(old, length - old).Clear();
        }
    }

    /// <summary>The cache drops what the device never got of the first bytes.</summary>
    internal void ForgetLost(long bytes = long.MaxValue)
    {
        foreach (long sector in Lost ?? [])
        {
            if (sector * SimContent.SectorBytes < bytes)
            {
                Volatile.WriteSector(sector, Durable.Sector(sector));
            }
        }

        Lost?.RemoveWhere(sector => sector * SimContent.SectorBytes < bytes);
    }

    /// <summary>Tears what a failed sync gave up: on the device the sectors begin with what the cache shows of them.</summary>
    internal void TearLost()
    {
        foreach (long sector in Lost ?? [])
        {
            byte[] bytes = Durable.Sector(sector).ToArray();
            Volatile.Sector(sector)[..(SimContent.SectorBytes / 8)].CopyTo(bytes);
            Durable.WriteSector(sector, bytes);
        }
    }

    internal void Map(int capacity)
    {
        if (Region is null)
        {
            SimRegion region = SimRegion.Rent(capacity);
            Volatile.Read(0, region.Bytes(0, Volatile.Length));
            Region = region;
            foreach (long block in Unreadable ?? [])
            {
                HideInMap(block);
            }
        }
    }

    /// <summary>From now on the block cannot be read, and the map shows a pattern there that no checksum passes.</summary>
    internal void MakeUnreadable(long block)
    {
        (Unreadable ??= []).Add(block);
        HideInMap(block);
    }

    internal bool CanRead(long offset, long bytes)
    {
        foreach (long block in Unreadable ?? [])
        {
            if (block * SimContent.BlockBytes < offset + bytes && (block + 1) * SimContent.BlockBytes > offset)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// The device gives blocks that are written whole a new place. Of others the system must read the rest first: false, then nothing is
    /// written.
    /// </summary>
    internal bool TryHeal(long offset, long bytes)
    {
        long end = offset + bytes;
        long firstWhole = (offset + SimContent.BlockBytes - 1) / SimContent.BlockBytes;
        long endWhole = end >= Volatile.Length ? BlocksOf(end) : end / SimContent.BlockBytes;
        if (Unreadable is null || !CanRead(offset, Math.Max(0, (firstWhole * SimContent.BlockBytes) - offset))
            || !CanRead(Math.Max(offset, endWhole * SimContent.BlockBytes), Math.Max(0, end - (endWhole * SimContent.BlockBytes))))
        {
            return Unreadable is null;
        }

        for (long block = firstWhole; block < endWhole; block++)
        {
            if (Unreadable.Remove(block) && Region is { } region)
            {
                long start = block * SimContent.BlockBytes;
                Volatile.Read(start, region.Bytes(start, Math.Clamp(Volatile.Length - start, 0, SimContent.BlockBytes)));
            }
        }

        return true;
    }

    private void HideInMap(long block)
    {
        long start = block * SimContent.BlockBytes;
        long bytes = Math.Clamp(Volatile.Length - start, 0, SimContent.BlockBytes);
        Region?.Bytes(start, bytes).Fill(0xEE);
    }

    internal void Unmap()
    {
        if (Region is { } region)
        {
            Region = null;
            SimRegion.Return(region);
        }
    }

    /// <summary>Refuses a range that is not mapped, a mistake of the engine that a system would not report.</summary>
    internal void RequireMapped(string path, long offset, long bytes)
    {
        long mapped = Region is null ? 0 : Volatile.Length;
        if (offset < 0 || bytes <= 0 || offset + bytes > mapped)
        {
            throw new InvalidOperationException($"Of '{path}' {mapped} bytes are mapped, not {offset} to {offset + bytes}.");
        }
    }

    /// <summary>Whether a mapped range is in memory: most are not, and one that is not may be the next time.</summary>
    internal bool ComesAndGoes(string path, long offset, long bytes)
    {
        RequireMapped(path, offset, bytes);
        return Interlocked.Increment(ref _asked) % 3 == 0;
    }
}
