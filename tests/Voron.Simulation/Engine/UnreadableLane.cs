using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Blocks that the device cannot read after a cut: some of those that were being written, for a drive reports a write that the power cut
/// tore as unreadable as well as giving it in part; and, where no header slot was being written, one slot at rest. It opens as after any
/// other cut, all that was promised is there, and what recovery writes heals the blocks. And one block of any file at rest: the open says
/// what is lost, or everything is there but what needs the block, which is told by a read that failed and never by bytes that a touch of a
/// map has shown.
/// </summary>
internal static class UnreadableLane
{
    private const int MostOpensOfEachRun = 60;
    private const int MostAtRestOfEachRun = 12;

    /// <summary>More in one journal file are a device that fails, not a write that was torn, and nothing is decided then.</summary>
    private const int MostBlocks = 16;

    internal static CrashStatistics Run(long states, CrashOptions options, Func<ulong, Workload> make) =>
        new CrashSeries(sum => sum.Tried >= states).Run(
            SimSeed.List(1_000_000).Select(seed => (Func<CrashStatistics>)(() => RunOne(options, make(seed)))));

    private static CrashStatistics RunOne(CrashOptions options, Workload workload)
    {
        var statistics = new CrashStatistics { Workloads = 1 };
        var disk = new SimDisk(workload.Seed, options.Disk);
        var model = new Model();
        var subject = new EngineSubject(isCold: workload.Seed % 2 == 0);
        var origin = new CrashOrigin(workload, workload.Seed, options.Test, string.Empty);
        List<CrashPoint> points = new CrashRun(subject, disk, workload, model, origin).Play();
        for (int i = 0; i < MostAtRestOfEachRun; i++)
        {
            OpenAtRest(points[(int)(SimRandom.Mix(origin.Seed, (ulong)i + 500) % (ulong)points.Count)], i, model, origin, statistics);
        }

        long opened = 0;
        foreach (int i in Enumerable.Range(0, points.Count).OrderBy(i => SimRandom.Mix(~origin.Seed, (ulong)i)))
        {
            foreach (CrashState state in CrashStates.Enumerate(points[i].Snapshot, SimRandom.Mix(origin.Seed, (ulong)i), options))
            {
                if (opened >= MostOpensOfEachRun)
                {
                    return statistics;
                }

                // One for each state: what it knows of images does not know what of them can be read.
                var examiner = new CrashExaminer(subject, options, statistics, origin, model);
                opened += CrashExaminer.OneIn(state.Hash.Low, options.StateOneIn) ? Examine(examiner, origin, points[i], state) : 0;
            }
        }

        return statistics;
    }

    /// <summary>0 when nothing could be made unreadable.</summary>
    private static int Examine(CrashExaminer examiner, CrashOrigin origin, CrashPoint point, CrashState state)
    {
        AtomSet kept = new(state.Kept.Count);
        for (int i = 0; i < kept.Count; i++)
        {
            kept[i] = state.Kept[i];
        }

        SimDisk Make() => Damaged(point.Snapshot, kept, state, out _);
        SimDisk disk = Damaged(point.Snapshot, kept, state, out List<string> places);
        if (places.Count == 0)
        {
            return 0;
        }

        string Where() => origin.Describe(point, state.Choice, kept) + Environment.NewLine + "unreadable: " + string.Join(", ", places);
        examiner.Examine(new CrashTrial
        {
            Disk = disk, Twin = Make, Hash = state.Hash, Bounds = point.Bounds with { LeastAfterKill = point.Bounds.LeastAfterCut },
            Where = Where, HasLostSector = true,
        });
        return 1;
    }

    private static SimDisk Damaged(SimSnapshot snapshot, AtomSet kept, CrashState state, out List<string> places)
    {
        SimDisk disk = snapshot.Cut(kept, state.Choice);
        var random = new SimRandom(SimRandom.Mix(state.Hash.High, 12));
        places = [];
        bool isSlotInFlight = false;
        int oneIn = random.Below(3) + 1;
        foreach (SimAtom atom in snapshot.Atoms)
        {
            if (atom.Kind != SimAtomKind.Data || disk.Peek(atom.Path) is not { } bytes)
            {
                continue;
            }

            long block = atom.Position * SimContent.SectorBytes / SimContent.BlockBytes;
            bool isSlot = atom.Path == EngineSubject.DataFile && block < 2;
            bool isThere = block * SimContent.BlockBytes < bytes.Length;
            isSlotInFlight |= isSlot;
            if (isThere && places.Count < MostBlocks && random.OneIn(oneIn) && disk.CanRead(atom.Path, block * SimContent.BlockBytes, 1))
            {
                disk.MakeUnreadable(atom.Path, block * SimContent.BlockBytes);
                places.Add($"block {block} of {atom.Path}");
            }
        }

        LoseSlot(disk, isSlotInFlight, random, places);
        return disk;
    }

