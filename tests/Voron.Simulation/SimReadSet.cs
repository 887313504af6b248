namespace Voron.Simulation;

/// <summary>
/// What a recovery looked at in the state it was given. Two crash states whose recoveries looked at the same bytes are one state, so
/// <see cref="Key"/> is what distinct states are counted by. Bytes that recovery wrote before it read them are none of that state's.
/// </summary>
internal sealed class SimReadSet
{
    private readonly Dictionary<long, ulong[]> _seen = [];
    private readonly HashSet<(SimFactKind Kind, string Path)> _single = [];
    private readonly HashSet<long> _mapped = [];
    private readonly List<SimInode> _maps = [];
    private readonly List<(SimFact Fact, Hash128 Value)> _facts = [];

    /// <summary>In the order in which they were looked at; those behind a map come last.</summary>
    internal IReadOnlyList<(SimFact Fact, Hash128 Value)> Facts => _facts;

    /// <summary>A sum over all facts, so that their order does not matter.</summary>
    internal Hash128 Key { get; private set; }

    internal void AddRead(SimInode inode, long offset, long length)
    {
        if (inode.Initial is not { } initial)
        {
            return;
        }

        if (offset + length > initial.Length)
        {
            AddLength(inode);
            length = initial.Length - offset;
        }

        long last = (offset + length - 1) / SimContent.SectorBytes;
        long run = 0;
        for (long sector = offset / SimContent.SectorBytes; length > 0 && sector <= last; sector++)
        {
            if (IsFirst(inode, sector))
            {
                run++;
                continue;
            }

            AddRun(inode, sector - run, run);
            run = 0;
        }

        AddRun(inode, last + 1 - run, run);
    }

    /// <summary>Sectors that were written whole: whoever reads them from now on reads what this process wrote.</summary>
    internal void AddWrite(SimInode inode, long offset, long length)
    {
        if (inode.Initial is null)
        {
            return;
        }

        long end = (offset + length) / SimContent.SectorBytes;
        for (long sector = (offset + SimContent.SectorBytes - 1) / SimContent.SectorBytes; sector < end; sector++)
        {
            IsFirst(inode, sector);
        }
    }

    /// <summary>What is read through a map cannot be seen here: <see cref="AddMapped"/> tells it afterwards.</summary>
    internal void AddMap(SimInode inode)
    {
        if (inode.Initial is not null && _mapped.Add(inode.Id))
        {
            _maps.Add(inode);
        }
    }

    /// <summary>Counts ranges of all mapped files as read: those that the owner of the map could reach.</summary>
    internal void AddMapped(IEnumerable<(long Offset, long Bytes)> ranges)
    {
        foreach ((long offset, long bytes) in ranges)
        {
            foreach (SimInode inode in _maps)
            {
                AddRead(inode, offset, bytes);
            }
        }
    }

    internal void AddLength(SimInode inode)
    {
        if (inode.Initial is not null && _single.Add((SimFactKind.Length, inode.InitialPath)))
        {
            Add(new SimFact(SimFactKind.Length, inode.InitialPath), SimNamespace.Empty, inode.Initial);
        }
    }

    internal void AddName(string path, SimNamespace initial) => AddSingle(SimFactKind.Name, path, initial);

    internal void AddListing(string directory, SimNamespace initial) => AddSingle(SimFactKind.Listing, directory, initial);

    private void AddSingle(SimFactKind kind, string path, SimNamespace initial)
    {
        if (_single.Add((kind, path)))
        {
            Add(new SimFact(kind, path), initial, null);
        }
    }

    private void AddRun(SimInode inode, long first, long sectors)
    {
        if (sectors > 0)
        {
            Add(new SimFact(SimFactKind.Sectors, inode.InitialPath, first, sectors), SimNamespace.Empty, inode.Initial);
        }
    }

    private void Add(SimFact fact, SimNamespace initial, SimContent? content)
    {
        Hash128 value = fact.ValueIn(initial, content);
        Key += value;
        _facts.Add((fact, value));
    }

    /// <summary>Whether this sector has been neither read nor written before; from now on it has.</summary>
    private bool IsFirst(SimInode inode, long sector)
    {
        ulong[] words = _seen.GetValueOrDefault(inode.Id, []);
        if (sector / 64 >= words.Length)
        {
            Array.Resize(ref words, (int)Math.Max((sector / 64) + 1, words.Length * 2));
            _seen[inode.Id] = words;
        }

        ref ulong word = ref words[sector / 64];
        ulong bit = 1UL << (int)(sector % 64);
        bool isFirst = (word & bit) == 0;
        word |= bit;
        return isFirst;
    }
}
