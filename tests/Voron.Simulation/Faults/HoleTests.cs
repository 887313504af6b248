using FluentAssertions;
using Voron.Storage;
using Xunit;
using static Voron.Simulation.Faults.HoleScenario;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>Holes beside large values that are placed while the checkpoint that punches them runs.</summary>
public class HoleTests
{
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
    public void What_a_checkpoint_frees_stays_until_the_next_one()
    {
        using FaultRig rig = FreedFile(1);
        rig.Environment.Checkpoint();
        rig.Environment.GetReport().PunchedBytes.Should().Be(0, "the older slot's snapshot has it");
        rig.Rewrite();
        rig.Environment.Checkpoint();
        rig.Environment.GetReport().PunchedBytes.Should().BePositive();
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
        DuringCheckpoint(rig, () => PlaceAndFree(rig, PlacedBytes)).Should().BeTrue();

        // Without its end the value is there, whole: recovery looks at it.
        SimSnapshot left = rig.Disk.Capture();
        foreach (CutChoice cut in (CutChoice[])[CutChoice.None, CutChoice.All, CutChoice.Random(1), CutChoice.Random(2)])
        {
            StorageOptions options = new() { Engine = new() { Disk = left.Cut(cut), Background = false } };
            using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
            Read(environment).Should().BeOneOf(RowsKept, RowsKept + 1);
            environment.Check().Findings.Should().BeEmpty();
        }
    }
}
