using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Tests.Commits;
using Voron.Storage.Tests.Journal;
using Xunit;

namespace Voron.Storage.Tests.Recovery;

public class CommitJournalReaderTests
{
    [Fact]
    public void An_empty_directory_is_an_empty_journal()
    {
        using JournalWorld world = new();
        JournalWorld.ReadResult read = world.Read();
        read.Bodies.Should().BeEmpty();
        read.Start.LastPosition.Should().Be(JournalPosition.None);
        read.Start.HighestSequence.Should().Be(0);
    }

    [Fact]
    public void Reading_begins_behind_the_given_record()
    {
        using JournalWorld world = JournalWorld.With("a", "b");
        RecordMark mark = world.Listener.DurableMark;
        world.Read(mark).Bodies.Should().BeEmpty();
        world.Commit("c");
        world.Read(mark).Bodies.Should().Equal("c");
    }

    /// <summary>A replay reads all records twice, and one that follows another process goes on with the same reader.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_reader_begins_again_and_continues(bool isWriterOther)
    {
        using JournalWorld world = JournalWorld.With("a");
        RecordMark mark = world.Listener.DurableMark;
        string[] old = [.. Enumerable.Range(0, 60).Select(static i => new string((char)('a' + (i % 26)), i * 500))];
        Array.ForEach(old, body => world.Commit(body));
        RecordMark middle = world.Listener.DurableMark;
        middle.Position.Sequence.Should().BeGreaterThan(mark.Position.Sequence, "there are several chunks");
        using CommitJournalReader reader = new(world.Files, mark, isWriterOther: isWriterOther) { Last = middle.TransactionId };
        JournalWorld.Read(reader, mark).Bodies.Should().Equal(old);
        reader.Restart();
        JournalWorld.Read(reader, mark).Bodies.Should().Equal(old);

        string[] late = ["new", new string('x', 10_000)];
        Array.ForEach(late, body => world.Commit(body));
        JournalWorld.Read(reader, middle).Bodies.Should().BeEmpty("it reads no further than it was told");
        reader.Continue(world.Listener.DurableMark.TransactionId);
        JournalWorld.Read(reader, middle).Bodies.Should().Equal(late);
        reader.Restart();
        JournalWorld.Read(reader, middle).Bodies.Should().Equal(late);
        reader.LastCommit.Should().Be(world.Listener.DurableMark);
    }

    [Fact]
    public void A_start_record_that_is_not_there_is_reported()
    {
        using JournalWorld world = JournalWorld.With("a");
        RecordMark mark = world.Listener.DurableMark;
        Action other = () => world.Read(mark with { Checksum = mark.Checksum ^ 1 });
        Action odd = () => world.Read(mark with { Position = new JournalPosition(1, 4100) });
        Action missing = () => world.Read(mark with { Position = new JournalPosition(7, 4096) });
        other.Should().Throw<CorruptJournalException>().Which.Offset.Should().Be(4096);
        odd.Should().Throw<CorruptJournalException>();
        missing.Should().Throw<CorruptJournalException>().WithMessage("*0000000000000007.commit*missing*");
    }

