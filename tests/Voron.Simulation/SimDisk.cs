using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation;

/// <summary>
/// A disk in memory that follows one seed, keeps what is durable apart from what is merely written, and gives every state that a power cut
/// or a killed process could leave.
/// Its fault model: a cut keeps any subset of the pending atoms, in the order of their issue, with no damage outside of sectors being
/// written. Only a sync of that very file retires its
/// bytes and length, only a sync of that very directory its names, and a write-through write retires itself when it returns. A file whose
/// name was lost is lost.
/// Every call is made under one lock, so watchers see the calls one after another.
/// </summary>
internal sealed class SimDisk : IDisk
{
    private readonly SimRandom _random;
    private readonly SimVolume _volume;
    private long _calls;

    internal SimDisk(ulong seed, SimDiskOptions? options = null)
        : this(seed, options ?? new SimDiskOptions(), new SimVolume(SimNamespace.Empty, SimNamespace.Empty, [], [], 1))
    {
    }

    internal SimDisk(ulong seed, SimDiskOptions options, SimVolume volume)
    {
        Options = options;
        _random = new SimRandom(seed);
        _volume = volume;
    }

    /// <summary>
    /// Sees every call. It runs under the disk's lock and on the calling thread; it may capture this disk, but must not call it.
    /// </summary>
    internal Action<SimCall, SimPhase>? OnCall { get; set; }

    /// <summary>
    /// Runs between the sectors of every write, with the disk free for the calls of others: a reader of a map can see the write half done.
    /// </summary>
    internal Action<SimCall>? OnStep { get; set; }

    internal List<SimFault> Faults { get; } = [];

    /// <summary>
    /// Another process has all files mapped, so that the cache forgets nothing; a look past the cache shows what it should have forgotten.
    /// </summary>
    internal bool PinsCache { get; set; }

    /// <summary>Bytes of all files together, in whole blocks; what would exceed it fails with <see cref="IoErrorKind.DiskFull"/>.</summary>
    internal long CapacityBytes { get; set; } = long.MaxValue;

    /// <summary>
    /// Grows with every change of what a cut or a kill would leave, so that a watcher can skip calls that changed nothing.
    /// </summary>
    internal long StateVersion { get; private set; }

    /// <summary>Follows from all calls, their bytes and their results: equal seeds must give equal ones.</summary>
    internal Hash128 TraceHash { get; private set; }

    internal SimReadSet ReadSet { get; } = new();

    internal long CallCount => _calls;

    internal int OpenFileCount { get; private set; }

    internal int MappedFileCount => _volume.MappedCount;

    internal int PendingCount
    {
        get
        {
            lock (Gate)
            {
                return Pending.Count;
            }
        }
    }

    internal long UsedBytes => _volume.UsedBlocks * SimContent.BlockBytes;

    internal object Gate { get; } = new();

    internal SimDiskOptions Options { get; }

    internal SimPending Pending => _volume.Pending;

    /// <summary>From now on every call fails and leaves no trace: for throwing away an engine whose disk was cut.</summary>
    internal bool IsOff { get; private set; }

    internal void PowerOff() => IsOff = true;

    /// <summary>All that is needed to build any state a cut or a kill at this moment could leave.</summary>
    internal SimSnapshot Capture()
    {
        lock (Gate)
        {
            return _volume.Capture(SimRandom.Mix(_random.State, (ulong)_calls + 1), Options);
        }
    }

    /// <summary>A new disk as a power cut at this moment would leave it; this one goes on.</summary>
    internal SimDisk Cut(CutChoice choice) => Capture().Cut(choice);

    /// <summary>
    /// A new disk as the death of the process would leave it: everything written is still there, but no more durable than before.
    /// </summary>
    internal SimDisk Kill() => Capture().Kill();

