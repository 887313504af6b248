using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>Spill files that fail, and crashes beside them: typed errors, and nothing acknowledged is lost.</summary>
public class SpillTests
{
    private const long MaxDirtyBytes = 1 << 20;
    private const string SpillFile = "/db/voron.spill";
    private const int ManyKeys = 1_200;
    private const int ValueBytes = 1_500;

    [Fact]
    public void A_disk_without_room_for_a_spill_file_refuses_the_transaction_and_nothing_else()
    {
        using FaultRig rig = new FaultRig().Open(MaxDirtyBytes);
        rig.Commit();
        SimFault fault = rig.Break(SimCallKind.Allocate, SpillFile, IoErrorKind.DiskFull);
        Action huge = () => rig.Commit(ManyKeys, ValueBytes);
        huge.Should().Throw<StorageFullException>().WithMessage("*voron.spill*Make room*");
        fault.WasMet.Should().BeTrue();
        rig.ExpectHere();
        rig.Commit();
        rig.ExpectHere();
        rig.Heal();
        rig.Commit(ManyKeys, ValueBytes);
        rig.Environment.Checkpoint();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Theory]
    [InlineData((int)SimCallKind.OpenFile)]
    [InlineData((int)SimCallKind.Map)]
    public void A_spill_file_that_cannot_be_made_is_an_error_of_the_transaction(int kind)
    {
        using FaultRig rig = new FaultRig().Open(MaxDirtyBytes);
        rig.Commit();
        rig.Break((SimCallKind)kind, SpillFile, IoErrorKind.Device);
        Action huge = () => rig.Commit(ManyKeys, ValueBytes);
        huge.Should().Throw<StorageIOException>().WithMessage("*voron.spill*");
        rig.Heal();
        rig.ExpectHere();
        rig.Commit();
        rig.ExpectSafe();
        rig.Environment.Dispose();
        rig.Disk.OpenFileCount.Should().Be(0, "what could not be made is closed");
    }

    [Fact]
    public void A_spill_file_that_the_system_may_have_lost_is_never_brought_to_the_data_file()
    {
        using FaultRig rig = new FaultRig().Open(MaxDirtyBytes);
        rig.Commit();
        rig.Environment.Checkpoint();
        rig.Commit(ManyKeys, ValueBytes);
        rig.Break(SimCallKind.SyncData, SpillFile, IoErrorKind.Device);
        Action checkpoint = rig.Environment.Checkpoint;
        checkpoint.Should().Throw<StorageIOException>().WithMessage("*voron.spill*");
        Action next = () => rig.Commit();
        next.Should().Throw<StoragePoisonedException>("memory cannot be believed any more, the journal can");
        rig.ExpectSafe();
        rig.Environment.Dispose();
        rig.Heal();
        rig.Open();
        rig.ExpectHere();
    }

    [Fact]
    public void A_crash_beside_a_spill_file_leaves_no_trace_of_it()
    {
        using FaultRig rig = new FaultRig().Open(MaxDirtyBytes);
        rig.Commit();
        using (WriteTransaction transaction = rig.Environment.BeginWrite())
        {
            rig.Put(transaction, ManyKeys, ValueBytes);
            rig.Environment.GetReport().SpillBytes.Should().BePositive();
            rig.Disk.Paths().Should().NotContain(path => path.EndsWith(".spill"));
            rig.ExpectSafe();
        }

        rig.ExpectHere();
        rig.Commit(ManyKeys, ValueBytes);
        rig.Environment.GetReport().SpillBytes.Should().BePositive();
        rig.ExpectSafe();
        rig.Environment.Checkpoint();
        rig.Environment.GetReport().SpillBytes.Should().Be(0, "a checkpoint leaves nothing in it");
        rig.ExpectHere();
        rig.ExpectSafe();
    }
}
