using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>
/// Journal files that cannot be renamed or deleted when they are no longer needed: what was done is done, and they are tried again.
/// </summary>
public class RemovalTests
{
    private const int Rounds = 40;

    [Theory]
    [InlineData(SimCallKind.Rename, "*.pages", 1, SimFaultEffect.Nothing)]
    [InlineData(SimCallKind.Rename, "*.pages", 2, SimFaultEffect.Nothing)]
    [InlineData(SimCallKind.Rename, "*.pages", 2, SimFaultEffect.Everything)]
    [InlineData(SimCallKind.Delete, "*.pages", 1, SimFaultEffect.Nothing)]
    [InlineData(SimCallKind.Delete, "*.pages", 1, SimFaultEffect.Everything)]
    [InlineData(SimCallKind.Delete, "*.commit", 1, SimFaultEffect.Nothing)]
    [InlineData(SimCallKind.Delete, "*.commit", 2, SimFaultEffect.Everything)]
    internal void A_refused_removal_of_a_chunk_fails_no_checkpoint_and_is_made_up_for(
        SimCallKind call, string path, int which, SimFaultEffect effect)
    {
        using FaultRig rig = new FaultRig().Open();
        SimFault fault = new() { Calls = call, Path = path, From = which, Times = 1, Effect = effect };
        rig.Disk.Faults.Add(fault);
        Live(rig);
        fault.WasMet.Should().BeTrue();
        StorageEvent told = rig.Events.Should().ContainSingle(each => each.Kind == StorageEventKind.FileNotRemoved).Which;
        told.Error.Should().BeOfType<StorageIOException>().Which.Path.Should().EndWith(path[1..]);
        told.Message.Should().Contain("next checkpoint").And.Contain(told.Error!.Message);
        ExpectFewChunks(rig);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Theory]
    [InlineData(SimCallKind.Rename | SimCallKind.Delete, "*.pages")]
    [InlineData(SimCallKind.Rename | SimCallKind.Delete, "*.commit")]
    internal void Chunks_that_are_never_removed_stop_nothing_and_the_next_life_removes_them(SimCallKind calls, string path)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Break(calls, path, IoErrorKind.AccessDenied);
        Live(rig);
        rig.Disk.Paths().Count(each => each.EndsWith(path[1..], StringComparison.Ordinal)).Should().BeGreaterThan(4, "none was removed");
        rig.ExpectHere();
        rig.Environment.Invoking(static e => e.Dispose()).Should().NotThrow();
        rig.ExpectSafe();
        rig.Open();
        rig.ExpectHere();
        rig.Commit();
        rig.Environment.Checkpoint();
        ExpectFewChunks(rig);
        rig.Environment.Dispose();
        rig.Open();
        rig.ExpectHere();
    }

    [Fact]
    public void A_spare_that_cannot_be_deleted_refuses_no_open_and_is_used_again()
    {
        using FaultRig rig = new FaultRig().Open();
        Live(rig);
        rig.Restart();
        rig.Environment.Dispose();
        rig.Events.Clear();
        string spare = "/db/journal/spare-c0000000000000099.chunk";
        rig.Disk.OpenFile(spare, FileOpening.Create, out IDiskFile? file);
        file!.Dispose();
        SimFault fault = rig.Break(SimCallKind.Delete, "*.chunk", IoErrorKind.AccessDenied);
        rig.Open();
        fault.WasMet.Should().BeTrue();
        rig.Events.Should().ContainSingle(each => each.Kind == StorageEventKind.FileNotRemoved).Which.Message.Should().Contain(spare);
        rig.ExpectHere();
        rig.Commit();
        rig.Environment.Checkpoint();
        rig.Environment.Invoking(static e => e.Dispose()).Should().NotThrow();
        rig.Disk.Paths().Should().Contain(spare);
        rig.Heal();
        rig.Open();
        rig.Disk.Paths().Should().NotContain(spare);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    /// <summary>A reader keeps several page chunks, which are free together when it ends; commit chunks fill and are left.</summary>
    private static void Live(FaultRig rig)
    {
        rig.Commit(2000);
        rig.Environment.Checkpoint();
        ReadTransaction reader = rig.Environment.BeginRead();
        for (int round = 0; round < Rounds; round++)
        {
            if (round == 8)
            {
                reader.Dispose();
            }

            rig.Rewrite();
            rig.Environment.Invoking(static e => e.Checkpoint()).Should().NotThrow("round {0}", round);
        }
    }

    private static void ExpectFewChunks(FaultRig rig)
    {
        string[] files = [.. rig.Disk.Paths()];
        files.Count(static each => each.EndsWith(".pages", StringComparison.Ordinal)).Should().BeLessThanOrEqualTo(3);
        files.Count(static each => each.EndsWith(".commit", StringComparison.Ordinal)).Should().BeLessThanOrEqualTo(3);
    }
}
