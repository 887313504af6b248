namespace Voron.Simulation;

/// <summary>
/// A moment of a simulated disk: what is durable, what is pending and what is seen. Any number of disks can be made of it, each in
/// microseconds, because they share all bytes that they do not change.
/// </summary>
internal sealed class SimSnapshot
{
    private const int MostGarbageSectors = 2048;

    /// <summary>Of the sectors that a torn cut loses, one in so many is torn.</summary>
    private const ulong TornOneIn = 3;

    private readonly ulong _seed;
    private readonly SimDiskOptions _options;
    private readonly Dictionary<long, int> _indexOf = [];
    private readonly List<int> _firstOfGroup = [];
    private readonly List<int> _lastOfGroup = [];
    private SimNamespace? _durableWithoutOrphans;

    internal SimSnapshot(ulong seed, SimDiskOptions options)
    {
        _seed = seed;
        _options = options;
    }

    internal SimProfile Profile => _options.Profile;

    internal required SimNamespace DurableNames { get; init; }

    internal required SimNamespace Names { get; init; }

    internal required long NextInode { get; init; }

    internal required IReadOnlyList<SimInodeState> Files
    {
        get;
        init
        {
            field = value;
            for (int i = 0; i < value.Count; i++)
            {
                _indexOf.Add(value[i].Id, i);
            }
        }
    }

    internal required SimAtom[] Atoms
    {
        get;
        init
        {
            field = value;
            GroupOf = new int[value.Length];
            BlockOf = new int[value.Length];
            NameNumberOf = new int[value.Length];
            Group(value);
            Number(value);
        }
    }

    /// <summary>For every atom the number of its file or directory.</summary>
    internal int[] GroupOf { get; private init; } = [];

    /// <summary>
    /// For every atom the number of its block: sectors of one call in the same 4096 bytes share one, other atoms have their own.
    /// </summary>
    internal int[] BlockOf { get; private init; } = [];

    internal int BlockCount { get; private set; }

    /// <summary>For every change of names its number among these, for other atoms -1.</summary>
    internal int[] NameNumberOf { get; private init; } = [];

    internal int NameCount { get; private set; }

    internal int GroupCount => _firstOfGroup.Count;

    internal bool IsFirstOfGroup(int atom) => _firstOfGroup[GroupOf[atom]] == atom;

    internal bool IsLastOfGroup(int atom) => _lastOfGroup[GroupOf[atom]] == atom;

    /// <summary>The place of a file in <see cref="Files"/>, or -1.</summary>
    internal int IndexOf(long inode) => _indexOf.GetValueOrDefault(inode, -1);

    internal SimDisk Cut(CutChoice choice) => Cut(choice.Resolve(this), choice);

    /// <param name="kept">The atoms that survive.</param>
    /// <param name="choice">What stands in grown space whose bytes did not survive, and which lost sectors are torn.</param>
    internal SimDisk Cut(AtomSet kept, CutChoice choice = default)
    {
        var contents = new SimContent?[Files.Count];
        SimNamespace names = DurableNames;
        for (int i = 0; i < Atoms.Length; i++)
        {
            SimAtom atom = Atoms[i];
            if (!kept[i])
            {
                if (IsTorn(i, choice.Tear) && IndexOf(atom.Inode) is int torn and >= 0)
                {
                    Tear(atom, contents[torn] ??= Files[torn].Durable.Fork(), SimRandom.Mix(choice.Tear, (ulong)i + 1));
                }

                continue;
            }

            if (atom.IsOfNames)
            {
                names = names.Apply(atom);
            }
            else if (IndexOf(atom.Inode) is int file and >= 0)
            {
                SimPending.ApplyToContent(atom, contents[file] ??= Files[file].Durable.Fork());
            }
        }

        names = ReferenceEquals(names, DurableNames) ? _durableWithoutOrphans ??= names.WithoutOrphans() : names.WithoutOrphans();

        if (choice.Garbage != SimGarbage.Zeros && Profile.ShowsOldBlocks)
        {
            FillGrownSpace(contents, kept, choice.Garbage, choice.GarbageSeed);
        }

        var inodes = new List<SimInode>(names.Files.Count);
        foreach ((string path, long id) in names.Files)
        {
            int file = IndexOf(id);
            contents[file]?.Trim();
            contents[file]?.TrimToValid();
            SimContent content = contents[file] ?? Files[file].Durable.Fork();
            inodes.Add(new SimInode(id, content.Fork(), content.Fork())
            {
                Initial = content, InitialPath = path, Unreadable = SetOf(Files[file].Unreadable),
            });
        }

        return new SimDisk(_seed, _options, new SimVolume(names, names, inodes, [], NextInode));
    }

    /// <summary>Whether a sector that is lost is torn: the device was writing it when the power went.</summary>
    private bool IsTorn(int atom, ulong tear) =>
        tear != 0 && Atoms[atom].Kind == SimAtomKind.Data && SimRandom.Mix(tear, (ulong)atom) % TornOneIn == 0;

