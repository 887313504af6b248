using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>What programs see of a simulated disk while it runs: names, lengths, locks, maps, faults.</summary>
public sealed class SimDiskCallTests
{
    [Fact]
    public void Bytes_are_read_back_across_sectors_and_blocks()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        var random = new SimRandom(5);
        byte[] model = [];
        for (int i = 0; i < 300; i++)
        {
            byte[] bytes = new byte[random.Between(1, 9000)];
            random.Fill(bytes);
            int offset = random.Below(40_000);
            Array.Resize(ref model, Math.Max(model.Length, offset + bytes.Length));
            bytes.CopyTo(model, offset);
            file.Write(offset, bytes).Failed.Should().BeFalse();
            if (random.OneIn(10))
            {
                int length = random.Below(60_000);
                Array.Resize(ref model, length);
                file.SetLength(length).Failed.Should().BeFalse();
            }

            if (random.OneIn(10))
            {
                file.SyncData();
            }
        }

        byte[] read = new byte[model.Length + 10];
        file.Read(0, read, out int count).Failed.Should().BeFalse();
        count.Should().Be(model.Length);
        read.AsSpan(0, count).SequenceEqual(model).Should().BeTrue();
        disk.Cut(CutChoice.All).PeekFile("a").Should().Equal(model);
        disk.Kill().PeekFile("a").Should().Equal(model);
    }

    [Fact]
    public void A_map_shows_writes_at_once_and_never_moves()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        file.WriteByte(0, 4096, 1);
        file.Map(4096, out nint address).Failed.Should().BeFalse();
        Marshal.ReadByte(address, 4095).Should().Be(1);
        file.WriteByte(100, 1, 2);
        Marshal.ReadByte(address, 100).Should().Be(2);
        file.SetLength(1 << 20);
        file.Map(1 << 20, out nint again).Failed.Should().BeFalse();
        again.Should().Be(address);
        Marshal.ReadByte(address, (1 << 20) - 1).Should().Be(0);

        Action past = () => file.Map((1 << 20) + 1, out _);
        past.Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void A_map_may_not_outgrow_its_room()
    {
        SimDisk disk = DiskFixture.NewDisk(new SimDiskOptions { MapBytes = 65536 });
        IDiskFile file = disk.Open("a");
        file.WriteByte(0, 100, 1);
        file.Map(100, out _);
        Action grow = () => file.SetLength(65537);
        grow.Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void Locks_are_held_by_open_files()
    {
        SimDisk disk = DiskFixture.NewDisk();
        IDiskFile first = disk.Open("a"), second = disk.Open("a");
        first.TryLock(exclusive: false).Failed.Should().BeFalse();
        second.TryLock(exclusive: false).Failed.Should().BeFalse();
        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        first.Dispose();
        second.TryLock(exclusive: true).Failed.Should().BeFalse();
        IDiskFile third = disk.Open("a");
        third.TryLock(exclusive: false).Kind.Should().Be(IoErrorKind.Locked);
        second.Dispose();
        third.TryLock(exclusive: true).Failed.Should().BeFalse();
    }

    [Fact]
    public void A_deleted_open_file_stays_usable_and_leaves_nothing()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        disk.Delete("/db/a").Failed.Should().BeFalse();
        disk.SyncDirectory("/db");
        file.WriteByte(0, 4096, 1);
        file.Read(0, new byte[10], out int read).Failed.Should().BeFalse();
        read.Should().Be(10);
        disk.PendingCount.Should().Be(0);
        file.Dispose();
        disk.UsedBytes.Should().Be(0);
        disk.OpenFileCount.Should().Be(0);
    }

    [Fact]
    public void Missing_names_and_wrong_uses_get_their_errors()
    {
        SimDisk disk = DiskFixture.NewDisk();
        disk.OpenFile("/db/none", FileOpening.None, out IDiskFile? none).Kind.Should().Be(IoErrorKind.NotFound);
        none.Should().BeNull();
        disk.OpenFile("/nowhere/a", FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.NotFound);
        disk.OpenFile("/db", FileOpening.None, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        disk.Rename("/db/none", "/db/b").Kind.Should().Be(IoErrorKind.NotFound);
        disk.Delete("/db/none").Kind.Should().Be(IoErrorKind.NotFound);
        disk.SyncDirectory("/none").Kind.Should().Be(IoErrorKind.NotFound);
        disk.ListFiles("/none", []).Kind.Should().Be(IoErrorKind.NotFound);
        disk.Open("a").Dispose();
        disk.CreateDirectory("/db/a/b").Kind.Should().Be(IoErrorKind.NotADirectory);
        IDiskFile readOnly = disk.Open("a", FileOpening.ReadOnly);
        readOnly.Write(0, new byte[1]).Kind.Should().Be(IoErrorKind.AccessDenied);
        readOnly.Dispose();
        Action use = () => readOnly.SyncData();
        use.Should().Throw<ObjectDisposedException>();
        var names = new List<string>();
        disk.ListFiles("/db", names).Failed.Should().BeFalse();
        names.Should().Equal("a");
    }

    [Fact]
    public void A_fault_strikes_the_calls_it_names()
    {
        SimDisk disk = DiskFixture.NewDisk();
        IDiskFile file = disk.OpenDurable("a.commit"), other = disk.OpenDurable("b");
        disk.Faults.Add(new SimFault { Calls = SimCallKind.Write, Path = "*.commit", From = 2, Times = 2, Error = IoErrorKind.Device });
        file.Write(0, new byte[512]).Failed.Should().BeFalse();
        other.Write(0, new byte[512]).Failed.Should().BeFalse();
        byte[] ones = [.. Enumerable.Repeat((byte)1, 512)];
        file.Write(0, ones).Kind.Should().Be(IoErrorKind.Device);
        file.Write(0, ones).Kind.Should().Be(IoErrorKind.Device);
        disk.PeekFile("a.commit").Should().OnlyContain(value => value == 0);
        file.Write(0, ones).Failed.Should().BeFalse();
    }

    [Fact]
    public void A_failed_write_may_have_happened_half_or_whole()
    {
        foreach ((SimFaultEffect effect, int expected) in new[] { (SimFaultEffect.Half, 512), (SimFaultEffect.Everything, 1024) })
        {
            SimDisk disk = DiskFixture.NewDisk();
            IDiskFile file = disk.OpenDurable("a", FileOpening.Create | FileOpening.WriteThrough);
            disk.Faults.Add(new SimFault { Calls = SimCallKind.Write, Effect = effect });
            file.Write(0, new byte[1024].Select(_ => (byte)1).ToArray()).Kind.Should().Be(IoErrorKind.Device);
            disk.PeekFile("a").Should().HaveCount(expected);
            disk.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty("nothing was promised");
        }
    }

    [Fact]
    public void A_sync_that_failed_once_loses_the_bytes_although_the_next_one_succeeds()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 1024, 1);
        file.SyncData();
        file.WriteByte(0, 512, 2);
        disk.Faults.Add(new SimFault { Calls = SimCallKind.SyncData, Effect = SimFaultEffect.LoseUnsynced });
        file.SyncData().Kind.Should().Be(IoErrorKind.Device);
        file.WriteByte(512, 512, 3);
        file.SyncData().Failed.Should().BeFalse();

        byte[] seen = disk.PeekFile("a")!, left = disk.Cut(CutChoice.None).PeekFile("a")!;
        (seen[0], seen[512]).Should().Be(((byte)2, (byte)3));
        (left[0], left[512]).Should().Be(((byte)1, (byte)3));
        file.WriteByte(0, 512, 2);
        disk.Cut(CutChoice.None).PeekFile("a")![0].Should().Be(1);
        disk.Cut(CutChoice.All).PeekFile("a")![0].Should().Be(2);
        file.SyncData();
        disk.Cut(CutChoice.None).PeekFile("a")![0].Should().Be(2, "the same bytes written again are new to the device");
    }

    [Fact]
    public void A_full_disk_refuses_what_would_exceed_it()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        file.Allocate(16384).Failed.Should().BeFalse();
        disk.CapacityBytes = 20480;
        file.WriteByte(0, 16384, 1);
        file.WriteByte(16384, 4096, 1);
        file.Write(20480, new byte[1]).Kind.Should().Be(IoErrorKind.DiskFull);
        file.Allocate(24576).Kind.Should().Be(IoErrorKind.DiskFull);
        file.SetLength(1 << 20).Failed.Should().BeFalse("a hole takes no room");
        file.Write(500_000, new byte[1]).Kind.Should().Be(IoErrorKind.DiskFull);
        file.SetLength(4096);
        file.Write(500_000, new byte[1]).Failed.Should().BeFalse();
    }

    [Fact]
    public void A_lying_disk_promises_and_forgets()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 512, 1);
        disk.Faults.Add(new SimFault { Calls = SimCallKind.SyncData, Error = IoErrorKind.None });
        file.SyncData().Failed.Should().BeFalse();
        disk.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty();

        SimDisk liar = DiskFixture.NewDisk(new SimDiskOptions { Profile = SimProfile.MacLike });
        liar.OpenDurable("a", FileOpening.Create | FileOpening.WriteThrough).WriteByte(0, 512, 1);
        liar.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty();
    }

    [Fact]
    public void Rot_changes_what_is_seen_and_what_is_left()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 4096, 1);
        file.SyncData();
        file.Map(4096, out nint address);
        disk.Damage("/db/a", 1000, 0x80);
        Marshal.ReadByte(address, 1000).Should().Be(0x81);
        disk.Cut(CutChoice.None).PeekFile("a")![1000].Should().Be(0x81);
    }

    [Fact]
    public void A_disk_that_is_off_fails_every_call_and_leaves_no_trace()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        Hash128 trace = disk.TraceHash;
        disk.PowerOff();
        file.Write(0, new byte[1]).Kind.Should().Be(IoErrorKind.Device);
        disk.OpenFile("/db/b", FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.Device);
        disk.TraceHash.Should().Be(trace);
        file.Dispose();
    }
}
