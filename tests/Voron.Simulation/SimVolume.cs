using Voron.Storage;

namespace Voron.Simulation;

/// <summary>The files, the names and the pending atoms of one simulated disk. Its disk's lock is held around every call.</summary>
internal sealed class SimVolume
{
    private readonly Dictionary<long, SimInode> _inodes = [];
    private SimNamespace _durableNames;
    private long _nextInode;

    internal SimVolume(
        SimNamespace durableNames, SimNamespace names, IEnumerable<SimInode> inodes, IEnumerable<SimAtom> atoms, long nextInode)
    {
        _durableNames = durableNames;
        Names = InitialNames = names;
        _nextInode = nextInode;
        Pending = new SimPending(atoms);
        foreach (SimInode inode in inodes)
        {
            _inodes.Add(inode.Id, inode);
        }
    }

    /// <summary>The names as programs see them.</summary>
    internal SimNamespace Names { get; private set; }

    internal SimNamespace InitialNames { get; }

    internal SimPending Pending { get; }

    internal long UsedBlocks => _inodes.Values.Sum(inode => inode.ChargedBlocks);

    internal int MappedCount => _inodes.Values.Count(inode => inode.Region is not null);

    internal SimInode? Find(string path) => Names.TryFind(path, out long id) ? _inodes[id] : null;

    internal SimInode Create(string path, long call, bool keepsValidLength)
    {
        long id = _nextInode++;
        long valid = keepsValidLength ? 0 : long.MaxValue;
        var inode = new SimInode(id, new SimContent { Valid = valid }, new SimContent { Valid = valid });
        _inodes.Add(id, inode);
        Issue(new SimAtom { Kind = SimAtomKind.Create, CallNumber = call, Inode = id, Path = path, Directory = SimPath.Parent(path) });
        return inode;
    }

    /// <summary>A file that no name leads to: no crash leaves anything of it.</summary>
    internal SimInode CreateNameless()
    {
        var inode = new SimInode(_nextInode++, new SimContent(), new SimContent()) { IsReachable = false };
        _inodes.Add(inode.Id, inode);
        return inode;
    }

    internal IoError MakeDirectories(string path, long call)
    {
        if (Names.HasDirectory(path))
        {
            return IoError.Success;
        }

        if (Names.TryFind(path, out _))
        {
            return new IoError(IoErrorKind.NotADirectory, 20);
        }

        IoError error = MakeDirectories(SimPath.Parent(path), call);
        if (!error.Failed)
        {
            Issue(new SimAtom { Kind = SimAtomKind.MakeDirectory, CallNumber = call, Path = path, Directory = SimPath.Parent(path) });
        }

        return error;
    }

    internal IoError Rename(string source, string target, long call)
    {
        if (!Names.TryFind(source, out long inode) || !Names.HasDirectory(SimPath.Parent(target)))
        {
            return new IoError(IoErrorKind.NotFound, 2);
        }

        if (Names.HasDirectory(target))
        {
            return new IoError(IoErrorKind.IsADirectory, 21);
        }

        string left = SimPath.Parent(source), right = SimPath.Parent(target);
        if (source != target)
        {
            Issue(new SimAtom
            {
                Kind = SimAtomKind.Rename, CallNumber = call, Inode = inode, Path = source, NewPath = target, Directory = left,
                OtherDirectory = left == right ? null : right,
            });
        }

        return IoError.Success;
    }

    internal IoError Delete(string path, long call)
    {
        if (Names.HasDirectory(path))
        {
            return new IoError(IoErrorKind.IsADirectory, 21);
        }

        if (!Names.TryFind(path, out long inode))
        {
            return new IoError(IoErrorKind.NotFound, 2);
        }

        Issue(new SimAtom
        {
            Kind = SimAtomKind.Delete, CallNumber = call, Inode = inode, Path = path, Directory = SimPath.Parent(path),
        });
        return IoError.Success;
    }

