using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Tests.Commits;
using Voron.Storage.Tests.Journal;
using Xunit;

namespace Voron.Storage.Tests.Recovery;

public class LostChunkTests
{
    [Theory]
    [InlineData("missing", "*is missing*")]
    [InlineData("damaged", "*damaged*")]
    [InlineData("foreign", "*another database*")]
    public void A_lost_chunk_in_the_middle_is_named(string what, string message)
    {
        using JournalWorld world = JournalWorld.With();
        while (world.Sequences.Count < 3)
        {
            world.Commit(new byte[12000]);
        }

        Spoil(world.Disk, 2, what);
        Action read = () => world.Read();
        read.Should().Throw<CorruptJournalException>().WithMessage(message).Which.File.Should().Be(JournalWorld.PathOf(2));
    }

    [Theory]
    [InlineData("damaged")]
    [InlineData("foreign")]
    public void A_bad_chunk_behind_the_end_is_ignored_and_kept(string what)
    {
        using JournalWorld world = JournalWorld.With("a");
        new ChunkPool(world.Files, ChunkKind.Commit).Prepare(2, 1, 64 << 10);
        Spoil(world.Disk, 2, what);
        byte[] kept = [.. world.Disk.Files[JournalWorld.PathOf(2)]];
        world.Read().Bodies.Should().Equal("a");
        world.Open();
        world.Commit("b");
        world.Read().Bodies.Should().Equal("a", "b");
        world.Disk.Files[JournalWorld.PathOf(2)].Should().Equal(kept, "recovery replaces nothing");
    }

    [Fact]
    public void A_used_last_chunk_whose_header_rots_is_no_end()
    {
        using JournalWorld world = JournalWorld.With("a");
        world.Open();
        world.Commit("b");
        Spoil(world.Disk, 2, "damaged");
        Action read = () => world.Read();
        read.Should().Throw<CorruptJournalException>("the record behind the header goes on from the last good one");
    }

    [Theory]
    [InlineData("missing")]
    [InlineData("damaged")]
    [InlineData("foreign")]
    public void The_chunk_in_use_is_missed_when_only_the_empty_one_made_after_it_is_left(string what)
    {
        using JournalWorld world = JournalWorld.With("a");
        RecordMark mark = world.Listener.DurableMark;
        world.Dispose();
        world.Open();
        world.Commit("acknowledged");
        new ChunkPool(world.Files, ChunkKind.Commit).Prepare(3, 2, 64 << 10);
        Spoil(world.Disk, 2, what);
        foreach (RecordMark start in (RecordMark[])[default, mark])
        {
            Action read = () => world.Read(start);
            read.Should().Throw<CorruptJournalException>().Which.File.Should().Be(JournalWorld.PathOf(2));
        }
    }

    [Fact]
    public void A_copy_of_a_chunk_under_another_name_is_no_chunk()
    {
        using JournalWorld world = JournalWorld.With("a");
        byte[] older = [.. world.Disk.Files[JournalWorld.PathOf(1)]];
        world.Commit("b");
        world.Disk.Files[Path.Combine(JournalWorld.Folder, "0-copy.commit")] = older;
        world.Disk.Files[Path.Combine(JournalWorld.Folder, "0000000000000009.commit")] = older;
        world.Disk.Files[Path.Combine(JournalWorld.Folder, "notes.chunk")] = older;
        world.Files.DeleteSpares().Should().BeNull();
        world.Read().Bodies.Should().Equal("a", "b");
        world.Disk.Files.Should().HaveCount(4, "files of strangers stay");
        world.Read().Start.HighestSequence.Should().Be(9);
    }

    [Fact]
    public void A_truncated_chunk_is_damaged()
    {
        using JournalWorld world = JournalWorld.With("a");
        RecordMark mark = world.Listener.DurableMark;
        string path = JournalWorld.PathOf(1);
        world.Disk.Files[path] = world.Disk.Files[path][..8192];
        Action read = () => world.Read(mark);
        read.Should().Throw<CorruptJournalException>().WithMessage("*cut short*");
    }

    [Fact]
    public void A_newer_format_version_is_named()
    {
        using JournalWorld world = JournalWorld.With("a");
        Span<byte> block = world.Disk.Files[JournalWorld.PathOf(1)].AsSpan(0, ChunkHeader.SizeBytes);
        MemoryMarshal.AsRef<ChunkHeader>(block).FormatVersion = 2;
        MemoryMarshal.AsRef<ChunkHeader>(block).Checksum = Checksum.Compute(block[8..]);
        Action read = () => world.Read();
        read.Should().Throw<FormatVersionException>();
    }

    /// <summary>A salvage without a header slot takes the database that most sound chunks belong to.</summary>
    [Fact]
    public void The_database_of_a_journal_is_guessed_from_its_sound_chunks()
    {
        using JournalWorld world = JournalWorld.With();
        JournalFiles.GuessDatabaseId(world.Disk, JournalWorld.Folder).Should().Be(default(DatabaseId), "there is no chunk");
        while (world.Sequences.Count < 4)
        {
            world.Commit(new byte[12000]);
        }

        Spoil(world.Disk, 2, "foreign");
        JournalFiles.GuessDatabaseId(world.Disk, JournalWorld.Folder).Should().Be(JournalWorld.Database);
        Spoil(world.Disk, 1, "damaged");
        world.Disk.Files[JournalWorld.PathOf(3)].AsSpan(0, 4096).Clear();
        world.Disk.Files[JournalWorld.PathOf(4)].AsSpan(0, 4096).Clear();
        JournalFiles.GuessDatabaseId(world.Disk, JournalWorld.Folder).Should()
            .NotBe(JournalWorld.Database, "the stranger is the only sound one");
    }

    private static void Spoil(TestDisk disk, long sequence, string what)
    {
        string path = JournalWorld.PathOf(sequence);
        switch (what)
        {
            case "missing":
                disk.Files.Remove(path);
                break;
            case "damaged":
                disk.Files[path][20] ^= 1;
                break;
            default:
                Span<byte> block = disk.Files[path].AsSpan(0, ChunkHeader.SizeBytes);
                MemoryMarshal.AsRef<ChunkHeader>(block).DatabaseIdLow ^= 1;
                MemoryMarshal.AsRef<ChunkHeader>(block).Checksum = Checksum.Compute(block[8..]);
                break;
        }
    }
}