    public IoError CreateDirectory(string path)
    {
        string normal = SimPath.Normalize(path);
        return Execute(SimCallKind.CreateDirectory, normal, call =>
        {
            ReadSet.AddName(normal, _volume.InitialNames);
            StateVersion++;
            return _volume.MakeDirectories(normal, call.Number);
        });
    }

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        string normal = SimPath.Normalize(path);
        SimFile? opened = null;
        IoError error = Execute(SimCallKind.OpenFile, normal, call => Open(normal, opening, call.Number, out opened));
        if (error.Failed)
        {
            opened?.Dispose();
            opened = null;
        }

        file = opened;
        return error;
    }

    public IoError Rename(string from, string to)
    {
        string source = SimPath.Normalize(from), target = SimPath.Normalize(to);
        return Execute(SimCallKind.Rename, source, call =>
        {
            ReadSet.AddName(source, _volume.InitialNames);
            return Changed(_volume.Rename(source, target, call.Number));
        });
    }

    public IoError Delete(string path)
    {
        string normal = SimPath.Normalize(path);
        return Execute(SimCallKind.Delete, normal, call =>
        {
            ReadSet.AddName(normal, _volume.InitialNames);
            return Changed(_volume.Delete(normal, call.Number));
        });
    }

    public IoError ListFiles(string directory, List<string> names)
    {
        string normal = SimPath.Normalize(directory);
        return Execute(SimCallKind.ListFiles, normal, _ =>
        {
            ReadSet.AddListing(normal, _volume.InitialNames);
            return _volume.List(normal, names);
        });
    }

    public IoError SyncDirectory(string path)
    {
        string normal = SimPath.Normalize(path);
        return Execute(SimCallKind.SyncDirectory, normal, _ =>
        {
            if (!_volume.Names.HasDirectory(normal))
            {
                return new IoError(IoErrorKind.NotFound, 2);
            }

            if (!Options.Profile.IgnoresSync)
            {
                if (Options.Profile.SyncRetiresNames)
                {
                    _volume.SyncAllNames();
                }

                _volume.SyncDirectory(normal);
                StateVersion++;
            }

            return IoError.Success;
        });
    }

    public void FillRandom(Span<byte> destination)
    {
        lock (Gate)
        {
            SimCall call = Begin(SimCallKind.FillRandom, string.Empty, 0, destination.Length);
            _random.Fill(destination);
            End(call, IoError.Success, Hash128.Of(destination));
        }
    }

    /// <summary>Flips bits of a file at rest, in what is durable and in what is seen: rot.</summary>
    internal void Damage(string path, long offset, byte mask)
    {
        lock (Gate)
        {
            SimInode inode = Find(path) ?? throw Throw.NoSuchFile(path);
            long sector = offset / SimContent.SectorBytes;
            foreach (SimContent content in (ReadOnlySpan<SimContent>)[inode.Durable, inode.Volatile])
            {
                byte[] bytes = content.Sector(sector).ToArray();
                bytes[offset % SimContent.SectorBytes] ^= mask;
                content.WriteSector(sector, bytes);
            }

            if (inode.Region is { } region)
            {
                region.Bytes(offset, 1)[0] ^= mask;
            }

            StateVersion++;
        }
    }

    internal SimInode? Find(string path) => _volume.Find(SimPath.Normalize(path));

    /// <summary>The cache lets go of what failed syncs gave up: those sectors are seen again as they are on the device.</summary>
    internal void EvictLost()
    {
        lock (Gate)
        {
            _volume.EvictLost();
            StateVersion++;
        }
    }

    /// <summary>The present content of a file, past hooks, faults and trace; null when there is none of this name.</summary>
    internal byte[]? Peek(string path)
    {
        lock (Gate)
        {
            if (Find(path) is not { } inode)
            {
                return null;
            }

            byte[] bytes = new byte[inode.Volatile.Length];
            inode.Volatile.Read(0, bytes);
            return bytes;
        }
    }

    /// <summary>What a recovery would see there; only for a disk that was not used yet.</summary>
    internal Hash128 ValueOf(SimFact fact) => fact.ValueIn(_volume.InitialNames, _volume.Find(fact.Path)?.Initial);

    internal Hash128 ImageHash()
    {
        lock (Gate)
        {
            return _volume.ImageHash();
        }
    }

    internal IReadOnlyList<string> Paths() => [.. _volume.Names.Files.Keys];

    /// <summary>Starts a call; the caller holds the gate.</summary>
    internal SimCall Begin(SimCallKind kind, string path, long offset, long length)
    {
        if (IsOff)
        {
            return new SimCall { Number = _calls, Kind = kind, Path = path, Fault = new SimFault() };
        }

        SimFault? met = null;
        foreach (SimFault fault in Faults)
        {
            // Every fault counts its matches, also when another one strikes first.
            if (fault.Meets(kind, path))
            {
                met ??= fault;
            }
        }

        if (met is { Effect: SimFaultEffect.Delay })
        {
            LeaveGateFor(met.Pause);
            met = null;
        }

        var call = new SimCall { Number = ++_calls, Kind = kind, Path = path, Offset = offset, Length = length, Fault = met };
        OnCall?.Invoke(call, SimPhase.Before);
        return call;
    }

    internal IoError End(SimCall call, IoError error, Hash128 bytes = default)
    {
        if (IsOff)
        {
            return error;
        }

        call.Result = error;
        Hash128 what = Hash128.Of(call.Path).Then((ulong)call.Kind).Then((ulong)call.Offset).Then((ulong)call.Length);
        TraceHash = TraceHash.Then(what).Then((ulong)error.Kind).Then(bytes);
        OnCall?.Invoke(call, SimPhase.After);
        return error;
    }

    internal void Changed() => StateVersion++;

    /// <summary>Runs something with the gate open, which the caller holds once.</summary>
    internal void LeaveGateFor(Action? action)
    {
        Monitor.Exit(Gate);
        try
        {
            action?.Invoke();
        }
        finally
        {
            Monitor.Enter(Gate);
        }
    }

    internal void SyncAllNames() => _volume.SyncAllNames();

    internal bool TryCharge(SimInode inode, long offset, long end)
    {
        if (CapacityBytes != long.MaxValue && UsedBytes + (inode.UnchargedIn(offset, end) * SimContent.BlockBytes) > CapacityBytes)
        {
            return false;
        }

        inode.Charge(offset, end);
        return true;
    }

    internal void Closed(SimInode inode)
    {
        OpenFileCount--;
        _volume.Closed(inode);
    }

    private IoError Changed(IoError error)
    {
        StateVersion += error.Failed ? 0 : 1;
        return error;
    }

    private IoError Execute(SimCallKind kind, string path, Func<SimCall, IoError> action)
    {
        lock (Gate)
        {
            SimCall call = Begin(kind, path, 0, 0);
            if (call.Fault is { Effect: not SimFaultEffect.Everything } stopped)
            {
                return End(call, stopped.Result);
            }

            IoError error = action(call);
            return End(call, call.Fault is { } fault ? fault.Result : error);
        }
    }

    private IoError Open(string path, FileOpening opening, long call, out SimFile? file)
    {
        file = null;
        if ((opening & FileOpening.Temporary) != 0)
        {
            return OpenInode(_volume.CreateNameless(), path, opening, out file);
        }

        ReadSet.AddName(path, _volume.InitialNames);
        if (_volume.Names.HasDirectory(path))
        {
            return new IoError(IoErrorKind.IsADirectory, 21);
        }

        SimInode? inode = _volume.Find(path);
        if (inode is null)
        {
            if ((opening & FileOpening.Create) == 0 || !_volume.Names.HasDirectory(SimPath.Parent(path)))
            {
                return new IoError(IoErrorKind.NotFound, 2);
            }

            inode = _volume.Create(path, call, Options.Profile.KeepsValidLength);
            StateVersion++;
        }

        return OpenInode(inode, path, opening, out file);
    }

    private IoError OpenInode(SimInode inode, string path, FileOpening opening, out SimFile? file)
    {
        inode.OpenFiles++;
        OpenFileCount++;
        file = new SimFile(this, inode, path, opening);
        return IoError.Success;
    }
}
