using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>What each profile promises, and what it does not.</summary>
public sealed class SimDiskProfileTests
{
    public static TheoryData<string> Names => [.. SimProfile.All.Select(profile => profile.Name)];

    [Fact]
    public void There_are_five_and_the_strict_one_is_what_a_disk_is_by_default()
    {
        SimProfile.All.Select(profile => profile.Name).Should().Equal("Strict", "Ext4Like", "NtfsLike", "MacLike", "Liar");
        new SimDiskOptions().Profile.Should().BeSameAs(SimProfile.Strict);
        SimProfile.All.Where(profile => profile.KeepsContract).Select(profile => profile.Name)
            .Should().Equal("Strict", "Ext4Like", "NtfsLike");
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_write_through_write_and_a_sync_keep_what_the_profile_promises(string name)
    {
        SimProfile profile = Find(name);
        SimDisk through = NewDisk(profile), synced = NewDisk(profile);
        through.OpenDurable("a", FileOpening.Create | FileOpening.WriteThrough).WriteByte(0, 512, 1);
        IDiskFile file = synced.OpenDurable("a");
        file.WriteByte(0, 512, 1);
        file.SyncData();

        byte[]? expected = profile.IgnoresSync ? null : [.. Enumerable.Repeat((byte)1, 512)];
        through.Cut(CutChoice.None).PeekFile("a").Should()
            .BeEquivalentTo(profile.IgnoresWriteThrough && expected is not null ? [] : expected);
        synced.Cut(CutChoice.None).PeekFile("a").Should().BeEquivalentTo(expected);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Names_are_kept_in_order_or_in_none(string name)
    {
        SimProfile profile = Find(name);
        SimDisk disk = NewDisk(profile);
        disk.Open("a");
        disk.Open("b");
        SimSnapshot snapshot = disk.Capture();
        int last = snapshot.Atoms.Length - 1;

        string[] left = [.. snapshot.Cut(CutChoice.DropOne(last - 1)).Paths()];
        string[] expected = profile.IgnoresSync || !profile.OrdersNames ? ["/db/b"] : [];
        left.Should().Equal(expected);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_sync_of_another_file_makes_names_durable_where_one_journal_holds_them(string name)
    {
        SimProfile profile = Find(name);
        SimDisk disk = NewDisk(profile);
        IDiskFile other = disk.OpenDurable("other");
        disk.Open("a");
        other.SyncData();

        bool isLeft = disk.Cut(CutChoice.None).PeekFile("a") is not null;
        isLeft.Should().Be(profile.SyncRetiresNames);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Grown_space_shows_old_blocks_only_where_the_profile_says_so(string name)
    {
        SimProfile profile = Find(name);
        SimDisk disk = NewDisk(profile);
        IDiskFile file = disk.OpenDurable("a");
        file.SetLength(4096);
        SimSnapshot snapshot = disk.Capture();
        byte[]? left = snapshot.Cut(CutChoice.All with { Garbage = SimGarbage.Random, GarbageSeed = 3 }).PeekFile("a");
        left!.Any(value => value != 0).Should().Be(profile.ShowsOldBlocks);
        var families = new HashSet<SimGarbage>();
        foreach (Crashes.CrashState state in Crashes.CrashStates.Enumerate(snapshot, 1, new Crashes.CrashOptions()))
        {
            families.Add(state.Choice.Garbage);
        }

        families.Contains(SimGarbage.OtherFile).Should().Be(profile.ShowsOldBlocks);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Bytes_behind_the_valid_length_read_as_zeros_where_it_is_kept(string name)
    {
        SimProfile profile = Find(name);
        SimDisk disk = NewDisk(profile);
        IDiskFile file = disk.OpenDurable("a");
        file.SetLength(8192);
        file.SyncData();
        file.WriteByte(4096, 512, 1);
        SimSnapshot snapshot = disk.Capture();
        int data = Array.FindIndex(snapshot.Atoms, atom => atom.Kind == SimAtomKind.Data && atom.Position == 8);
        int valid = Array.FindIndex(snapshot.Atoms, atom => atom.Kind == SimAtomKind.Valid);
        (valid >= 0).Should().Be(profile.KeepsValidLength);

        byte[]? without = snapshot.Cut(CutChoice.Prefix(data + 1)).PeekFile("a");
        without![4096].Should().Be((byte)(profile.KeepsValidLength ? 0 : 1));
        snapshot.Cut(CutChoice.All).PeekFile("a")![4096].Should().Be(1);
        var hasher = new SimImageHasher(snapshot);
        foreach (CutChoice choice in new[] { CutChoice.None, CutChoice.All, CutChoice.Prefix(data + 1), CutChoice.DropOne(data) })
        {
            AtomSet kept = choice.Resolve(snapshot);
            hasher.Hash(kept, default).Should().Be(snapshot.Cut(kept).ImageHash());
        }

        file.SyncData();
        (disk.Cut(CutChoice.None).PeekFile("a")?[4096] == 1).Should().Be(!profile.IgnoresSync);
    }

    private static SimProfile Find(string name) => SimProfile.All.Single(profile => profile.Name == name);

    private static SimDisk NewDisk(SimProfile profile) => DiskFixture.NewDisk(new SimDiskOptions { Profile = profile });
}
