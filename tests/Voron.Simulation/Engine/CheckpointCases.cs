using System.Runtime.InteropServices;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using static Voron.Simulation.Engine.DirectedLane;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>The cases of the lane directed that are about header slots and image sets.</summary>
internal static class CheckpointCases
{
    /// <summary>
    /// While large values are placed, the older slot is of the checkpoint before; a cut inside the next one and the loss of the newer slot
    /// leave two complete image sets to be found.
    /// </summary>
    internal static void LoseSlotsInsideCheckpoints()
    {
        for (int seed = 1; seed <= 3; seed++)
        {
            using FaultRig rig = new FaultRig((ulong)seed).Open();
            SortedDictionary<int, int> rows = [];
            Random random = new(seed);
            using (WriteTransaction placing = rig.Environment.BeginWrite())
            {
                placing.OpenTree("placed").Put([1], new byte[PlacedBytes]);
                placing.Commit();
            }

            foreach (int count in (int[])[500, 300])
            {
                Change(rig, random, rows, count);
                rig.Environment.Checkpoint();
            }

            Change(rig, random, rows, 300);
            foreach (SimSnapshot moment in InPlaceMoments(rig))
            {
                for (int slot = 0; slot < 2; slot++)
                {
                    SimDisk left = moment.Cut(CutChoice.All);
                    DamageSlot(left, slot);
                    using StorageEnvironment environment = Reopen(left);
                    RequireRows(environment, rows, $"slot {slot} damaged");
                }
            }
        }
    }

    /// <summary>Chunks that only a rolled-back transaction filled are gone after the close; neither slot may ask for them.</summary>
    internal static void LoseSlotsAfterRollback()
    {
        using FaultRig rig = new FaultRig().Open(maxDirtyBytes: 1 << 20);
        rig.Commit(50);
        using (WriteTransaction giant = rig.Environment.BeginWrite())
        {
            rig.Put(giant, 9_000);
        }

        rig.Environment.Dispose();
        for (int slot = 0; slot < 2; slot++)
        {
            SimDisk left = rig.Disk.Kill();
            DamageSlot(left, slot);
            RequireAll(rig, left, $"slot {slot} damaged");
        }
    }

    /// <summary>
    /// A close moves the newest image set to a short chunk and cuts the commit chunks. Whatever a cut leaves of that, and whichever slot is
    /// lost afterwards, every row is there, also after another close, which makes no commit.
    /// </summary>
    internal static void CutWhileClosing()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(2_500);
        rig.Environment.Checkpoint();
        rig.Rewrite();
        List<SimSnapshot> moments = [];
        rig.Disk.OnCall = (_, phase) =>
        {
            if (phase == SimPhase.After)
            {
                moments.Add(rig.Disk.Capture());
            }
        };
        rig.Environment.Dispose();
        rig.Disk.OnCall = null;
        RequireShort(rig.Disk, "the close");
        const int Step = 5;
        Require(moments.Count > 2 * Step, "the close makes many calls");
        for (int moment = 0; moment < moments.Count; moment += moment > moments.Count / 2 ? 1 : Step)
        {
            foreach (CutChoice cut in (CutChoice[])[CutChoice.None, CutChoice.All, CutChoice.Random((ulong)moment + 1)])
            {
                RequireAll(rig, moments[moment].Cut(cut), $"a cut after call {moment} of the close");
            }
        }

