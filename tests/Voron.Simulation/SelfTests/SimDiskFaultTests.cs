using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>Calls that lie, are late or show their work half done.</summary>
public sealed class SimDiskFaultTests
{
    [Fact]
    public void A_mapped_reader_sees_a_write_sector_by_sector()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        file.WriteByte(0, 4096, 1);
        file.Map(4096, out nint address).Failed.Should().BeFalse();
        var seen = new List<int>();
        disk.OnStep = _ =>
        {
            Monitor.IsEntered(disk.Gate).Should().BeFalse("others may call the disk meanwhile");
            byte[] bytes = new byte[4096];
            Marshal.Copy(address, bytes, 0, bytes.Length);
            seen.Add(bytes.Count(value => value == 2));
        };
        file.WriteByte(0, 4096, 2);

        seen.Should().Equal(512, 1024, 1536, 2048, 2560, 3072, 3584, 4096);
    }

    [Fact]
    public void A_fault_strikes_the_call_of_its_kind_its_file_and_its_number()
    {
        SimDisk disk = DiskFixture.NewDisk();
        IDiskFile left = disk.Open("left.x"), right = disk.Open("right.y");
        foreach (IoErrorKind error in new[] { IoErrorKind.Device, IoErrorKind.DiskFull, IoErrorKind.OutOfMemory })
        {
            disk.Faults.Clear();
            disk.Faults.Add(new SimFault { Calls = SimCallKind.Write, Path = "*.y", From = 2, Times = 2, Error = error });
            var met = new List<IoErrorKind>();
            for (int i = 0; i < 4; i++)
            {
                left.Write(0, new byte[10]).Failed.Should().BeFalse();
                right.SyncData().Failed.Should().BeFalse();
                met.Add(right.Write(0, new byte[10]).Kind);
            }

            met.Should().Equal(IoErrorKind.None, error, error, IoErrorKind.None);
        }
    }

    [Fact]
    public void A_short_read_gives_half_and_a_short_write_leaves_half()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 4096, 1);
        disk.Faults.Add(Lie(SimCallKind.Read, SimFaultEffect.Half));
        file.Read(0, new byte[4096], out int read).Failed.Should().BeFalse();
        read.Should().Be(2048);
        file.Read(0, new byte[4096], out read);
        read.Should().Be(4096);

        disk.Faults.Add(new SimFault { Calls = SimCallKind.Write, Effect = SimFaultEffect.Half });
        file.Write(0, new byte[4096]).Kind.Should().Be(IoErrorKind.Device);
        disk.PeekFile("a")!.Count(value => value == 0).Should().Be(2048);
    }

    [Fact]
    public void A_flipped_bit_is_read_once_or_stays_written()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile(FileOpening.Create | FileOpening.WriteThrough);
        file.WriteByte(0, 512, 0);
        byte[] bytes = new byte[512];
        disk.Faults.Add(Lie(SimCallKind.Read, SimFaultEffect.FlipBit));
        file.Read(0, bytes, out _);
        bytes.Count(value => value != 0).Should().Be(1);
        file.Read(0, bytes, out _);
        bytes.Should().OnlyContain(value => value == 0);

        disk.Faults.Add(Lie(SimCallKind.Write, SimFaultEffect.FlipBit));
        file.WriteByte(0, 512, 0);
        disk.Cut(CutChoice.None).PeekFile("a")!.Count(value => value != 0).Should().Be(1);
    }

    [Fact]
    public void A_misdirected_write_lands_one_block_on_and_a_misdirected_read_comes_from_there()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile(FileOpening.Create | FileOpening.WriteThrough);
        file.WriteByte(0, 12288, 1);
        disk.Faults.Add(Lie(SimCallKind.Write, SimFaultEffect.Misdirect));
        file.WriteByte(0, 4096, 2);
        byte[] left = disk.Cut(CutChoice.None).PeekFile("a")!;
        left.Chunk(4096).Select(block => block.Distinct().Single()).Should().Equal(1, 2, 1);

        byte[] bytes = new byte[4096];
        disk.Faults.Add(Lie(SimCallKind.Read, SimFaultEffect.Misdirect));
        file.Read(0, bytes, out _);
        bytes.Should().OnlyContain(value => value == 2);
    }

    [Fact]
    public void A_stale_read_gives_what_the_device_had_before()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 512, 1);
        file.SyncData();
        file.WriteByte(0, 512, 2);
        disk.Faults.Add(Lie(SimCallKind.Read, SimFaultEffect.Stale));
        byte[] bytes = new byte[512];
        file.Read(0, bytes, out _);
        bytes.Should().OnlyContain(value => value == 1);
        file.Read(0, bytes, out _);
        bytes.Should().OnlyContain(value => value == 2);
    }

    [Fact]
    public void An_acknowledged_write_can_be_lost()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile(FileOpening.Create | FileOpening.WriteThrough);
        file.WriteByte(0, 512, 1);
        disk.Faults.Add(Lie(SimCallKind.Write, SimFaultEffect.Nothing));
        file.WriteByte(0, 512, 2);
        disk.PeekFile("a").Should().OnlyContain(value => value == 1);
        disk.Cut(CutChoice.All).PeekFile("a").Should().OnlyContain(value => value == 1);
    }

    [Fact]
    public void A_delayed_call_is_overtaken_and_then_as_good_as_any()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile(FileOpening.Create | FileOpening.WriteThrough);
        disk.Faults.Add(new SimFault
        {
            Calls = SimCallKind.Write, Error = IoErrorKind.None, Effect = SimFaultEffect.Delay,
            Pause = () =>
            {
                var other = new Thread(() => file.WriteByte(0, 512, 1));
                other.Start();
                other.Join();
            },
        });
        file.WriteByte(0, 512, 2);
        disk.Cut(CutChoice.None).PeekFile("a").Should().OnlyContain(value => value == 2);
        disk.CallCount.Should().BeGreaterThan(4);
    }

    [Fact]
    public void Blocks_and_names_are_kept_and_lost_as_the_choice_says()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.SetLength(8192);
        file.SyncData();
        file.WriteByte(0, 8192, 1);
        disk.Rename("/db/a", "/db/b");
        SimSnapshot snapshot = disk.Capture();
        snapshot.BlockCount.Should().Be(3);
        snapshot.NameCount.Should().Be(1);

        snapshot.Cut(CutChoice.Blocks(2)).PeekFile("a")!.Chunk(4096).Select(block => block.Distinct().Single()).Should().Equal(0, 1);
        snapshot.Cut(CutChoice.Names(1, keepsContent: false)).PeekFile("b").Should().OnlyContain(value => value == 0);
        snapshot.Cut(CutChoice.Names(0, keepsContent: true)).PeekFile("a").Should().OnlyContain(value => value == 1);
    }

    private static SimFault Lie(SimCallKind call, SimFaultEffect effect) =>
        new() { Calls = call, Effect = effect, Error = IoErrorKind.None };
}
