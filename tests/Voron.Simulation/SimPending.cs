namespace Voron.Simulation;

/// <summary>The atoms that were issued and are not durable, in order, and the barriers that make them so.</summary>
internal sealed class SimPending
{
    private readonly List<SimAtom> _atoms;

    internal SimPending(IEnumerable<SimAtom> atoms) => _atoms = [.. atoms];

    internal int Count => _atoms.Count;

    internal SimAtom[] ToArray() => [.. _atoms];

    internal void Add(SimAtom atom) => _atoms.Add(atom);

    /// <summary>A sync of the file: content and length.</summary>
    internal void RetireFile(SimInode inode)
    {
        if (inode.Lost is null or { Count: 0 })
        {
            inode.Durable = inode.Volatile.Fork();
        }
        else
        {
            foreach (SimAtom atom in _atoms)
            {
                if (atom.Inode == inode.Id && !atom.IsOfNames)
                {
                    ApplyToContent(atom, inode.Durable);
                }
            }

            inode.Durable.Trim();
        }

        DropContentOf(inode.Id);
    }

    /// <summary>The return of a write-through write: its sectors, and as much of the length as reading them needs.</summary>
    internal void RetireWrite(SimInode inode, long firstSector, long lastSector, long end)
    {
        for (long sector = firstSector; sector <= lastSector; sector++)
        {
            inode.Durable.WriteSector(sector, inode.Volatile.Sector(sector), inode.Volatile.SectorHash(sector));
            inode.Lost?.Remove(sector);
        }

        inode.Durable.Valid = inode.Durable.Valid == long.MaxValue ? long.MaxValue : Math.Max(inode.Durable.Valid, end);
        bool truncated = _atoms.Exists(atom => atom.Kind == SimAtomKind.Truncate && atom.Inode == inode.Id);
        if (truncated)
        {
            inode.Durable.Length = inode.Volatile.Length;
            inode.Durable.Trim();
        }
        else
        {
            inode.Durable.Length = Math.Max(inode.Durable.Length, end);
        }

        long length = inode.Durable.Length;
        _atoms.RemoveAll(atom => atom.Inode == inode.Id && atom.Kind switch
        {
            SimAtomKind.Data => atom.Position >= firstSector && atom.Position <= lastSector,
            SimAtomKind.Grow => truncated || atom.Position <= length,
            SimAtomKind.Truncate => true,
            SimAtomKind.Valid => atom.Position <= inode.Durable.Valid,
            _ => false,
        });
    }

    /// <summary>The names of all directories.</summary>
    internal SimNamespace RetireNames(SimNamespace durable)
    {
        foreach (SimAtom atom in _atoms)
        {
            durable = durable.Apply(atom);
        }

        _atoms.RemoveAll(atom => atom.IsOfNames);
        return durable;
    }

    internal SimNamespace RetireDirectory(string directory, SimNamespace durable)
    {
        for (int i = 0; i < _atoms.Count; i++)
        {
            SimAtom atom = _atoms[i];
            if (!atom.IsOfNames || (atom.Directory != directory && atom.OtherDirectory != directory))
            {
                continue;
            }

            string? still = atom.Directory == directory ? atom.OtherDirectory : atom.Directory;
            if (still is null || still == directory)
            {
                durable = durable.Apply(atom);
                _atoms.RemoveAt(i--);
            }
            else
            {
                _atoms[i] = new SimAtom
                {
                    Kind = atom.Kind, CallNumber = atom.CallNumber, Inode = atom.Inode, Path = atom.Path,
                    NewPath = atom.NewPath, Directory = still,
                };
            }
        }

        return durable;
    }

    /// <summary>A failed sync gave up these pages: they look written, and nothing will bring them to the device.</summary>
    internal void Lose(SimInode inode)
    {
        foreach (SimAtom atom in _atoms)
        {
            if (atom.Kind == SimAtomKind.Data && atom.Inode == inode.Id)
            {
                (inode.Lost ??= []).Add(atom.Position);
            }
        }

        _atoms.RemoveAll(atom => atom.Kind == SimAtomKind.Data && atom.Inode == inode.Id);
    }

    internal void DropContentOf(long inode) => _atoms.RemoveAll(atom => atom.Inode == inode && !atom.IsOfNames);

    internal void AddNamedInodes(HashSet<long> inodes)
    {
        foreach (SimAtom atom in _atoms)
        {
            if (atom.IsOfNames)
            {
                inodes.Add(atom.Inode);
            }
        }
    }

    internal static void ApplyToContent(SimAtom atom, SimContent content)
    {
        switch (atom.Kind)
        {
            case SimAtomKind.Data:
                content.WriteSector(atom.Position, atom.Sector, atom.SectorHash);
                break;
            case SimAtomKind.Valid:
                content.Valid = Math.Max(content.Valid, atom.Position);
                break;
            case SimAtomKind.Grow:
                content.Length = Math.Max(content.Length, atom.Position);
                break;
            case SimAtomKind.Truncate when atom.Position < content.Length:
                content.Length = atom.Position;
                content.Valid = content.Valid == long.MaxValue ? long.MaxValue : Math.Min(content.Valid, atom.Position);
                content.Trim();
                break;
        }
    }
}
