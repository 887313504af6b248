using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>The same seed gives the same run; what a recovery reads tells states apart.</summary>
public sealed class SimDiskTraceTests
{
    [Fact]
    public void Equal_seeds_give_equal_traces_and_others_do_not()
    {
        for (ulong seed = 0; seed < 50; seed++)
        {
            Trace(seed).Should().Be(Trace(seed));
            Trace(seed).Should().NotBe(Trace(seed + 1));
        }
    }

    [Fact]
    public void A_disk_after_a_cut_draws_other_random_bytes_than_the_one_before()
    {
        var disk = new SimDisk(1);
        byte[] first = new byte[16], second = new byte[16], third = new byte[16];
        disk.FillRandom(first);
        SimSnapshot snapshot = disk.Capture();
        disk.FillRandom(second);
        snapshot.Cut(CutChoice.All).FillRandom(third);
        first.Should().NotEqual(second);
        third.Should().NotEqual(first).And.NotEqual(second);
        snapshot.Kill().FillRandom(second);
        second.Should().Equal(third, "it follows from the seed and the moment only");
    }

    [Fact]
    public void States_that_differ_only_in_what_is_not_read_are_one_state()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.SetLength(4096);
        file.SyncData();
        file.WriteByte(0, 1024, 1);
        SimSnapshot snapshot = disk.Capture();
        Hash128 none = KeyAfterReadingFirstSector(snapshot, 0), second = KeyAfterReadingFirstSector(snapshot, 2);
        second.Should().Be(none);
        KeyAfterReadingFirstSector(snapshot, 1).Should().NotBe(none);
        KeyAfterReadingFirstSector(snapshot, 0, overwritesIt: true).Should()
            .Be(KeyAfterReadingFirstSector(snapshot, 1, overwritesIt: true), "what is overwritten before it is read is none of the state");
        KeyAfterMapping(snapshot, 0).Should().Be(KeyAfterMapping(snapshot, 1), "the second sector is all that was reached");
        KeyAfterMapping(snapshot, 0).Should().NotBe(KeyAfterMapping(snapshot, 2));
    }

    [Fact]
    public void A_cut_of_a_small_database_allocates_little()
    {
        SimDisk disk = DiskFixture.NewDisk();
        for (int i = 0; i < 6; i++)
        {
            IDiskFile file = disk.OpenDurable($"f{i}");
            file.WriteByte(0, 1 << 20, 1);
            file.SyncData();
            file.WriteByte(0, 1024, 2);
        }

        SimSnapshot snapshot = disk.Capture();
        snapshot.Cut(CutChoice.All);
        long before = GC.GetAllocatedBytesForCurrentThread();
        snapshot.Cut(CutChoice.All);
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(6 * 16384, "six megabytes are shared, not copied");
    }

    private static Hash128 KeyAfterReadingFirstSector(SimSnapshot snapshot, ulong mask, bool overwritesIt = false)
    {
        SimDisk disk = snapshot.Cut(CutChoice.Bits(mask));
        IDiskFile file = disk.Open("a", FileOpening.None);
        if (overwritesIt)
        {
            file.WriteByte(0, 512, 7);
        }

        file.Read(0, new byte[512], out _);
        return disk.ReadSet.Key;
    }

    private static Hash128 KeyAfterMapping(SimSnapshot snapshot, ulong mask)
    {
        SimDisk disk = snapshot.Cut(CutChoice.Bits(mask));
        disk.Open("a", FileOpening.None).Map(4096, out _);
        disk.ReadSet.AddMapped([(512, 512)]);
        return disk.ReadSet.Key;
    }

    private static Hash128 Trace(ulong seed)
    {
        var disk = new SimDisk(seed);
        disk.CreateDirectory("/db");
        disk.OpenFile("/db/a", FileOpening.Create, out IDiskFile? file);
        byte[] bytes = new byte[1000];
        for (int i = 0; i < 20; i++)
        {
            disk.FillRandom(bytes);
            file!.Write(bytes[0] * 100, bytes);
            file.Read(bytes[1] * 100, bytes.AsSpan(0, 100), out _);
            file.SyncData();
        }

        return disk.TraceHash;
    }
}
