using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Commits;

public class CommitJournalTests
{
    [Fact]
    public void Commits_read_back_in_order()
    {
        using JournalWorld world = new();
        world.Open();
        for (int i = 0; i < 50; i++)
        {
            world.Commit($"body {i}");
        }

        world.Read().Bodies.Should().Equal(Enumerable.Range(0, 50).Select(i => $"body {i}"));
        world.Listener.Durable.Should().Be(50);
        world.Listener.Durable.Should().Be(50);
    }

    [Fact]
    public void A_durable_commit_is_one_write_and_no_sync_roll_over_included()
    {
        using JournalWorld world = new();
        world.Open();
        for (int i = 0; i < 200; i++)
        {
            world.Disk.Calls = [];
            world.Commit(new byte[3000]);
            world.Disk.Calls.Where(call => call.StartsWith("through", StringComparison.Ordinal)).Should().ContainSingle();
            world.Disk.Calls
                .Where(call => call.StartsWith("sync", StringComparison.Ordinal) && call.EndsWith(".commit", StringComparison.Ordinal))
                .Should().BeEmpty();
        }

        world.Journal.Writes.Should().Be(200);
        world.Journal.Syncs.Should().Be(0);
        world.Sequences.Count.Should().BeGreaterThan(2);
        world.Read().Bodies.Should().HaveCount(200);
    }

    [Theory]
    [InlineData(4 << 10, "write")]
    [InlineData(64 << 10, "direct")]
    public void A_buffered_commit_is_left_in_the_page_cache_unless_its_pages_are_larger_than_blocks(int cachePageBytes, string operation)
    {
        using JournalWorld world = new();
        world.Disk.CachePageBytes = cachePageBytes;
        world.Open();
        world.Commit("1");
        world.Disk.Calls = [];
        world.Commit("2", durable: false);
        world.Commit("3", durable: false);
        const string Chunk = "0000000000000001.commit";
        world.Disk.Calls.Should().Equal($"open {Chunk}", $"{operation} {Chunk}", $"{operation} {Chunk}");
        (world.Listener.Written, world.Listener.Durable, world.Journal.Syncs).Should().Be((3, 1, 0));
        world.Disk.Calls = [];
        world.Commit("4");
        world.Disk.Calls.Should().Equal($"sync {Chunk}", $"through {Chunk}");
        (world.Listener.Written, world.Listener.Durable, world.Journal.Syncs).Should().Be((4, 4, 1));
        world.Read().Bodies.Should().Equal("1", "2", "3", "4");
    }

    [Fact]
    public void A_chunk_is_filled_synced_named_and_its_name_synced_before_a_record_stands_in_it()
    {
        using JournalWorld world = new();
        world.Disk.Calls = [];
        world.Open();
        world.Commit("x");
        world.Disk.Calls.Should().Equal(
            "open spare", "direct spare", "sync spare", "open spare", "write spare", "sync spare",
            "rename 0000000000000001.commit", "syncdir journal", "open 0000000000000001.commit", "through 0000000000000001.commit");
    }

    [Fact]
    public void Chunks_double()
    {
        using JournalWorld world = new();
        world.Open();
        for (int i = 0; i < 60; i++)
        {
            world.Commit(new byte[12000]);
        }

        world.Sequences.Select(sequence => world.Disk.Files[JournalWorld.PathOf(sequence)].Length)
            .Should().Equal(64 << 10, 128 << 10, 256 << 10, 512 << 10);
        world.Journal.JournalBytes.Should().Be(960 << 10);
    }

    [Fact]
    public void A_record_larger_than_the_next_chunk_gets_one_of_its_own_size()
    {
        using JournalWorld world = new();
        world.Open(background: true);
        byte[] large = new byte[9_000_000];
        large.AsSpan().Fill((byte)'a');
        world.Commit("first");
        world.Commit(large);
        world.Commit("last");
        List<string> bodies = world.Read().Bodies;
        bodies.Should().HaveCount(3);
        bodies[1].Length.Should().Be(large.Length);
        bodies[2].Should().Be("last");
    }

