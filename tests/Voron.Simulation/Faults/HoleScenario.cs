using Voron.Storage;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>A data file with a large free run in its middle, and a checkpoint that is about to punch a hole there.</summary>
internal static class HoleScenario
{
    internal const int RowsKept = 20;
    internal const int PlacedBytes = 100_000;

    private const string Filling = "filling";
    private const int Rows = 320;
    private const int RowBytes = 1_500;

    /// <summary>The header slots are the first two pages.</summary>
    private const long SlotsEnd = 2 * 4096;

    /// <summary>The middle of the file is free in both header slots' snapshots once another checkpoint is through.</summary>
    internal static FaultRig EmptiedFile(ulong seed = 1)
    {
        FaultRig rig = FreedFile(seed);
        rig.Environment.Checkpoint();
        rig.Rewrite();
        return rig;
    }

    /// <summary>The middle of the file is free for the last transaction; the snapshot on disk still has it.</summary>
    internal static FaultRig FreedFile(ulong seed)
    {
        FaultRig rig = new FaultRig(seed).Open();
        using (WriteTransaction filling = rig.Environment.BeginWrite())
        {
            Tree tree = filling.OpenTree(Filling);
            for (int i = 0; i < Rows; i++)
            {
                tree.Put(Key(i), Value(i, RowBytes));
            }

            filling.Commit();
        }

        rig.Commit(RowsKept);
        rig.Environment.Checkpoint();
        using (WriteTransaction emptying = rig.Environment.BeginWrite())
        {
            Require(emptying.DropTree(Filling), "the filling is there");
            emptying.Commit();
        }

        return rig;
    }

    /// <summary>Does something once while a checkpoint writes its header slot, when its snapshot is long chosen.</summary>
    internal static bool DuringCheckpoint(FaultRig rig, Action action)
    {
        bool isDone = false;
        rig.Disk.OnCall = (call, phase) =>
        {
            bool isSlot = call.Kind == SimCallKind.Write && call.Offset < SlotsEnd && call.Path == Folder + "/data.voron";
            if (isSlot && phase == SimPhase.After && !isDone)
            {
                isDone = true;
                action();
            }
        };
        rig.Environment.Checkpoint();
        rig.Disk.OnCall = null;
        return isDone;
    }

    /// <summary>Places a value where the hole would be, durably, and frees it again in a transaction that a cut may take.</summary>
    internal static void PlaceAndFree(FaultRig rig, int bytes)
    {
        rig.Commit(1, bytes);
        using WriteTransaction transaction = rig.Environment.BeginWrite();
        Require(transaction.OpenTree(NumberedRows.Tree).Delete(Key(RowsKept)), "the placed value is there");
        transaction.Commit(CommitMode.Buffered);
    }
}
