namespace Voron.Simulation;

/// <summary>
/// Hashes the state that a subset of a snapshot's atoms would give, without building it, in time proportional to the atoms. Equal states
/// reached by plain writes get equal hashes,
/// also from different snapshots; states with kept truncations may get different ones although they are equal, which costs a second look
/// and hides nothing.
/// </summary>
internal sealed class SimImageHasher
{
    private readonly SimSnapshot _snapshot;
    private readonly int[] _slotOf;
    private readonly Hash128[] _slotBase;
    private readonly int[] _slotStamp;
    private readonly int[] _fileOf;
    private readonly Hash128[] _sums;
    private readonly long[] _lengths;
    private readonly long[] _valid;
    private readonly Dictionary<Hash128, (Hash128 Directories, (int File, Hash128 Path)[] Names)> _namespaces = [];
    private int _stamp;

    internal SimImageHasher(SimSnapshot snapshot)
    {
        _snapshot = snapshot;
        SimAtom[] atoms = snapshot.Atoms;
        _slotOf = new int[atoms.Length];
        _fileOf = new int[atoms.Length];
        _sums = new Hash128[snapshot.Files.Count];
        _lengths = new long[snapshot.Files.Count];
        _valid = new long[snapshot.Files.Count];
        var slots = new Dictionary<(long, long), int>();
        var bases = new List<Hash128>();
        for (int i = 0; i < atoms.Length; i++)
        {
            _fileOf[i] = atoms[i].IsOfNames ? -1 : snapshot.IndexOf(atoms[i].Inode);
            if (atoms[i].Kind != SimAtomKind.Data || _fileOf[i] < 0)
            {
                continue;
            }

            if (!slots.TryGetValue((atoms[i].Inode, atoms[i].Position), out int slot))
            {
                slots.Add((atoms[i].Inode, atoms[i].Position), slot = slots.Count);
                SimContent durable = snapshot.Files[_fileOf[i]].Durable;
                bases.Add(durable.SectorHash(atoms[i].Position));
            }

            _slotOf[i] = slot;
        }

        _slotBase = [.. bases];
        _slotStamp = new int[bases.Count];
    }

    internal Hash128 Hash(AtomSet kept, CutChoice choice)
    {
        SimAtom[] atoms = _snapshot.Atoms;
        for (int file = 0; file < _sums.Length; file++)
        {
            _sums[file] = _snapshot.Files[file].Durable.Sum;
            _lengths[file] = _snapshot.Files[file].Durable.Length;
            _valid[file] = _snapshot.Files[file].Durable.Valid;
        }

        Hash128 nameKey = default, truncations = default;
        for (int i = 0; i < atoms.Length; i++)
        {
            if (atoms[i].Kind == SimAtomKind.Data || !kept[i])
            {
                continue;
            }

            if (atoms[i].IsOfNames)
            {
                nameKey = nameKey.Then((ulong)i + 1);
            }
            else if (_fileOf[i] is int file and >= 0)
            {
                long position = atoms[i].Position;
                if (atoms[i].Kind == SimAtomKind.Valid)
                {
                    _valid[file] = Math.Max(_valid[file], position);
                    continue;
                }

                bool isGrowth = atoms[i].Kind == SimAtomKind.Grow;
                _lengths[file] = isGrowth ? Math.Max(_lengths[file], position) : Math.Min(_lengths[file], position);
                truncations = isGrowth ? truncations : truncations.Then((ulong)i);
            }
        }

        AddKeptSectors(kept);
        (Hash128 hash, (int File, Hash128 Path)[] names) = Names(kept, nameKey);
        bool hasGarbage = false;
        foreach ((int file, Hash128 path) in names)
        {
            hash += path.Then(_sums[file]).Then((ulong)_lengths[file]);
            hasGarbage |= _lengths[file] > _snapshot.Files[file].Durable.Length;
        }

        if (truncations != default)
        {
            hash = hash.Then(truncations);
        }

        hash = choice.Tear != 0 ? hash.Then(choice.Tear) : hash;
        return hasGarbage && choice.Garbage != SimGarbage.Zeros ? hash.Then((ulong)choice.Garbage).Then(choice.GarbageSeed) : hash;
    }

    /// <summary>From the last atom back, so that the first one met for a sector is the one that stands.</summary>
    private void AddKeptSectors(AtomSet kept)
    {
        SimAtom[] atoms = _snapshot.Atoms;
        _stamp++;
        for (int i = atoms.Length - 1; i >= 0; i--)
        {
            if (atoms[i].Kind != SimAtomKind.Data || _fileOf[i] < 0 || !kept[i] || _slotStamp[_slotOf[i]] == _stamp)
            {
                continue;
            }

            _slotStamp[_slotOf[i]] = _stamp;
            if (atoms[i].Position * SimContent.SectorBytes < Math.Min(_lengths[_fileOf[i]], _valid[_fileOf[i]]))
            {
                _sums[_fileOf[i]] += atoms[i].SectorHash - _slotBase[_slotOf[i]];
            }
        }
    }

    private (Hash128 Directories, (int File, Hash128 Path)[] Names) Names(AtomSet kept, Hash128 key)
    {
        if (_namespaces.TryGetValue(key, out var known))
        {
            return known;
        }

        SimNamespace names = _snapshot.DurableNames;
        for (int i = 0; i < _snapshot.Atoms.Length; i++)
        {
            names = kept[i] ? names.Apply(_snapshot.Atoms[i]) : names;
        }

        names = names.WithoutOrphans();
        Hash128 directories = default;
        foreach (string directory in names.Directories)
        {
            directories += Hash128.Of(directory);
        }

        var files = new List<(int, Hash128)>();
        foreach ((string path, long inode) in names.Files)
        {
            files.Add((_snapshot.IndexOf(inode), Hash128.Of(path)));
        }

        known = (directories, [.. files]);
        _namespaces.Add(key, known);
        return known;
    }
}
