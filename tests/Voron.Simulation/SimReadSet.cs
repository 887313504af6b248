namespace Voron.Simulation;

/// <summary>
/// What a recovery looked at in the state it was given. Two crash states whose recoveries looked at the same bytes are one state, so
/// <see cref="Key"/> is what distinct states are counted by.
/// </summary>
internal sealed class SimReadSet
{
    private readonly HashSet<(long Inode, long Sector)> _sectors = [];
    private readonly HashSet<(string Path, int What)> _facts = [];

    /// <summary>A sum over all that was looked at, so that the order of looking does not matter.</summary>
    internal Hash128 Key { get; private set; }

    internal void AddRead(SimInode inode, string path, long offset, long length)
    {
        if (inode.Initial is not { } initial)
        {
            return;
        }

        if (offset + length > initial.Length)
        {
            AddLength(inode, path);
            length = initial.Length - offset;
        }

        if (length <= 0)
        {
            return;
        }

        long last = (offset + length - 1) / SimContent.SectorBytes;
        Hash128 place = Hash128.Of(path);
        for (long sector = offset / SimContent.SectorBytes; sector <= last; sector++)
        {
            if (_sectors.Add((inode.Id, sector)))
            {
                Key += place.Then((ulong)sector).Then(SimContent.HashOfSector(sector, initial.Sector(sector)));
            }
        }
    }

    /// <summary>What is read through a map cannot be seen, so all of it counts.</summary>
    internal void AddMap(SimInode inode, string path)
    {
        if (inode.Initial is { } initial && _facts.Add((path, 1)))
        {
            Key += Hash128.Of(path).Then(1001).Then(initial.Sum).Then((ulong)initial.Length);
        }
    }

    internal void AddLength(SimInode inode, string path)
    {
        if (inode.Initial is { } initial && _facts.Add((path, 2)))
        {
            Key += Hash128.Of(path).Then(1002).Then((ulong)initial.Length);
        }
    }

    internal void AddName(string path, SimNamespace initial)
    {
        if (_facts.Add((path, 3)))
        {
            Key += Hash128.Of(path).Then(1003).Then(initial.Files.ContainsKey(path) ? 1UL : 0UL);
        }
    }

    internal void AddListing(string directory, SimNamespace initial)
    {
        foreach (string path in initial.Files.Keys)
        {
            if (SimPath.Parent(path) == directory)
            {
                AddName(path, initial);
            }
        }
    }
}