    /// <summary>A slot at rest, where both are valid and neither was being written.</summary>
    private static void LoseSlot(SimDisk disk, bool isSlotInFlight, SimRandom random, List<string> places)
    {
        byte[]? bytes = disk.Peek(EngineSubject.DataFile);
        int slot = random.Below(3);
        if (slot < 2 && !isSlotInFlight && bytes is { Length: > 2 * EngineSubject.PageBytes } && bytes[0] != 0
            && bytes[EngineSubject.PageBytes] != 0)
        {
            disk.MakeUnreadable(EngineSubject.DataFile, slot * EngineSubject.PageBytes);
            places.Add($"header slot {slot}");
        }
    }

    private static void OpenAtRest(CrashPoint point, int number, Model model, CrashOrigin origin, CrashStatistics statistics)
    {
        SimDisk disk = point.Snapshot.Kill();
        var random = new SimRandom(SimRandom.Mix(origin.Seed, (ulong)number + 900));
        string[] paths = [.. disk.Paths().Where(path => disk.Peek(path) is { Length: > 0 }).Order(StringComparer.Ordinal)];
        if (paths.Length == 0)
        {
            return;
        }

        string path = paths[random.Below(paths.Length)];
        int block = random.Below((disk.Peek(path)!.Length + SimContent.BlockBytes - 1) / SimContent.BlockBytes);
        disk.MakeUnreadable(path, (long)block * SimContent.BlockBytes);
        string where = origin.Describe(point) + Environment.NewLine + $"kill, and block {block} of {path} unreadable";
        statistics.Tried++;
        statistics.Opens++;
        SimDisk copy = disk.Kill();
        ICrashSession session;
        try
        {
            session = new EngineSubject().Open(disk);
        }
        catch (Exception error)
        {
            RequireTyped(error, origin, where);
            statistics.Damaged++;
            Salvage(copy, origin, where);
            return;
        }

        long recovered = session.LastTransactionId;
        bool isTail = path.EndsWith(".commit", StringComparison.Ordinal);
        if (recovered > point.Bounds.Most || (recovered < point.Bounds.LeastAfterKill && !isTail))
        {
            throw origin.Failure("O2", $"recovered to transaction {recovered} without a word of the loss", where);
        }

        bool isWhole = TryRead(session, model, recovered, origin, where);
        SimDisk next = disk.Kill();
        disk.PowerOff();
        session.Abandon();
        if (isWhole)
        {
            try
            {
                LoseCatalog(next, origin, where);
            }
            catch (Exception error) when (error is not CrashFailureException)
            {
                throw origin.Failure("O6", "a checkpoint, or the open after it, fails although all was read", where, error);
            }
        }
        else
        {
            Salvage(copy, origin, where);
        }
    }

    /// <summary>False when something could not be read, and said so.</summary>
    private static bool TryRead(ICrashSession session, Model model, long recovered, CrashOrigin origin, string where)
    {
        try
        {
            string? difference = CrashRun.Difference(model.At(recovered), session.VisitContent);
            session.Check();
            return difference is null ? true : throw origin.Failure("O3", $"recovered to transaction {recovered}: {difference}", where);
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            RequireTyped(error, origin, where);
            return false;
        }
    }

    /// <summary>The root of the catalog was read and can be read no more: a check says so, for it reads the file and not a map.</summary>
    private static void LoseCatalog(SimDisk disk, CrashOrigin origin, string where)
    {
        ICrashSession session = new EngineSubject().Open(disk);
        session.Checkpoint();
        SimDisk next = disk.Kill();
        disk.PowerOff();
        session.Abandon();
        session = new EngineSubject().Open(next);

        // A recovery of pending entries opens their trees, which leaves versions of the catalog in memory.
        session.Checkpoint();
        session.Checkpoint();
        session.VisitContent(static (_, _) => { });
        next.MakeUnreadable(EngineSubject.DataFile, 2 * EngineSubject.PageBytes);
        string found = "nothing";
        try
        {
            session.Check();
        }
        catch (Exception error)
        {
            found = error.Message;
        }

        next.PowerOff();
        session.Abandon();
        if (!found.Contains("Page 2 ", StringComparison.Ordinal) || !found.Contains("cannot be read", StringComparison.Ordinal))
        {
            throw origin.Failure("O4", $"the catalog can be read no more, and a check found: {found}", where);
        }
    }

    private static void Salvage(SimDisk disk, CrashOrigin origin, string where)
    {
        try
        {
            StorageSalvage.Copy(EngineSubject.Directory, "/salvaged", new StorageOptions
            {
                Engine = new() { Disk = disk, Background = false },
            });
        }
        catch (Exception error)
        {
            RequireTyped(error, origin, where + Environment.NewLine + "then a salvage");
        }
    }

    /// <summary>An error that says what cannot be read or is lost; a checksum that does not fit was computed from a map.</summary>
    private static void RequireTyped(Exception error, CrashOrigin origin, string where)
    {
        bool isTyped = error is StorageException or InvalidDataException;
        if (!isTyped || error.Message.Contains("says checksum", StringComparison.Ordinal))
        {
            throw origin.Failure("O4", "an unreadable block was met with something else than a read that failed", where, error);
        }
    }
}
