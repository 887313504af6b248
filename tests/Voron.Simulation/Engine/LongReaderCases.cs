using System.Runtime.InteropServices;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using static Voron.Simulation.Engine.DirectedLane;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>
/// The cases of the lane directed in which a reader holds back hundreds of pages and later checkpoints change a few, so that the tables of
/// deferred pages on disk are linked.
/// </summary>
internal static class LongReaderCases
{
    private const int Rows = 2_000;
    private const int ValueBytes = 900;

    /// <summary>After each checkpoint all parts of the list are on disk, those in chunks that hold no image any more included.</summary>
    internal static void KillAfterEachCheckpoint()
    {
        int[] versions = new int[Rows];
        using FaultRig rig = Fill(versions);
        using ReadTransaction reader = rig.Environment.BeginRead();
        Change(rig, versions, 0, Rows);
        rig.Environment.Checkpoint();
        int linked = 0;
        for (int i = 0; i < 24; i++)
        {
            // Now the same leaf, whose older image is needed no more, and now another one.
            Change(rig, versions, i % 3 * 40, (i % 3 * 40) + 1);
            rig.Environment.BeginWrite().Dispose();
            rig.Environment.Checkpoint();
            linked = Math.Max(linked, PartsIn(rig.Disk).Count);
            RequireRows(rig.Disk.Kill(), versions, $"a kill after checkpoint {i}");
        }

        Require(linked > 4, $"there are {linked} linked tables");
    }

    /// <summary>Pages that leave the list, because their reader is gone while another one stays, are not laid over again.</summary>
    internal static void EndOneOfTwoReaders()
    {
        int[] versions = new int[Rows];
        using FaultRig rig = Fill(versions);
        ReadTransaction first = rig.Environment.BeginRead();
        Change(rig, versions, 0, 100);
        rig.Environment.Checkpoint();
        using ReadTransaction second = rig.Environment.BeginRead();
        Change(rig, versions, 100, Rows);
        rig.Environment.Checkpoint();
        first.Dispose();
        for (int i = 0; i < 4; i++)
        {
            rig.Environment.BeginWrite().Dispose();
            Change(rig, versions, 0, 100);
            rig.Environment.Checkpoint();
            Change(rig, versions, 1_000 + i, 1_001 + i);
            rig.Environment.Checkpoint();
            RequireRows(rig.Disk.Kill(), versions, $"a kill after checkpoint {i}");
        }

        Require(PartsIn(rig.Disk).Count > 1, "there are linked tables");
    }

    /// <summary>However long the reader stays, recovery reads a few times what a list of all pages would take.</summary>
    internal static void StayForManyCheckpoints()
    {
        int[] versions = new int[Rows];
        using FaultRig rig = Fill(versions);
        using ReadTransaction reader = rig.Environment.BeginRead();
        Change(rig, versions, 0, Rows);
        rig.Environment.Checkpoint();
        int pages = ListedPages(rig.Disk);
        for (int i = 0; i < 60; i++)
        {
            Change(rig, versions, i * 7, (i * 7) + 1);
            rig.Environment.Checkpoint();
            List<ImageEntry> parts = PartsIn(rig.Disk);
            long blocks = parts.Sum(static part => BlocksOf(part.PageCount));
            long most = Math.Max(8, 2 * BlocksOf(pages + 60));
            Require(blocks <= most, $"{blocks} blocks of tables are linked for {pages} pages");
            Require(parts.Sum(static part => part.PageCount) <= 2 * (pages + 60), $"too many entries are linked for {pages} pages");
        }

        RequireRows(rig.Disk.Kill(), versions, "a kill");
    }

    /// <summary>Without a part of the list an older checkpoint is no base, and pages in the file are older than this one.</summary>
    internal static void LoseLinkedTable()
    {
        int[] versions = new int[Rows];
        using FaultRig rig = Fill(versions);
        using ReadTransaction reader = rig.Environment.BeginRead();
        Change(rig, versions, 0, Rows);
        rig.Environment.Checkpoint();
        List<ImageEntry> parts = [];
        for (int i = 0; i < 12 && parts.Count < 4; i++)
        {
            Change(rig, versions, i * 40, (i * 40) + 1);
            rig.Environment.Checkpoint();
            parts = PartsIn(rig.Disk);
        }

        Require(parts.Count == 4, $"there are {parts.Count} linked tables");
        RequireRows(rig.Disk.Kill(), versions, "a kill");
        foreach (ImageEntry part in parts.Skip(1))
        {
            // An entry twice, and another one not: each that is there is as good as before.
            SimDisk left = rig.Disk.Kill();
            byte[] chunk = left.Peek(PathOf(part))!;
            int last = (int)part.Offset + ((int)(part.PageCount - 1) * ImageEntry.SizeBytes);
            for (int i = 0; i < ImageEntry.SizeBytes; i++)
            {
                left.Damage(PathOf(part), last + i, (byte)(chunk[last + i] ^ chunk[last - ImageEntry.SizeBytes + i]));
            }

            RequireRefused(left, $"the table at {part.Offset} of chunk {part.Sequence} is another one");
            left = rig.Disk.Kill();
            left.Delete(PathOf(part));
            RequireRefused(left, $"chunk {part.Sequence} is lost");
        }
    }

    private static FaultRig Fill(int[] versions)
    {
        FaultRig rig = new FaultRig().Open();
        Change(rig, versions, 0, Rows);
        rig.Environment.Checkpoint();
        return rig;
    }

    /// <summary>Gives each of these rows another value.</summary>
    private static void Change(FaultRig rig, int[] versions, int from, int to)
    {
        using WriteTransaction transaction = rig.Environment.BeginWrite();
        Tree tree = transaction.OpenTree(NumberedRows.Tree);
        for (int i = from; i < to; i++)
        {
            tree.Put(Key(i), Value((++versions[i] * Rows) + i, ValueBytes));
        }

        transaction.Commit();
    }

    private static void RequireRows(SimDisk left, int[] versions, string where)
    {
        using StorageEnvironment environment = Reopen(left);
        using ReadTransaction read = environment.BeginRead();
        ReadTree tree = read.OpenTree(NumberedRows.Tree);
        for (int i = 0; i < Rows; i++)
        {
            bool isRight = tree.TryGet(Key(i), out ReadOnlySpan<byte> value)
                && value.SequenceEqual(Value((versions[i] * Rows) + i, ValueBytes));
            Require(isRight, $"row {i} is wrong, {where}");
        }
    }

    /// <summary>The deferred part of the newest image set and those that it links to, as links to them, the newest first.</summary>
    private static List<ImageEntry> PartsIn(SimDisk disk)
    {
        ImageSetHead head = CheckpointCases.NewestHead(disk);
        List<ImageEntry> parts = [];
        ImageEntry part = new()
        {
            Sequence = head.TableSequence,
            Offset = head.TableOffset + (head.ImageCount * ImageEntry.SizeBytes),
            PageCount = head.DeferredCount,
        };
        while (part.IsLink && part.PageCount > 0)
        {
            parts.Add(part);
            part = MemoryMarshal.Read<ImageEntry>(disk.Peek(PathOf(part)).AsSpan((int)part.Offset));
        }

        return parts;
    }

    private static int ListedPages(SimDisk disk) => (int)PartsIn(disk).Single().PageCount;

    private static long BlocksOf(long entries) =>
        ((entries * ImageEntry.SizeBytes) + FormatConstants.BlockBytes - 1) / FormatConstants.BlockBytes;

    private static string PathOf(in ImageEntry part) => $"{Folder}/journal/{part.Sequence:D16}.pages";
}