    internal IoError List(string directory, List<string> names)
    {
        if (!Names.HasDirectory(directory))
        {
            return new IoError(IoErrorKind.NotFound, 2);
        }

        foreach ((string path, long _) in Names.Files)
        {
            if (SimPath.IsIn(path, directory))
            {
                names.Add(SimPath.Name(path));
            }
        }

        return IoError.Success;
    }

    /// <summary>Changes the names as seen, and leaves the change pending.</summary>
    internal void Issue(SimAtom atom)
    {
        Names = Names.Apply(atom);
        Pending.Add(atom);
        if (atom.Kind is SimAtomKind.Delete or SimAtomKind.Rename)
        {
            Sweep();
        }
    }

    internal void SyncDirectory(string path)
    {
        _durableNames = Pending.RetireDirectory(path, _durableNames);
        Sweep();
    }

    internal void SyncAllNames()
    {
        _durableNames = Pending.RetireNames(_durableNames);
        Sweep();
    }

    internal void EvictLost()
    {
        foreach (SimInode inode in _inodes.Values)
        {
            foreach (long sector in inode.Late ?? [])
            {
                long start = sector * SimContent.SectorBytes;
                int kept = (int)Math.Clamp(inode.Volatile.Length - start, 0, SimContent.SectorBytes);
                if (inode.Region is { } map)
                {
                    inode.Volatile.Sector(sector)[..kept].CopyTo(map.Bytes(start, kept));
                }
            }

            inode.Late = null;
            foreach (long sector in inode.Lost ?? [])
            {
                ReadOnlySpan<byte> bytes = inode.Durable.Sector(sector);
                inode.Volatile.WriteSector(sector, bytes);
                if (inode.Region is { } region)
                {
                    bytes.CopyTo(region.Bytes(sector * SimContent.SectorBytes, SimContent.SectorBytes));
                }
            }
        }
    }

    internal void Closed(SimInode inode)
    {
        if (--inode.OpenFiles == 0)
        {
            inode.Unmap();
            if (!inode.IsReachable)
            {
                _inodes.Remove(inode.Id);
            }
        }
    }

    internal SimSnapshot Capture(ulong seed, SimDiskOptions options)
    {
        var files = new List<SimInodeState>(_inodes.Count);
        foreach (SimInode inode in _inodes.Values)
        {
            if (inode.IsReachable)
            {
                long[]? lost = inode.Lost is { Count: > 0 } ? [.. inode.Lost] : null;
                long[]? unreadable = inode.Unreadable is { Count: > 0 } ? [.. inode.Unreadable] : null;
                files.Add(new SimInodeState(inode.Id, inode.Durable.Fork(), inode.Volatile.Fork(), lost, unreadable));
            }
        }

        return new SimSnapshot(seed, options)
        {
            DurableNames = _durableNames, Names = Names, Files = files, Atoms = Pending.ToArray(), NextInode = _nextInode,
        };
    }

    /// <summary>A sum over names, lengths and bytes of all files as they are seen now.</summary>
    internal Hash128 ImageHash()
    {
        Hash128 sum = default;
        foreach (string directory in Names.Directories)
        {
            sum += Hash128.Of(directory);
        }

        foreach ((string path, long id) in Names.Files)
        {
            SimContent content = _inodes[id].Volatile;
            sum += Hash128.Of(path).Then(content.Sum).Then((ulong)content.Length);
        }

        return sum;
    }

    /// <summary>
    /// Forgets files to which no name leads, now or after any cut, unless they are open; their atoms would only multiply equal states.
    /// </summary>
    private void Sweep()
    {
        var named = new HashSet<long>(_durableNames.Files.Values);
        named.UnionWith(Names.Files.Values);
        Pending.AddNamedInodes(named);
        foreach (SimInode inode in _inodes.Values.ToArray())
        {
            if (!named.Contains(inode.Id))
            {
                inode.IsReachable = false;
                Pending.DropContentOf(inode.Id);
                if (inode.OpenFiles == 0)
                {
                    _inodes.Remove(inode.Id);
                }
            }
        }
    }
}