    [Fact]
    public void Records_sealed_before_one_is_completed_share_its_write()
    {
        using JournalWorld world = new();
        world.Open();
        CommitGroupId first = world.Seal("a");
        CommitGroupId second = world.Seal("b");
        world.Journal.Complete(second, onDevice: true);
        world.Journal.Complete(first, onDevice: true);
        world.Journal.Writes.Should().Be(1);
        JournalWorld.ReadResult read = world.Read();
        read.Bodies.Should().Equal("a", "b");
        read.Marks[1].Position.Offset.Should().Be(
            FormatConstants.ChunkBodyOffset + 104, "the second record follows at the next multiple of 8");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Many_callers_share_writes_and_all_are_there(bool mixed)
    {
        const int Callers = 8;
        const int Each = 400;
        using JournalWorld world = new();
        world.Open(background: true);
        object writer = new();
        long id = 0;
        Thread[] threads = [.. Enumerable.Range(0, Callers).Select(caller => new Thread(() =>
        {
            for (int i = 0; i < Each; i++)
            {
                CommitGroupId ticket;
                long mine;
                lock (writer)
                {
                    mine = ++id;
                    byte[] body = System.Text.Encoding.UTF8.GetBytes($"{mine}");
                    ticket = world.Journal.Seal(new TransactionId(mine), RecordFlags.Commit, body, 0, 0);
                }

                bool durable = !mixed || (i + caller) % 3 == 0;
                world.Journal.Complete(ticket, durable);
                (durable ? world.Listener.Durable : world.Listener.Written).Should().BeGreaterThanOrEqualTo(mine);
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        world.Journal.Flush();
        world.Listener.WentBack.Should().BeFalse();
        world.Listener.Durable.Should().Be(Callers * Each);
        world.Read().Bodies.Should().Equal(Enumerable.Range(1, Callers * Each).Select(i => $"{i}"));
    }

    [Fact]
    public void A_record_never_reaches_beyond_its_chunk_however_callers_interleave()
    {
        // One thread seals, the others take away whatever it has sealed, so that places move under its feet near the end of the chunk.
        for (int round = 0; round < 300; round++)
        {
            using JournalWorld world = new();
            world.Open();
            bool done = false;
            Thread[] threads = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
            {
                while (!Volatile.Read(ref done))
                {
                    world.Journal.Flush();
                }
            }))];
            Array.ForEach(threads, thread => thread.Start());
            byte[] body = new byte[900];
            for (int i = 0; i < 120; i++)
            {
                world.Seal(body);
            }

            Volatile.Write(ref done, true);
            Array.ForEach(threads, thread => thread.Join());
            world.Journal.Flush();
            world.Read().Bodies.Should().HaveCount(120);
        }
    }

    [Fact]
    public void Flush_makes_buffered_commits_durable_in_every_chunk()
    {
        using JournalWorld world = new();
        world.Open();
        for (int i = 0; i < 30; i++)
        {
            world.Commit(new byte[8000], durable: false);
        }

        world.Listener.Durable.Should().Be(0);
        world.Journal.Flush();
        world.Listener.Durable.Should().Be(30);
        world.Listener.Durable.Should().Be(30);
        world.Journal.Syncs.Should().BeGreaterThan(1);
        long syncs = world.Journal.Syncs;
        world.Journal.Flush();
        world.Journal.Syncs.Should().Be(syncs);
    }

    [Fact]
    public void Durable_waits_for_a_record_that_already_left_without_a_flush()
    {
        using JournalWorld world = new();
        world.Open();
        CommitGroupId first = world.Seal("a");
        CommitGroupId second = world.Seal("b");
        world.Journal.Complete(second, onDevice: false);
        world.Listener.Durable.Should().Be(0);
        world.Journal.Complete(first, onDevice: true);
        world.Listener.Durable.Should().Be(2);
        world.Journal.Syncs.Should().Be(1);
        world.Journal.Writes.Should().Be(1);
    }

    [Fact]
    public void Sealing_more_than_the_buffer_takes_writes_out_what_is_there()
    {
        using JournalWorld world = new();
        world.Open();
        for (uint i = 0; i < 12; i++)
        {
            world.SealFragment(new byte[1 << 20], i);
        }

        world.Journal.Writes.Should().BePositive();
        world.Journal.Complete(world.Seal([1], 12), onDevice: true);
        world.Read().Bodies.Should().ContainSingle().Which.Length.Should().Be((12 << 20) + 1);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_commit_allocates_nothing(bool durable)
    {
        using JournalWorld world = new();
        world.Open();
        byte[] body = new byte[500];
        for (int i = 0; i < 20; i++)
        {
            world.Commit(body, durable);
        }

        // Enough room for what follows, so that no roll-over is among it.
        while (world.Listener.DurableMark.Position.Sequence + world.Listener.WrittenMark.Position.Sequence < 8)
        {
            world.Commit(body, durable);
            world.Journal.Flush();
        }

        Allocations.Least(() => world.Commit(body, durable), rounds: 10).Should().Be(0);
    }

    [Fact]
    public void Recycled_chunks_go_and_those_large_enough_become_spares_and_are_used_again()
    {
        using JournalWorld world = new();
        world.Open();
        for (int i = 0; i < 40; i++)
        {
            world.Commit(new byte[12000]);
        }

        world.Sequences.Count.Should().Be(4);
        world.Dispose();
        world.Open(world.Listener.DurableMark);
        world.Commit("in a small chunk again");
        world.Journal.Recycle(world.Listener.DurableMark.Position, pace: null);
        world.Sequences.Should().Equal(5);
        world.SpareCount.Should().Be(2, "two of the old chunks are as long as the next one will be");
        world.Journal.JournalBytes.Should().Be(world.Disk.Files.Values.Sum(file => (long)file.Length));
        world.Disk.Calls = [];
        RecordMark mark = world.Listener.DurableMark;
        world.Commit(new string('x', 70_000));
        world.Disk.Calls.Should().Equal(
            "open spare", "write spare", "sync spare", "rename 0000000000000006.commit", "syncdir journal",
            "open 0000000000000006.commit", "through 0000000000000006.commit");
        world.SpareCount.Should().Be(1);
        world.Read(mark).Bodies.Should().ContainSingle().Which.Length.Should().Be(70_000);
    }

    [Theory]
    [InlineData(3, 9)]
    [InlineData(1, 2)]
    public void Chunks_are_kept_for_a_load_that_goes_on_and_few_after_one_that_has_ended(int inUse, int spares)
    {
        using JournalWorld world = new();
        world.Open(maxChunkBytes: FormatConstants.MinChunkBytes);
        RecordMark needed = default;
        while (world.Sequences.Count < 9 + inUse)
        {
            world.Commit(new byte[12_000]);
            needed = world.Sequences.Count <= 10 ? world.Listener.DurableMark : needed;
        }

        world.Journal.Recycle(needed.Position, BackgroundPace.Alone()).Should().BeNull();
        world.Sequences.Count.Should().Be(inUse);
        world.SpareCount.Should().Be(spares);
    }

    [Theory]
    [InlineData("nothing", 7)]
    [InlineData("cut", 3)]
    [InlineData("open", 0)]
    [InlineData("delete", 7)]
    public void A_long_chunk_is_deleted_in_pieces_and_at_once_where_that_fails(string refused, int cuts)
    {
        using JournalWorld world = new();
        world.Open(maxChunkBytes: 256 << 10);
        while (world.Sequences.Count < 7)
        {
            world.Commit(new byte[60_000]);
        }

        world.Disk.Calls = [];
        world.Disk.Fault = (operation, _) => operation == refused ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        StorageException? refusal = world.Journal.Recycle(world.Listener.DurableMark.Position, BackgroundPace.Alone());
        world.Disk.Fault = null;
        world.Disk.Calls.Count(static call => call == "cut spare").Should().Be(cuts);
        (refusal is not null).Should().Be(refused == "delete");
        world.Journal.Recycle(world.Listener.DurableMark.Position, BackgroundPace.Alone()).Should().BeNull();
        world.Sequences.Should().Equal(7);
        world.Read(world.Listener.DurableMark).Bodies.Should().BeEmpty();
    }

    [Fact]
    public void A_ready_chunk_too_small_for_a_record_leaves_no_trace()
    {
        using JournalWorld world = new();
        world.Open(background: true);
        world.Commit("a");
        SpinWait.SpinUntil(() => world.Sequences.Count == 2);
        world.Commit(new string('x', 300_000));
        world.Listener.DurableMark.Position.Sequence.Should().Be(3);
        world.Sequences.Should().NotContain(2);
        world.Read().Bodies.Should().HaveCount(2);
    }

    [Fact]
    public void A_closed_journal_keeps_every_chunk_that_holds_a_record()
    {
        JournalWorld world = new();
        world.Open(background: true);
        world.Commit("a");
        world.Dispose();
        world.Sequences.Should().Equal(1);
        world.Open(background: true);
        world.Dispose();
        world.Sequences.Should().Equal(1);
        world.Read().Bodies.Should().Equal("a");
    }

    [Fact]
    public void An_unused_prepared_chunk_goes_back_when_the_journal_closes()
    {
        JournalWorld world = new();
        for (int i = 0; i < 5; i++)
        {
            world.Open(background: true);
            world.Dispose();
        }

        world.Disk.Files.Should().BeEmpty("opening and closing leaves no trail of empty chunks");
    }

    [Fact]
    public void A_durable_commit_is_not_written_without_the_device_by_a_buffered_one_beside_it()
    {
        using JournalWorld world = new();
        world.Open();
        CommitGroupId buffered = world.Seal("a");
        CommitGroupId durable = world.Journal.Seal(new TransactionId(world.NextId), RecordFlags.Commit, "b"u8, 0, 0, onDevice: true);
        world.Journal.Complete(buffered, onDevice: false);
        world.Listener.Written.Should().Be(2);
        world.Listener.Durable.Should().Be(2, "what can be seen and was to be durable is durable");
        world.Journal.Complete(durable, onDevice: true);
    }
}
