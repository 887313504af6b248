using FluentAssertions;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>What the header slot knows of the journal: a chunk that must be there, and chunks that hold nothing more.</summary>
public class ClosedJournalTests
{
    [Theory]
    [InlineData("missing")]
    [InlineData("damaged")]
    public void A_chunk_that_the_slot_names_is_missed_when_nothing_else_names_it(string what)
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        string path = JournalWorld.PathOf(1);
        if (what == "missing")
        {
            world.Disk.Files.Remove(path);
        }
        else
        {
            world.Disk.Files[path].AsSpan(0, 4096).Clear();
            world.Disk.Files[path].AsSpan(4096).Clear();
        }

        Read(world, default, claimed: 0, closed: 0).Should().BeEmpty("without the slot nothing tells");
        Action read = () => Read(world, default, claimed: 1, closed: 0);
        read.Should().Throw<CorruptJournalException>().WithMessage($"*{what}*").Which.File.Should().Be(path);
    }

    [Fact]
    public void A_named_chunk_before_the_record_that_reading_begins_behind_may_have_been_recycled()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        world.Open();
        world.Commit("b");
        RecordMark mark = world.Listener.DurableMark;
        mark.Position.Sequence.Should().Be(2);
        world.Disk.Files.Remove(JournalWorld.PathOf(1));
        Read(world, mark, claimed: 1, closed: 0).Should().BeEmpty();
    }

    [Fact]
    public void Closed_chunks_are_not_looked_through_and_later_ones_are()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        RecordMark mark = world.Listener.DurableMark;
        world.Open();
        world.Commit("b");
        Read(world, mark, claimed: 0, closed: 1).Should().Equal("b");
        Read(world, mark, claimed: 0, closed: 2).Should().BeEmpty();
    }

    /// <summary>Closed ones hold nothing and may be gone, also when a later one names them; one that is not closed must be there.</summary>
    [Fact]
    public void A_closed_chunk_that_a_later_one_names_may_be_gone()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        RecordMark mark = world.Listener.DurableMark;
        world.Open();
        world.Commit("b");
        world.Open();
        world.Commit("c");
        world.Disk.Files.Remove(JournalWorld.PathOf(2)).Should().BeTrue();
        Read(world, mark, claimed: 0, closed: 3).Should().BeEmpty();
        Action read = () => Read(world, mark, claimed: 0, closed: 1);
        read.Should().Throw<CorruptJournalException>().Which.File.Should().Be(JournalWorld.PathOf(2));
    }

    [Fact]
    public void A_sequence_that_was_closed_is_not_used_again()
    {
        using JournalWorld world = new();
        using CommitJournalReader reader = new(world.Files, default, claimed: 0, closed: 6);
        reader.TryRead(out _).Should().BeFalse();
        reader.End.HighestSequence.Should().Be(6);
    }

    [Fact]
    public void A_journal_of_many_pieces_is_read_whole_ahead_or_not()
    {
        using JournalWorld world = new();
        world.Open();
        List<string> bodies = [];
        for (int i = 0; i < 60; i++)
        {
            // Records of all lengths around a piece, one much longer, most far shorter.
            int length = i == 30 ? (3 * ChunkContent.PieceBytes) + 17 : i % 7 == 0 ? ChunkContent.PieceBytes - 96 - i : 5000 + i;
            bodies.Add(new string((char)('a' + (i % 26)), length));
            world.Commit(bodies[^1]);
        }

        foreach (bool ahead in (bool[])[false, true])
        {
            Read(world, default, claimed: 0, closed: 0, ahead).Should().Equal(bodies);
        }
    }

    [Fact]
    public void A_proof_is_found_many_pieces_behind_the_loss_and_over_the_end_of_a_piece()
    {
        for (int shift = 0; shift < 3; shift++)
        {
            using JournalWorld world = new();
            world.Open();
            world.Commit(new string('x', (5 * ChunkContent.PieceBytes) + (shift * 4096)));
            world.Commit("lost");
            world.Commit("proof");
            long at = world.Listener.DurableMark.Position.Offset - 4096;
            world.Disk.Files[JournalWorld.PathOf(world.Listener.DurableMark.Position.Sequence)].AsSpan((int)at, 4096).Clear();
            Action read = () => world.Read();
            read.Should().Throw<CorruptJournalException>();
        }
    }

    /// <summary>Bytes of a value may look like the head of a record, at places where one can stand and at others.</summary>
    [Fact]
    public void A_proof_is_found_behind_bytes_that_only_look_like_a_record()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("lost");
        world.Commit(string.Concat(Enumerable.Repeat("VREC.", 100)));
        world.Commit("proof");
        world.Disk.Files[JournalWorld.PathOf(1)].AsSpan(4096, 200).Clear();
        world.Disk.Files[JournalWorld.PathOf(1)][8192] ^= 1;
        Action read = () => world.Read();
        read.Should().Throw<CorruptJournalException>().Which.Offset.Should().Be(4096);
    }

    private static List<string> Read(JournalWorld world, RecordMark mark, long claimed, long closed, bool ahead = false)
    {
        using CommitJournalReader reader = new(world.Files, mark, claimed, closed, ahead);
        return JournalWorld.Read(reader, mark).Bodies;
    }
}