    /// <summary>The beginning of a sector is new and its end old, or the other way round, or its middle is neither.</summary>
    private static void Tear(SimAtom atom, SimContent content, ulong seed)
    {
        var random = new SimRandom(seed);
        byte[] sector = content.Sector(atom.Position).ToArray();
        int from = random.Below(SimContent.SectorBytes);
        switch (random.Below(3))
        {
            case 0:
                atom.Sector.AsSpan(0, from).CopyTo(sector);
                break;
            case 1:
                atom.Sector.AsSpan(from).CopyTo(sector.AsSpan(from));
                break;
            default:
                random.Fill(sector.AsSpan(from, random.Below(SimContent.SectorBytes - from) + 1));
                break;
        }

        content.WriteSector(atom.Position, sector);
    }

    internal SimDisk Kill()
    {
        var inodes = new List<SimInode>(Files.Count);
        foreach (SimInodeState file in Files)
        {
            inodes.Add(new SimInode(file.Id, file.Durable.Fork(), file.Volatile.Fork())
            {
                Initial = file.Volatile, Lost = SetOf(file.Lost), Unreadable = SetOf(file.Unreadable),
            });
        }

        return new SimDisk(_seed, _options, new SimVolume(DurableNames, Names, inodes, Atoms, NextInode));
    }

    /// <summary>A hash of what a killed process leaves: what is seen and what is durable of it.</summary>
    internal Hash128 KillHash()
    {
        Hash128 sum = default;
        foreach ((string path, long inode) in Names.Files)
        {
            SimInodeState file = Files[IndexOf(inode)];
            sum += Hash128.Of(path).Then(file.Volatile.Sum).Then((ulong)file.Volatile.Length).Then(1);
        }

        foreach ((string path, long inode) in DurableNames.Files)
        {
            SimInodeState file = Files[IndexOf(inode)];
            sum += Hash128.Of(path).Then(file.Durable.Sum).Then((ulong)file.Durable.Length).Then(2);
        }

        return sum;
    }

    private static HashSet<long>? SetOf(long[]? places) => places is null ? null : [.. places];

    private void Group(SimAtom[] atoms)
    {
        var groups = new Dictionary<(long, string?), int>();
        for (int i = 0; i < atoms.Length; i++)
        {
            (long, string?) key = atoms[i].IsOfNames ? (0, atoms[i].Directory) : (atoms[i].Inode, null);
            if (!groups.TryGetValue(key, out int group))
            {
                groups.Add(key, group = groups.Count);
                _firstOfGroup.Add(i);
                _lastOfGroup.Add(i);
            }

            _lastOfGroup[group] = i;
            GroupOf[i] = group;
        }
    }

    private void Number(SimAtom[] atoms)
    {
        (long, long, long) last = default;
        for (int i = 0; i < atoms.Length; i++)
        {
            SimAtom atom = atoms[i];
            (long, long, long) block = (atom.CallNumber, atom.Inode, atom.Position * SimContent.SectorBytes / SimContent.BlockBytes);
            bool goesOn = i > 0 && atom.Kind == SimAtomKind.Data && atoms[i - 1].Kind == SimAtomKind.Data && block == last;
            last = block;
            BlockCount += goesOn ? 0 : 1;
            BlockOf[i] = BlockCount - 1;
            NameNumberOf[i] = atom.IsOfNames ? NameCount++ : -1;
        }
    }

    private void FillGrownSpace(SimContent?[] contents, AtomSet kept, SimGarbage garbage, ulong seed)
    {
        for (int file = 0; file < contents.Length; file++)
        {
            SimContent durable = Files[file].Durable;
            if (contents[file] is not { } content || content.Length <= durable.Length)
            {
                continue;
            }

            var written = new HashSet<long>();
            for (int i = 0; i < Atoms.Length; i++)
            {
                if (kept[i] && Atoms[i].Kind == SimAtomKind.Data && Atoms[i].Inode == Files[file].Id)
                {
                    written.Add(Atoms[i].Position);
                }
            }

            SimContent donor = Files[(int)(SimRandom.Mix(seed, (ulong)file) % (ulong)Files.Count)].Volatile;
            var random = new SimRandom(SimRandom.Mix(seed, (ulong)file + 1000));
            byte[] bytes = new byte[SimContent.SectorBytes];
            long from = (durable.Length + SimContent.SectorBytes - 1) / SimContent.SectorBytes;
            long to = Math.Min((content.Length + SimContent.SectorBytes - 1) / SimContent.SectorBytes, from + MostGarbageSectors);
            for (long sector = from; sector < to; sector++)
            {
                if (!written.Contains(sector))
                {
                    random.Fill(bytes);
                    content.WriteSector(sector, garbage == SimGarbage.Random ? bytes : donor.Sector(sector));
                }
            }
        }
    }
}
