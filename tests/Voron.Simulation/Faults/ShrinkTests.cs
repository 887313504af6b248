using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>The free tail of the data file goes back to the file system, when nobody can look there any more.</summary>
public class ShrinkTests
{
    private const int Many = 4000;
    private const int Few = 50;

    [Fact]
    public void The_free_tail_is_cut_and_the_file_grows_again()
    {
        using FaultRig rig = Filled();
        long full = Length(rig);
        rig.Remove(Few);
        rig.Environment.Checkpoint();
        Length(rig).Should().BeLessThan(full / 2);
        rig.Environment.GetReport().DataFileBytes.Should().Be(Length(rig));
        rig.ExpectHere();
        rig.ExpectSafe();
        rig.Commit(Many);
        rig.Environment.Checkpoint();
        Length(rig).Should().BeGreaterThan(full / 2);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void Lengths_change_before_a_checkpoint_needs_them_and_after_none_does()
    {
        using FaultRig rig = new FaultRig().Open();
        SimCall? grown = null;
        SimCall last = null!;
        int cuts = 0;
        rig.Disk.OnCall = (call, phase) =>
        {
            bool isChange = (call.Kind & SimCallKind.Changing) != 0 && call.Path.EndsWith("data.voron", StringComparison.Ordinal);
            if (phase != SimPhase.After || !isChange)
            {
                return;
            }

            (grown is null || call.Kind == SimCallKind.SyncData).Should().BeTrue("new space is durable before {0}", call);
            grown = call.Kind == SimCallKind.Allocate ? call : null;
            cuts += call.Kind == SimCallKind.SetLength ? 1 : 0;
            (call.Kind != SimCallKind.SetLength || last.Kind == SimCallKind.SyncData).Should().BeTrue("a slot is durable before {0}", call);
            last = call;
        };
        rig.Commit(Many);
        rig.Environment.Checkpoint();
        rig.Remove(Few);
        rig.Environment.Checkpoint();
        rig.Disk.OnCall = null;
        cuts.Should().BePositive();
        rig.ExpectSafe();
    }

    [Fact]
    public void A_file_that_was_cut_off_is_refused_and_said_to_be()
    {
        using FaultRig rig = Filled();
        SimDisk left = rig.Disk.Kill();
        left.OpenFile("/db/data.voron", FileOpening.None, out IDiskFile? file);
        using (file)
        {
            file!.SetLength(Length(rig) / 2);
        }

        Action open = () => StorageEnvironment.Open("/db", new StorageOptions { Engine = new() { Disk = left, Background = false } });
        open.Should().Throw<StorageCorruptException>().WithMessage("*truncated*");
    }

    /// <summary>A simulated map shows rubbish behind the end, so a reader that is cut off under its hand is noticed.</summary>
    [Fact]
    public void Not_under_a_reader_who_finds_pages_there()
    {
        using FaultRig rig = Filled();
        long full = Length(rig);
        ReadTransaction reader = rig.Environment.BeginRead();
        rig.Remove(Few);
        for (int i = 0; i < 3; i++)
        {
            rig.Environment.Checkpoint();
            Length(rig).Should().Be(full);
            NumberedRows.Read(reader).Should().Be(Many);
            rig.Commit(1);
        }

        reader.Dispose();
        rig.Environment.Checkpoint();
        Length(rig).Should().BeLessThan(full / 2);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void Not_while_a_write_transaction_is_open()
    {
        using FaultRig rig = Filled();
        long full = Length(rig);
        rig.Remove(Few);
        using (WriteTransaction open = rig.Environment.BeginWrite())
        {
            rig.Environment.Checkpoint();
            Length(rig).Should().Be(full);
        }

        rig.Commit(1);
        rig.Environment.Checkpoint();
        Length(rig).Should().BeLessThan(full / 2);
    }

    [Fact]
    public void Closing_cuts_it_too()
    {
        using FaultRig rig = Filled();
        long full = Length(rig);
        rig.Remove(Few);
        rig.Environment.Dispose();
        Length(rig).Should().BeLessThan(full / 2);
        rig.Open();
        rig.ExpectHere();
    }

    [Fact]
    public void A_cut_that_is_refused_changes_nothing()
    {
        using FaultRig rig = Filled();
        long full = Length(rig);
        rig.Remove(Few);
        rig.Break(SimCallKind.SetLength, "*", IoErrorKind.Device, times: 1);
        rig.Environment.Checkpoint();
        Length(rig).Should().Be(full);
        rig.Commit(Many);
        rig.Environment.Checkpoint();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    /// <summary>A crash before, in and after every call of the checkpoint that cuts and of the one that grows the file again.</summary>
    [Fact]
    public void A_crash_at_any_call_of_it_loses_nothing()
    {
        using FaultRig rig = Filled();
        int states = 0;
        Watched(rig, () => rig.Remove(Few), states: ref states, watches: false);
        Watched(rig, () => rig.Environment.Checkpoint(), ref states, watches: true);
        Watched(rig, () => rig.Commit(Many), ref states, watches: false);
        Watched(rig, () => rig.Environment.Checkpoint(), ref states, watches: true);
        states.Should().BeGreaterThan(30);
        rig.ExpectHere();
    }

    private static void Watched(FaultRig rig, Action step, ref int states, bool watches)
    {
        List<SimSnapshot> left = [];
        rig.Disk.OnCall = (call, phase) =>
        {
            if (watches && (call.Kind & SimCallKind.Changing) != 0)
            {
                left.Add(rig.Disk.Capture());
            }
        };
        step();
        rig.Disk.OnCall = null;
        left.ForEach(state => FaultRig.ExpectSafe(state, rig.Acknowledged));
        states += left.Count;
    }

    private static FaultRig Filled()
    {
        FaultRig rig = new FaultRig().Open();
        rig.Commit(Many);
        rig.Environment.Checkpoint();
        return rig;
    }

    private static long Length(FaultRig rig) => rig.Disk.Peek("/db/data.voron")!.Length;
}
