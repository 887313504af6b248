using FluentAssertions;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>The family of states that one moment is taken to leave.</summary>
public sealed class CrashStatesTests
{
    [Fact]
    public void Few_atoms_give_every_subset_once()
    {
        (SimDisk disk, IDiskFile file) = DiskFixture.NewDurableFile();
        file.WriteByte(0, 512 * 6, 1);
        file.SyncData();
        file.WriteByte(0, 512 * 6, 2);
        SimSnapshot snapshot = disk.Capture();
        int offered = 0;
        var images = new HashSet<Hash128>();
        foreach (CrashState state in CrashStates.Enumerate(snapshot, 1, new CrashOptions(), () => offered++))
        {
            images.Add(snapshot.Cut(state.Kept).ImageHash()).Should().BeTrue("states come once");
        }

        images.Should().HaveCount(64);
        offered.Should().BeGreaterThan(64);
    }

    [Fact]
    public void Many_atoms_give_prefixes_singles_files_and_a_sample()
    {
        SimDisk disk = DiskFixture.NewDisk();
        IDiskFile first = disk.OpenDurable("a"), second = disk.Open("b");
        first.WriteByte(0, 512 * 15, 1);
        second.WriteByte(0, 512 * 15, 2);
        SimSnapshot snapshot = disk.Capture();
        var families = new HashSet<CutFamily>();
        var images = new HashSet<Hash128>();
        foreach (CrashState state in CrashStates.Enumerate(snapshot, 1, new CrashOptions()))
        {
            families.Add(state.Choice.Family);
            images.Add(state.Hash);
        }

        families.Should().Contain([CutFamily.Prefix, CutFamily.DropOne, CutFamily.KeepOne, CutFamily.Random, CutFamily.Weighted]);
        images.Should().HaveCountGreaterThan(60);
        foreach (CutChoice choice in new[] { CutChoice.Groups(1), CutChoice.Groups(4), CutChoice.Prefix(17), CutChoice.DropOne(3) })
        {
            images.Should().Contain(new SimImageHasher(snapshot).Hash(choice.Resolve(snapshot), choice));
        }
    }

    [Fact]
    public void Nothing_pending_is_one_state()
    {
        SimDisk disk = DiskFixture.NewDisk();
        disk.OpenDurable("a");
        CrashStates.Enumerate(disk.Capture(), 1, new CrashOptions()).Should().ContainSingle();
    }

    [Fact]
    public void A_renamed_file_has_one_name_in_every_state()
    {
        SimDisk disk = DiskFixture.NewDisk();
        disk.OpenDurable("a");
        disk.Rename("/db/a", "/db/b");
        disk.Rename("/db/b", "/db/c");
        SimSnapshot snapshot = disk.Capture();
        var names = new HashSet<string>();
        foreach (CrashState state in CrashStates.Enumerate(snapshot, 1, new CrashOptions()))
        {
            names.Add(snapshot.Cut(state.Kept).Paths().Should().ContainSingle().Which);
        }

        names.Should().BeEquivalentTo("/db/a", "/db/b", "/db/c");
    }
}
