using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>
/// Blocks that the device cannot read after a cut: some of those that were being written, for a drive reports a write that the power cut
/// tore as unreadable as well as giving it in part; and, where no header slot was being written, one slot at rest. It opens as after any
/// other cut, all that was promised is there, and what recovery writes heals the blocks.
/// </summary>
internal static class UnreadableLane
{
    private const int MostOpensOfEachRun = 60;

    internal static CrashStatistics Run(long states, CrashOptions options, Func<ulong, Workload> make) =>
        new CrashSeries(sum => sum.Tried >= states).Run(
            SimSeed.List(1_000_000).Select(seed => (Func<CrashStatistics>)(() => RunOne(options, make(seed)))));

    private static CrashStatistics RunOne(CrashOptions options, Workload workload)
    {
        var statistics = new CrashStatistics { Workloads = 1 };
        var disk = new SimDisk(workload.Seed, options.Disk);
        var model = new Model();
        var subject = new EngineSubject();
        var origin = new CrashOrigin(workload, workload.Seed, options.Test, string.Empty);
        List<CrashPoint> points = new CrashRun(subject, disk, workload, model, origin).Play();
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
        SimDisk disk = snapshot.Cut(kept, state.Choice.Garbage, state.Choice.GarbageSeed);
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
            if (isThere && random.OneIn(oneIn) && disk.CanRead(atom.Path, block * SimContent.BlockBytes, 1))
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
}