        for (int slot = 0; slot < 2; slot++)
        {
            SimDisk left = rig.Disk.Kill();
            DamageSlot(left, slot);
            RequireAll(rig, left, $"slot {slot} damaged");
            RequireShort(left, "a close without commits");
            DamageSlot(left, 1 - slot);
            RequireAll(rig, left, $"slot {1 - slot} damaged later");
        }
    }

    private static void RequireShort(SimDisk disk, string what)
    {
        const long MostBytes = 256 << 10;
        foreach (string path in disk.Paths().Where(static path => path.StartsWith(Folder + "/journal/", StringComparison.Ordinal)))
        {
            Require(disk.Peek(path)!.Length <= MostBytes, $"{path} is short after {what}");
        }
    }

    internal static void LoseEitherSlot()
    {
        using FaultRig rig = new FaultRig().Open();
        for (int i = 0; i < 4; i++)
        {
            rig.Commit();
            rig.Environment.Checkpoint();
            for (int slot = 0; slot < 2; slot++)
            {
                SimDisk left = rig.Disk.Kill();
                DamageSlot(left, slot);
                RequireAll(rig, left, $"slot {slot} damaged after checkpoint {i + 1}");
            }
        }
    }

    /// <summary>
    /// A slot is written to the place of the older one. If only the cache has the newer one, and the device has it torn, a power cut while
    /// the sound one is written over must not happen: no slot would be left.
    /// </summary>
    internal static void TearSlotBelowCache()
    {
        int failures = 0;
        while (TryTearSlot(failures + 1))
        {
            failures++;
        }

        Require(failures > 2, "syncs of slots and of pages fail");
    }

    /// <summary>Lets the n-th sync of the data file in a checkpoint fail; false if it has fewer.</summary>
    private static bool TryTearSlot(int sync)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(100);
        rig.Environment.Checkpoint();
        rig.Commit(100);
        rig.Disk.Faults.Add(
            new SimFault { Calls = SimCallKind.SyncData, Path = DataFile, From = sync, Effect = SimFaultEffect.LoseUnsynced });
        try
        {
            rig.Environment.Checkpoint();
            return false;
        }
        catch (StorageIOException)
        {
            // Told.
        }

        SimDisk left = rig.Disk.Kill();
        left.Find(DataFile)!.TearLost();
        List<(SimSnapshot Left, long Offset)> moments = [];
        left.OnCall = (call, phase) =>
        {
            if (call.Kind == SimCallKind.Write && call.Path == DataFile && call.Offset < 2 * PageBytes && phase == SimPhase.After)
            {
                moments.Add((left.Capture(), call.Offset));
            }
        };
        using (Reopen(left))
        {
            left.OnCall = null;
        }

        Require(moments.Count > 0, "the open writes slots");
        foreach ((SimSnapshot moment, long offset) in moments)
        {
            SimDisk cut = moment.Cut(CutChoice.All);
            cut.Damage(DataFile, offset + 50, mask: 1);
            RequireAll(rig, cut, $"the slot at {offset} torn after sync {sync} of the checkpoint had failed");
        }

        return true;
    }

    /// <summary>Pages of the checkpoint may be in the file already, so the one before it is no base any more.</summary>
    internal static void DamageTable()
    {
        using FaultRig rig = new FaultRig().Open();
        SortedDictionary<int, int> rows = [];
        Random random = new(1);
        foreach (int count in (int[])[500, 300])
        {
            Change(rig, random, rows, count);
            rig.Environment.Checkpoint();
        }

        Change(rig, random, rows, 300);
        foreach (SimSnapshot moment in InPlaceMoments(rig))
        {
            SimDisk left = moment.Cut(CutChoice.All);
            ImageSetHead head = NewestHead(left);
            Require(head.TableSequence > 0, "the newest image set has a table");
            left.Damage($"{Folder}/journal/{head.TableSequence:D16}.pages", head.TableOffset + 8, mask: 1);
            RequireRefused(left, "the table of the newest image set damaged");
        }
    }

    /// <summary>
    /// The newest image set names the chunk that the next one begins in. A damaged file with that name is replaced, by a chunk that the
    /// next open finds sound.
    /// </summary>
    internal static void TakeNextName()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Environment.Checkpoint();
        long next;
        do
        {
            rig.Rewrite();
            rig.Environment.Checkpoint();
            next = NewestHead(rig.Disk).NextSetSequence;
        }
        while (rig.Disk.Peek($"{Folder}/journal/{next:D16}.pages") is not null);

        rig.Rewrite();
        SimDisk left = rig.Disk.Kill();
        left.OpenFile($"{Folder}/journal/{next:D16}.pages", FileOpening.Create, out IDiskFile? file);
        using (file)
        {
            file!.SetLength(1 << 16);
        }

        using StorageEnvironment environment = Reopen(left);
        environment.Checkpoint();
        RequireAll(rig, left.Kill(), "a kill after a checkpoint in the chunk of that name");
    }

    /// <summary>
    /// A large value is placed in pages that the file grows by. When they cannot be mapped, the put is refused; the checkpoint that writes
    /// to them next must map them first.
    /// </summary>
    internal static void FailMapOfGrowth()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(100);
        rig.Break(SimCallKind.Map, DataFile, IoErrorKind.OutOfMemory, times: 1);
        try
        {
            rig.Commit(1, PlacedBytes);
            throw new SiteFailureException("a value was placed where nothing is mapped");
        }
        catch (StorageIOException)
        {
            // Told.
        }

        rig.Commit(100);
        rig.Environment.Checkpoint();
        rig.ExpectHere();
        RequireAll(rig, rig.Disk.Kill(), "a kill after the checkpoint");
    }

    internal static ImageSetHead NewestHead(SimDisk disk) =>
        disk.Paths().Where(static path => path.EndsWith(".pages", StringComparison.Ordinal))
            .SelectMany(path => HeadsIn(disk.Peek(path)!)).MaxBy(static head => head.Checkpoint);

    private static IEnumerable<ImageSetHead> HeadsIn(byte[] chunk) =>
        from block in Enumerable.Range(0, chunk.Length / FormatConstants.BlockBytes)
        let head = MemoryMarshal.Read<ImageSetHead>(chunk.AsSpan(block * FormatConstants.BlockBytes))
        where head.Magic == FormatConstants.ImageSetMagic
        select head;

    /// <summary>
    /// Before anything but a slot is written to the data file, a slot on the device says that the file is at rest no more: without it an
    /// open would believe a page cache that may hide a failed write.
    /// </summary>
    internal static void WatchRest()
    {
        using FaultRig rig = new FaultRig().Open();
        int writes = 0;
        rig.Disk.OnCall = (call, phase) =>
        {
            bool isPage = call.Kind == SimCallKind.Write && call.Path == DataFile && call.Offset >= 2 * PageBytes;
            if (phase == SimPhase.Before && isPage)
            {
                writes++;
                byte[] onDevice = rig.Disk.Cut(CutChoice.None).Peek(DataFile)!;
                Require(!IsAtRest(onDevice), $"the file is said to be at rest while page {call.Offset / PageBytes} is written");
            }
        };
        for (int i = 0; i < 2; i++)
        {
            rig.Commit();
            rig.Environment.Checkpoint();
            rig.Commit();
            rig.Environment.Dispose();
            rig.Open();
            rig.Commit(1, PlacedBytes);
            rig.Environment.Dispose();
            rig.Open();
        }

        rig.Disk.OnCall = null;
        Require(writes > 8, "pages were written");
        RequireAll(rig, rig.Disk.Kill(), "a kill");
    }

    private static bool IsAtRest(ReadOnlySpan<byte> file)
    {
        HeaderSlot first = MemoryMarshal.Read<HeaderSlot>(file);
        HeaderSlot second = MemoryMarshal.Read<HeaderSlot>(file[PageBytes..]);
        return (first.Generation > second.Generation ? first : second).IsAtRest != 0;
    }

    /// <summary>The moments of the next checkpoint behind each page that is written once its image set is complete.</summary>
    private static List<SimSnapshot> InPlaceMoments(FaultRig rig)
    {
        List<SimSnapshot> moments = [];
        bool isComplete = false;
        rig.Disk.OnCall = (call, phase) =>
        {
            bool isPageChunk = call.Path.EndsWith(".pages", StringComparison.Ordinal);
            bool isPage = call.Kind == SimCallKind.Write && call.Path == DataFile && call.Offset >= 2 * PageBytes;
            isComplete |= isPageChunk && call.Kind == SimCallKind.SyncData && phase == SimPhase.After;
            if (isComplete && isPage && phase == SimPhase.After)
            {
                moments.Add(rig.Disk.Capture());
            }
        };
        rig.Environment.Checkpoint();
        rig.Disk.OnCall = null;
        Require(moments.Count > 0, "pages are written behind the image set");
        return moments;
    }

    private static void Change(FaultRig rig, Random random, SortedDictionary<int, int> rows, int count)
    {
        using WriteTransaction transaction = rig.Environment.BeginWrite();
        Tree tree = transaction.OpenTree(NumberedRows.Tree);
        for (int i = 0; i < count; i++)
        {
            int key = random.Next(2_000);
            rows[key] = random.Next();
            tree.Put(Key(key), ValueOf(rows[key]));
        }

        transaction.Commit();
    }

    private static byte[] ValueOf(int seed) => Value(seed, 10 + (seed % 290));

    private static void DamageSlot(SimDisk disk, int slot) => disk.Damage(DataFile, (slot * PageBytes) + 50, mask: 1);

    private static void RequireRows(StorageEnvironment environment, SortedDictionary<int, int> rows, string where)
    {
        using ReadTransaction read = environment.BeginRead();
        ReadTree tree = read.OpenTree(NumberedRows.Tree);
        foreach ((int key, int seed) in rows)
        {
            bool isRight = tree.TryGet(Key(key), out ReadOnlySpan<byte> value) && value.SequenceEqual(ValueOf(seed));
            Require(isRight, $"row {key} is wrong, {where}");
        }
    }
}