    [Fact]
    public void A_torn_last_write_keeps_everything_before_it_at_every_cut()
    {
        using JournalWorld world = JournalWorld.With("one", "two");
        world.Disk.RemembersLastWrite = true;
        CommitGroupId first = world.Seal(new string('x', 5000));
        CommitGroupId second = world.Seal(new string('y', 700));
        CommitGroupId third = world.Seal("z");
        world.Journal.Complete(third, onDevice: true);
        (string path, long offset, byte[] before, byte[] after) = world.Disk.LastWrite;
        int sectors = after.Length / FormatConstants.SectorBytes;
        sectors.Should().BeGreaterThan(10);

        // Every prefix, every suffix and every single sector kept or lost: a cut keeps any of them.
        List<Func<int, bool>> cuts = [];
        for (int i = 0; i <= sectors; i++)
        {
            int at = i;
            cuts.AddRange([sector => sector < at, sector => sector >= at, sector => sector == at, sector => sector != at]);
        }

        foreach (Func<int, bool> kept in cuts)
        {
            using JournalWorld cut = world.After();
            byte[] file = cut.Disk.Files[path];
            for (int sector = 0; sector < sectors; sector++)
            {
                int at = sector * FormatConstants.SectorBytes;
                (kept(sector) ? after : before).AsSpan(at, FormatConstants.SectorBytes).CopyTo(file.AsSpan((int)offset + at));
            }

            List<string> bodies = cut.Read().Bodies;
            bodies.Count.Should().BeInRange(2, 5);
            bodies.Take(2).Should().Equal("one", "two");
            cut.Open();
            cut.Commit("new");
            cut.Read().Bodies.Should().Equal([.. bodies, "new"]);
            cut.Dispose();
        }

        first.Should().Be(second, "they leave in one write");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_lost_middle_is_noticed_wherever_a_byte_of_it_rots(bool wholeBlock)
    {
        using JournalWorld world = JournalWorld.With();
        for (int i = 0; i < 6; i++)
        {
            world.Commit(new string((char)('a' + i), 200));
        }

        // All but the last commit are named durable by a later one.
        for (int record = 0; record < 5; record++)
        {
            for (int at = 0; at < 296; at += wholeBlock ? 296 : 37)
            {
                using JournalWorld rotten = world.After();
                int place = FormatConstants.ChunkBodyOffset * (record + 1);
                Span<byte> bytes = rotten.Disk.Files[JournalWorld.PathOf(1)].AsSpan(place, 4096);
                if (wholeBlock)
                {
                    bytes.Clear();
                }
                else
                {
                    bytes[at] ^= 0x10;
                }

                byte[] untouched = [.. rotten.Disk.Files[JournalWorld.PathOf(1)]];
                Action read = () => rotten.Read();
                read.Should().Throw<CorruptJournalException>().Which.File.Should().Be(JournalWorld.PathOf(1));
                rotten.Disk.Files[JournalWorld.PathOf(1)].Should().Equal(untouched, "nothing is changed");
            }
        }
    }

    [Fact]
    public void A_later_record_of_the_same_write_proves_nothing()
    {
        using JournalWorld world = JournalWorld.With("a");
        world.Seal(new string('b', 5000));
        world.Journal.Complete(world.Seal("c"), onDevice: true);
        using JournalWorld cut = world.After();
        cut.Disk.Files[JournalWorld.PathOf(1)].AsSpan(8192, 512).Clear();
        cut.Read().Bodies.Should().Equal("a");
    }

    [Fact]
    public void Commits_that_were_only_buffered_leave_a_torn_tail_whatever_is_kept()
    {
        using JournalWorld world = JournalWorld.With("a");
        world.Commit("b", durable: false);
        world.Commit("c", durable: false);
        using JournalWorld cut = world.After();
        cut.Disk.Files[JournalWorld.PathOf(1)].AsSpan(8192, 4096).Clear();
        cut.Read().Bodies.Should().Equal("a");

        world.Commit("d");
        using JournalWorld lost = world.After();
        lost.Disk.Files[JournalWorld.PathOf(1)].AsSpan(8192, 4096).Clear();
        Action read = () => lost.Read();
        read.Should().Throw<CorruptJournalException>("the durable commit made the buffered ones durable first");
    }

    [Fact]
    public void The_chain_goes_on_in_a_new_chunk_after_a_recovery_and_leaves_the_torn_part_behind()
    {
        using JournalWorld world = JournalWorld.With("a");
        world.Seal(new string('b', 5000));
        world.Journal.Complete(world.Seal("lost"), onDevice: true);
        using JournalWorld cut = world.After();
        cut.Disk.Files[JournalWorld.PathOf(1)].AsSpan(8192, 512).Clear();
        for (int round = 0; round < 3; round++)
        {
            cut.Open();
            cut.NextId.Should().Be(2 + round);
            cut.Commit($"round {round}");
        }

        cut.Read().Bodies.Should().Equal("a", "round 0", "round 1", "round 2");
        cut.Listener.DurableMark.Position.Sequence.Should().Be(4);
    }

    [Fact]
    public void Empty_chunks_in_a_row_are_no_end()
    {
        using JournalWorld world = JournalWorld.With("a");
        new ChunkPool(world.Files, ChunkKind.Commit).Prepare(2, 1, 64 << 10);
        new ChunkPool(world.Files, ChunkKind.Commit).Prepare(3, 1, 64 << 10);
        world.Open();
        world.Commit("b");
        JournalWorld.ReadResult read = world.Read();
        read.Bodies.Should().Equal("a", "b");
        read.Start.LastPosition.Sequence.Should().Be(4);
    }

    [Fact]
    public void Stale_records_of_a_recycled_chunk_are_nothing()
    {
        using JournalWorld world = JournalWorld.With();
        for (int i = 0; i < 40; i++)
        {
            world.Commit(new string((char)('a' + (i % 26)), 12000));
        }

        world.Dispose();
        world.Open();
        world.Commit("begin");
        world.Journal.Recycle(world.Listener.DurableMark.Position, pace: null);
        world.SpareCount.Should().BePositive();
        RecordMark mark = world.Listener.DurableMark;
        world.Commit("a" + new string('-', 70_000));
        world.Commit("b");
        long reused = world.Listener.DurableMark.Position.Sequence;
        int end = (int)world.Listener.DurableMark.Position.Offset + 4096;
        world.Disk.Files[JournalWorld.PathOf(reused)].AsSpan(end).IndexOf("VREC"u8).Should().BeGreaterThan(0, "the chunk was used before");
        world.Read(mark).Bodies.Select(body => body[0]).Should().Equal('a', 'b');
        world.Dispose();
        world.Open(mark);
        world.Commit("c");
        world.Read(mark).Bodies.Select(body => body[0]).Should().Equal('a', 'b', 'c');
    }

    [Fact]
    public void Fragments_without_their_commit_are_discarded_by_the_next_transaction_of_that_id()
    {
        using JournalWorld world = JournalWorld.With();
        world.SealFragment([(byte)'1'], 0);
        world.SealFragment([(byte)'2'], 1);
        world.Commit("alone");
        world.SealFragment([(byte)'3'], 0);
        world.SealFragment([(byte)'4'], 0);
        world.SealFragment([(byte)'5'], 1);
        world.Journal.Complete(world.Seal("6"u8.ToArray(), 2), onDevice: true);
        world.SealFragment([(byte)'7'], 0);
        world.Journal.Flush();
        world.Read().Bodies.Should().Equal("alone", "456");
        world.Open();
        world.Commit("after");
        world.Read().Bodies.Should().Equal("alone", "456", "after");
    }

    [Fact]
    public void A_wrong_count_of_fragments_is_corruption()
    {
        using JournalWorld world = JournalWorld.With();
        world.SealFragment([1], 0);
        world.Journal.Complete(world.Seal([2], 2), onDevice: true);
        Action read = () => world.Read();
        read.Should().Throw<CorruptJournalException>();
    }

    [Fact]
    public void A_record_that_fits_in_everything_but_the_salt_is_nothing()
    {
        // What a recycled file may hold: another life's record of the same id, at the same place, naming the same record before it.
        using JournalWorld earlier = new(new TestDisk(seed: 2));
        earlier.Open();
        earlier.Commit("stale");
        using JournalWorld world = new();
        world.Open().Chunks.PrepareFirst();
        string path = JournalWorld.PathOf(1);
        earlier.Disk.Files[path].AsSpan(4096).CopyTo(world.Disk.Files[path].AsSpan(4096));
        world.Read().Bodies.Should().BeEmpty();
    }

    [Fact]
    public void Forged_lengths_with_any_value_do_not_lead_out_of_the_chunk()
    {
        using JournalWorld world = JournalWorld.With("a");
        foreach (long length in (long[])[-1, long.MinValue, long.MaxValue, int.MaxValue, 64 << 10, 61344, 61345])
        {
            using JournalWorld forged = world.After();
            Span<byte> record = forged.Disk.Files[JournalWorld.PathOf(1)].AsSpan(4096);
            ref RecordHeader header = ref MemoryMarshal.AsRef<RecordHeader>(record);
            header.StoredBytes = length;
            header.BodyBytes = length;
            forged.Read().Bodies.Should().BeEmpty();
        }
    }

    /// <summary>A record that is sound in itself, at its place and of this chunk, but follows another one, or has another id.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_sound_record_that_does_not_follow_the_one_before_is_not_taken(bool isOfOtherChain)
    {
        using JournalWorld world = JournalWorld.With("a", "b");
        JournalPosition last = world.Listener.DurableMark.Position;
        byte[] file = world.Disk.Files[JournalWorld.PathOf(last.Sequence)];
        Span<byte> record = file.AsSpan((int)last.Offset, RecordHeader.SizeBytes + 1);
        RecordHeader header = MemoryMarshal.Read<RecordHeader>(record);
        header.PreviousChecksum ^= isOfOtherChain ? 1UL : 0;
        header.TransactionId = isOfOtherChain ? header.TransactionId : header.TransactionId.Next;
        MemoryMarshal.Write(record, in header);
        header.Checksum = RecordLayout.ChecksumOf(record);
        MemoryMarshal.Write(record, in header);
        world.Read().Bodies.Should().Equal("a");
    }
}
