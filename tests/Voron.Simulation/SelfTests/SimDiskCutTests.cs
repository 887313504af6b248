using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Journal;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>What a power cut and a killed process leave of what was written.</summary>
public sealed class SimDiskCutTests
{
    [Fact]
    public void Unsynced_bytes_are_lost_and_synced_ones_stay()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 1024, 1);
        file.SyncData().Failed.Should().BeFalse();
        file.WriteByte(0, 1024, 2);

        disk.Cut(CutChoice.None).PeekFile("a").Should().Equal(Enumerable.Repeat((byte)1, 1024));
        disk.Cut(CutChoice.All).PeekFile("a").Should().Equal(Enumerable.Repeat((byte)2, 1024));
    }

    [Fact]
    public void Every_sector_survives_or_not_on_its_own()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 1536, 1);
        file.SyncData();
        file.WriteByte(0, 1536, 2);
        var seen = new HashSet<string>();
        for (ulong mask = 0; mask < 8; mask++)
        {
            byte[] left = disk.Cut(CutChoice.Bits(mask)).PeekFile("a")!;
            seen.Add($"{left[0]}{left[512]}{left[1024]}");
            left.AsSpan(0, 512).ToArray().Should().OnlyContain(value => value == left[0]);
        }

        seen.Should().HaveCount(8);
    }

    [Fact]
    public void A_later_write_of_a_sector_stands_over_an_earlier_one()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 512, 1);
        file.SyncData();
        file.WriteByte(0, 512, 2);
        file.WriteByte(0, 512, 3);

        byte[] left = [.. Enumerable.Range(0, 4).Select(mask => disk.Cut(CutChoice.Bits((ulong)mask)).PeekFile("a")![0])];
        left.Should().Equal(1, 2, 3, 3);
    }

    [Fact]
    public void A_sync_of_one_file_says_nothing_of_another()
    {
        SimDisk disk = DiskFixture.NewDisk();
        IDiskFile first = disk.OpenDurable("a"), second = disk.OpenDurable("b");
        first.WriteByte(0, 512, 1);
        second.WriteByte(0, 512, 2);
        second.SyncData();

        disk.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty();
        disk.Cut(CutChoice.None).PeekFile("b").Should().HaveCount(512);
    }

    [Fact]
    public void A_file_without_a_durable_name_is_lost_with_its_synced_content()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewFile();
        file.WriteByte(0, 512, 1);
        file.SyncData();

        disk.Cut(CutChoice.None).PeekFile("a").Should().BeNull();
        disk.SyncDirectory(DiskFixture.Directory);
        disk.Cut(CutChoice.None).PeekFile("a").Should().HaveCount(512);
    }

    [Fact]
    public void A_file_in_a_directory_without_a_durable_name_is_lost()
    {
        var disk = new SimDisk(1);
        disk.CreateDirectory("/new/deep");
        disk.OpenFile("/new/deep/a", FileOpening.Create, out IDiskFile? file);
        file!.WriteByte(0, 512, 1);
        file!.SyncData();
        disk.SyncDirectory("/new/deep");
        disk.SyncDirectory("/new");
        disk.Cut(CutChoice.None).Paths().Should().BeEmpty();

        disk.SyncDirectory("/");
        disk.Cut(CutChoice.None).Paths().Should().Equal("/new/deep/a");
    }

    [Fact]
    public void A_rename_is_seen_or_not_until_its_directory_is_synced()
    {
        SimDisk disk = DiskFixture.NewDisk();
        disk.OpenDurable("old").WriteByte(0, 512, 1);
        disk.Open("old").SyncData();
        disk.OpenDurable("target").Dispose();
        disk.Rename("/db/old", "/db/target").Failed.Should().BeFalse();

        disk.Cut(CutChoice.None).Paths().Should().Equal("/db/old", "/db/target");
        disk.Cut(CutChoice.None).PeekFile("target").Should().BeEmpty();
        disk.Cut(CutChoice.All).Paths().Should().Equal("/db/target");
        disk.SyncDirectory(DiskFixture.Directory);
        disk.Cut(CutChoice.None).PeekFile("target").Should().HaveCount(512);
    }

    [Fact]
    public void A_rename_between_directories_needs_the_sync_of_both()
    {
        SimDisk disk = DiskFixture.NewDisk();
        disk.CreateDirectory("/db/journal");
        disk.SyncDirectory("/db");
        disk.OpenDurable("a").Dispose();
        disk.Rename("/db/a", "/db/journal/b").Failed.Should().BeFalse();
        disk.SyncDirectory("/db/journal");
        disk.Cut(CutChoice.None).Paths().Should().Equal("/db/a");
        disk.Cut(CutChoice.All).Paths().Should().Equal("/db/journal/b");
        disk.SyncDirectory("/db");
        disk.Cut(CutChoice.None).Paths().Should().Equal("/db/journal/b");
    }

    [Fact]
    public void A_file_without_any_name_leaves_no_atoms()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 1024, 1);
        disk.Delete("/db/a");
        disk.PendingCount.Should().Be(4, "the delete may be lost, so the content still matters");
        disk.SyncDirectory(DiskFixture.Directory);
        disk.PendingCount.Should().Be(0);
    }

    [Fact]
    public void A_deleted_file_may_come_back_until_its_directory_is_synced()
    {
        SimDisk disk = DiskFixture.NewDisk();
        disk.OpenDurable("a").Dispose();
        disk.Delete("/db/a").Failed.Should().BeFalse();

        disk.Cut(CutChoice.None).PeekFile("a").Should().NotBeNull();
        disk.SyncDirectory(DiskFixture.Directory);
        disk.Cut(CutChoice.None).PeekFile("a").Should().BeNull();
    }

    [Fact]
    public void A_write_through_write_is_durable_on_return_with_its_length_and_not_before()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile(FileOpening.Create | FileOpening.WriteThrough);
        int pendingWhenIssued = 0;
        byte[]? leftWhenIssued = null;
        disk.OnCall = (_, phase) =>
        {
            if (phase == SimPhase.Issued)
            {
                pendingWhenIssued = disk.PendingCount;
                leftWhenIssued = disk.Cut(CutChoice.None).PeekFile("a");
            }
        };
        file.WriteByte(0, 1024, 1);

        pendingWhenIssued.Should().Be(3, "two sectors and the new length are issued");
        leftWhenIssued.Should().BeEmpty();
        disk.Cut(CutChoice.None).PeekFile("a").Should().HaveCount(1024).And.OnlyContain(value => value == 1);
        disk.PendingCount.Should().Be(0);
    }

    [Fact]
    public void Unbuffered_alone_makes_nothing_durable_and_checks_alignment()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile(FileOpening.Create | FileOpening.Unbuffered);
        SimRegion buffer = SimRegion.Rent(8192);
        file.Write(0, buffer.Bytes(0, 4096)).Failed.Should().BeFalse();
        disk.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty();

        Action offset = () => file.Write(512, buffer.Bytes(0, 4096));
        Action length = () => file.Write(0, buffer.Bytes(0, 512));
        Action address = () => file.Write(0, buffer.Bytes(512, 4096));
        offset.Should().Throw<InvalidOperationException>();
        length.Should().Throw<InvalidOperationException>();
        address.Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void Grown_space_without_its_bytes_is_zeros_garbage_or_another_files_bytes()
    {
        SimDisk disk = DiskFixture.NewDisk();
        IDiskFile other = disk.OpenDurable("other");
        other.WriteByte(0, 4096, 9);
        other.SyncData();
        IDiskFile file = disk.OpenDurable("a");
        file.WriteByte(0, 1024, 1);
        SimSnapshot snapshot = disk.Capture();
        snapshot.Atoms[0].Kind.Should().Be(SimAtomKind.Grow);

        snapshot.Cut(CutChoice.KeepOne(0)).PeekFile("a").Should().HaveCount(1024).And.OnlyContain(value => value == 0);
        snapshot.Cut(CutChoice.KeepOne(0) with { Garbage = SimGarbage.Random }).PeekFile("a")
            .Should().HaveCount(1024).And.Contain(value => value != 0);
        Enumerable.Range(0, 8)
            .Select(seed => CutChoice.KeepOne(0) with { Garbage = SimGarbage.OtherFile, GarbageSeed = (ulong)seed })
            .Select(choice => snapshot.Cut(choice).PeekFile("a")![0])
            .Should().Contain(9);
    }

    [Fact]
    public void Cut_off_bytes_do_not_come_back_when_the_file_grows_again()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 9000, 5);
        file.SetLength(100);
        file.SetLength(9000);
        byte[] now = disk.PeekFile("a")!;
        now.AsSpan(0, 100).ToArray().Should().OnlyContain(value => value == 5);
        now.AsSpan(100).ToArray().Should().OnlyContain(value => value == 0);
        disk.Cut(CutChoice.All).PeekFile("a").Should().Equal(now);
    }

    [Fact]
    public void A_killed_process_leaves_its_bytes_in_the_cache_only()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.TryLock(exclusive: true).Failed.Should().BeFalse();
        file.WriteByte(0, 512, 1);

        SimDisk next = disk.Kill();
        IDiskFile again = next.Open("a", FileOpening.None);
        again.TryLock(exclusive: true).Failed.Should().BeFalse("a dead process holds no lock");
        next.PeekFile("a").Should().HaveCount(512);
        next.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty();
        again.SyncData();
        next.Cut(CutChoice.None).PeekFile("a").Should().HaveCount(512);
        disk.Cut(CutChoice.None).PeekFile("a").Should().BeEmpty("the disks are independent");
    }

    [Fact]
    public void Cut_disks_and_the_run_go_on_independently()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 4096, 1);
        SimSnapshot snapshot = disk.Capture();
        SimDisk left = snapshot.Cut(CutChoice.All), right = snapshot.Cut(CutChoice.All);
        left.Open("a").WriteByte(0, 4096, 2);
        file.WriteByte(0, 4096, 3);

        left.PeekFile("a").Should().OnlyContain(value => value == 2);
        right.PeekFile("a").Should().OnlyContain(value => value == 1);
        snapshot.Cut(CutChoice.All).PeekFile("a").Should().OnlyContain(value => value == 1);
        disk.PeekFile("a").Should().OnlyContain(value => value == 3);
    }

    [Fact]
    public void Random_cuts_tear_at_the_size_asked_for()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.SetLength(65536);
        file.SyncData();
        file.WriteByte(0, 65536, 1);
        SimSnapshot snapshot = disk.Capture();
        byte[] coarse = snapshot.Cut(CutChoice.Random(3, 4096)).PeekFile("a")!;
        byte[] fine = snapshot.Cut(CutChoice.Random(3)).PeekFile("a")!;

        coarse.Chunk(4096).Should().OnlyContain(block => block.Distinct().Count() == 1);
        coarse.Should().Contain(0).And.Contain(1);
        fine.Chunk(4096).Should().Contain(block => block.Distinct().Count() == 2);
    }

    [Fact]
    public void The_quick_hash_tells_the_same_states_apart_as_the_built_ones()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 1024, 1);
        file.WriteByte(512, 1024, 2);
        disk.Open("b").WriteByte(0, 300, 3);
        disk.Rename("/db/b", "/db/c");
        SimSnapshot snapshot = disk.Capture();
        var hasher = new SimImageHasher(snapshot);
        for (ulong mask = 0; mask < 1UL << snapshot.Atoms.Length; mask++)
        {
            AtomSet kept = CutChoice.Bits(mask).Resolve(snapshot);
            hasher.Hash(kept, default).Should().Be(snapshot.Cut(kept).ImageHash());
        }
    }

    /// <summary>Of each sector that a cut loses a part may be new, and its middle neither; a seed gives the same each time.</summary>
    [Fact]
    public void A_cut_tears_sectors_inside_when_it_is_asked_to()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        byte[] old = new byte[8192], fresh = new byte[8192];
        Array.Fill(old, (byte)1);
        Array.Fill(fresh, (byte)2);
        file.Write(0, old);
        file.SyncData();
        file.Write(0, fresh);
        SimSnapshot snapshot = disk.Capture();
        int torn = 0, mixed = 0;
        for (ulong seed = 1; seed <= 20; seed++)
        {
            CutChoice choice = CutChoice.None with { Tear = seed };
            byte[] left = snapshot.Cut(choice).Peek(DiskFixture.Directory + "/a")!;
            left.Should().Equal(snapshot.Cut(choice).Peek(DiskFixture.Directory + "/a")!);
            foreach (byte[] sector in left.Chunk(SimContent.SectorBytes))
            {
                bool isWhole = sector.All(static each => each == 1) || sector.All(static each => each == 2);
                torn += isWhole ? 0 : 1;
                mixed += !isWhole && sector.All(static each => each is 1 or 2) ? 1 : 0;
            }
        }

        torn.Should().BeGreaterThan(mixed, "some hold bytes that were never written");
        mixed.Should().BePositive("some hold the old and the new");
        snapshot.Cut(CutChoice.None).Peek(DiskFixture.Directory + "/a").Should().Equal(old);
    }
}
