using FluentAssertions;
using Voron.Storage;
using Xunit;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>Holes beside large values that are placed while the checkpoint that punches them runs.</summary>
public class HoleTests
{
    private const string Filling = "filling";
    private const int Rows = 320;
    private const int RowsKept = 20;
    private const int RowBytes = 1_500;
    private const int PlacedBytes = 100_000;

    /// <summary>The header slots are the first two pages.</summary>
    private const long SlotsEnd = 2 * 4096;

    [Fact]
    public void The_free_middle_becomes_a_hole_when_nothing_happens_meanwhile()
    {
        using FaultRig rig = EmptiedFile();
        DuringCheckpoint(rig, static () => { }).Should().BeTrue();
        rig.Environment.GetReport().PunchedBytes.Should().BeGreaterThan(PlacedBytes);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void A_value_that_was_placed_since_the_checkpoint_began_is_in_no_hole()
    {
        using FaultRig rig = EmptiedFile();
        DuringCheckpoint(rig, () => rig.Commit(1, PlacedBytes)).Should().BeTrue();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void A_value_whose_end_is_not_durable_is_in_no_hole()
    {
        using FaultRig rig = EmptiedFile();
        DuringCheckpoint(rig, () =>
        {
            rig.Commit(1, PlacedBytes);
            using WriteTransaction transaction = rig.Environment.BeginWrite();
            transaction.OpenTree(NumberedRows.Tree).Delete(Key(RowsKept)).Should().BeTrue();
            transaction.Commit(CommitMode.Buffered);
        }).Should().BeTrue();

        // Without its end the value is there, whole: recovery looks at it.
        SimSnapshot left = rig.Disk.Capture();
        foreach (CutChoice cut in (CutChoice[])[CutChoice.None, CutChoice.All, CutChoice.Random(1), CutChoice.Random(2)])
        {
            StorageOptions options = new() { Storage = left.Cut(cut), Background = false };
            using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
            Read(environment).Should().BeOneOf(RowsKept, RowsKept + 1);
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    /// <summary>The middle of the file is free in both header slots' snapshots once another checkpoint is through.</summary>
    private static FaultRig EmptiedFile()
    {
        FaultRig rig = new FaultRig().Open();
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
            emptying.DropTree(Filling).Should().BeTrue();
            emptying.Commit();
        }

        rig.Environment.Checkpoint();
        rig.Rewrite();
        return rig;
    }

    /// <summary>Does something once while a checkpoint writes its header slot, when its snapshot is long chosen.</summary>
    private static bool DuringCheckpoint(FaultRig rig, Action action)
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
}
