using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.Commits;

public class CommitJournalFaultTests
{
    [Fact]
    public void A_full_disk_is_noticed_before_anything_of_the_commit_happened()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("first");
        world.Disk.CapacityBytes = world.Disk.Files.Values.Sum(file => (long)file.Length);
        int commits = 1;
        Action fill = () =>
        {
            for (; commits < 1000; commits++)
            {
                world.Commit(new byte[3000]);
            }
        };
        for (int attempt = 0; attempt < 3; attempt++)
        {
            fill.Should().Throw<StorageFullException>();
            world.FailStop.IsPoisoned.Should().BeFalse();
        }

        world.Disk.Files.Keys
            .Should().NotContain(path => path.Contains("spare", StringComparison.Ordinal), "half a chunk gives its room back");
        world.Disk.CapacityBytes = long.MaxValue;
        world.Commit("after");
        world.Read().Bodies.Should().HaveCount(commits + 1).And.HaveElementAt(commits, "after");
    }

    [Fact]
    public void Spare_chunks_give_up_their_room_and_two_of_them_stay()
    {
        using JournalWorld world = new();
        world.Open(maxChunkBytes: FormatConstants.MinChunkBytes);
        while (world.Sequences.Count < 12)
        {
            world.Commit(new byte[12_000]);
        }

        world.Journal.Recycle(new JournalPosition(9, 0), pace: null).Should().BeNull();
        world.SpareCount.Should().Be(8);
        world.Disk.OpenFile("/db/other", FileOpening.Create, out IDiskFile? other);
        using (other)
        {
            world.Disk.CapacityBytes = world.Disk.Files.Values.Sum(file => (long)file.Length);
            world.Files.SpareRoom.Allocate(other!, 6 * FormatConstants.MinChunkBytes).Should().Be(IoError.Success);
            world.SpareCount.Should().Be(2);
            world.Files.SpareRoom.Allocate(other!, 7 * FormatConstants.MinChunkBytes).Kind.Should().Be(IoErrorKind.DiskFull);
            world.SpareCount.Should().Be(2);
        }
    }

    [Fact]
    public void A_full_disk_while_preparing_in_the_background_is_no_concern_of_commits_that_fit()
    {
        using JournalWorld world = new();
        world.Disk.CapacityBytes = 64 << 10;
        world.Open(background: true);
        for (int i = 0; i < 15; i++)
        {
            world.Commit("fits");
        }

        Action commit = () => world.Commit("does not");
        commit.Should().Throw<StorageFullException>();
        world.Disk.CapacityBytes = long.MaxValue;
        world.Commit("fits again");
        world.Read().Bodies.Should().HaveCount(16);
    }

    [Theory]
    [InlineData("rename")]
    [InlineData("syncdir")]
    [InlineData("sync")]
    public void A_failed_preparation_leaves_nothing_that_is_used_again(string operation)
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        bool broken = true;
        world.Disk.Fault = (call, _) => broken && call == operation ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        Action commit = () => world.Commit(new string('b', 70_000));
        commit.Should().Throw<StorageIOException>();
        world.FailStop.IsPoisoned.Should().BeFalse();
        broken = false;
        world.Commit(new string('c', 70_000));
        world.Read().Bodies.Select(body => body[0]).Should().Equal('a', 'c');
        world.Listener.DurableMark.Position.Sequence.Should().Be(3, "the sequence of the chunk that failed is spent");
    }

    [Fact]
    public void A_failed_write_poisons_and_its_outcome_is_unknown()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        world.Disk.Fault = static (call, _) => call == "through" ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        CommitGroupId b = world.Seal("b");
        CommitGroupId c = world.Seal("c");
        Action first = () => world.Journal.Complete(b, onDevice: true);
        first.Should().Throw<CommitOutcomeUnknownException>().WithInnerException<StorageIOException>();
        world.Disk.Fault = null;
        Action second = () => world.Journal.Complete(c, onDevice: false);
        second.Should().Throw<CommitOutcomeUnknownException>();
        Action seal = () => world.Seal("d");
        seal.Should().Throw<StoragePoisonedException>();
        world.FailStop.IsPoisoned.Should().BeTrue();
        world.Listener.Written.Should().Be(1);
        world.Disk.Writes.Should().Be(3, "nothing is tried again: two for the chunk, one commit");
    }

    [Fact]
    public void A_failed_sync_of_buffered_commits_poisons()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a", durable: false);
        world.Disk.Fault = static (call, _) => call == "sync" ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        Action flush = world.Journal.Flush;
        flush.Should().Throw<CommitOutcomeUnknownException>();
        world.Disk.Fault = null;
        flush.Should().Throw<CommitOutcomeUnknownException>("a failed sync is never believed later");
        world.Listener.Durable.Should().Be(0);
    }

    /// <summary>Chunks that buffered commits have filled are synced a few at a time; when that fails, nobody knows what is there.</summary>
    [Fact]
    public void A_failed_sync_of_full_chunks_poisons()
    {
        using JournalWorld world = new();
        FailStop failStop = new();
        using CommitJournal journal = new(
            world.Files, world.Read().Start, failStop, new RecordingListener(), background: false, FormatConstants.MinChunkBytes);
        world.Disk.Fault = static (call, path) => call == "sync" && path.EndsWith(".commit", StringComparison.Ordinal)
            ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        int commits = 0;
        Action fill = () =>
        {
            for (; commits < 1000; commits++)
            {
                journal.Complete(journal.Seal(new TransactionId(commits + 1), RecordFlags.Commit, new byte[20_000], 0, 0), onDevice: false);
            }
        };
        fill.Should().Throw<StorageException>();
        failStop.FirstError.Should().BeOfType<StorageIOException>();
        commits.Should().BeInRange(30, 100, "two or three fill a chunk, and sixteen chunks may wait");
    }

    [Fact]
    public void A_chunk_that_could_not_be_filled_in_the_background_is_made_by_the_commit_that_needs_it()
    {
        using JournalWorld world = new();
        int failed = 0;
        world.Disk.Fault = (call, path) => call == "direct" && path.Contains("spare", StringComparison.Ordinal)
            && Interlocked.Increment(ref failed) <= 2 ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        world.Open(background: true).Chunks.Prepare();
        SpinWait.SpinUntil(() => Volatile.Read(ref failed) > 0, TimeSpan.FromSeconds(30)).Should().BeTrue();
        int given = 0;
        while (Volatile.Read(ref failed) < 2 && given < 3)
        {
            Action commit = () => world.Commit("not yet");
            commit.Should().Throw<StorageIOException>();
            given++;
        }

        world.Commit("a");
        world.FailStop.IsPoisoned.Should().BeFalse();
        world.Read().Bodies.Should().Equal("a");
    }

    [Fact]
    public void A_journal_that_made_no_chunk_has_no_last_one()
    {
        using JournalWorld world = new();
        world.Open().Chunks.LastSequence.Should().Be(0);
        world.Commit("a");
        world.Journal.Chunks.LastSequence.Should().Be(1);
    }

    /// <summary>Whoever closes the journal waits for the write in flight, and whoever waits for that write is told how it ended.</summary>
    [Fact]
    public void A_close_waits_for_the_write_in_flight()
    {
        JournalWorld world = JournalWorld.With("a");
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        world.Disk.Fault = (call, _) =>
        {
            if (call == "through")
            {
                entered.Set();
                release.Wait();
            }

            return IoError.Success;
        };
        CommitGroupId ticket = world.Seal("b");
        Thread writer = new(() => world.Journal.Complete(ticket, onDevice: true));
        writer.Start();
        entered.Wait(TestContext.Current.CancellationToken);
        Thread closer = new(world.Journal.Dispose);
        closer.Start();
        SpinWait.SpinUntil(() => closer.ThreadState == ThreadState.WaitSleepJoin, TimeSpan.FromSeconds(30)).Should().BeTrue();
        release.Set();
        writer.Join();
        closer.Join();
        world.Listener.Durable.Should().Be(2);
        world.Read().Bodies.Should().Equal("a", "b");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_awaits_the_device_for_what_was_written_without_it_is_told(bool fails)
    {
        using JournalWorld world = new();
        world.Open(background: true);
        world.Commit("a", durable: false);
        world.Listener.Durable.Should().Be(0);
        bool isBroken = fails;
        world.Disk.Fault = (call, path) => isBroken && call == "sync" && path.EndsWith(".commit", StringComparison.Ordinal)
            ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        Func<Task> flush = () => world.Journal.FlushAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(30));
        if (fails)
        {
            await flush.Should().ThrowAsync<CommitOutcomeUnknownException>();
            await flush.Should().ThrowAsync<CommitOutcomeUnknownException>("it is never tried again");
        }
        else
        {
            await flush();
            await flush();
        }

        world.Listener.Durable.Should().Be(fails ? 0 : 1);
    }

    /// <summary>The write in flight goes without the device: who needs more is served after it.</summary>
    [Fact]
    public async Task Who_awaits_the_device_during_a_write_without_it_gets_a_sync_behind_it()
    {
        using JournalWorld world = JournalWorld.With("a");
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        world.Disk.Fault = (call, path) =>
        {
            if (call is "write" && path.EndsWith(".commit", StringComparison.Ordinal))
            {
                entered.Set();
                release.Wait();
            }

            return IoError.Success;
        };
        CommitGroupId ticket = world.Seal("b");
        Thread writer = new(() => world.Journal.Complete(ticket, onDevice: false));
        writer.Start();
        entered.Wait(TestContext.Current.CancellationToken);
        Task flush = world.Journal.FlushAsync().AsTask();
        flush.IsCompleted.Should().BeFalse();
        release.Set();
        await flush.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        writer.Join();
        world.Listener.Durable.Should().Be(2);
    }

    [Fact]
    public void All_waiters_of_a_failed_write_learn_of_it()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        world.Disk.Fault = (call, _) =>
        {
            if (call != "through")
            {
                return IoError.Success;
            }

            entered.Set();
            release.Wait();
            return new IoError(IoErrorKind.Device, 5);
        };
        int unknown = 0;
        int started = 0;
        Thread Start(CommitGroupId ticket)
        {
            Thread thread = new(() =>
            {
                Interlocked.Increment(ref started);
                try
                {
                    world.Journal.Complete(ticket, onDevice: true);
                }
                catch (CommitOutcomeUnknownException)
                {
                    Interlocked.Increment(ref unknown);
                }
            });
            thread.Start();
            return thread;
        }

        List<Thread> threads = [Start(world.Seal("first"))];
        entered.Wait();
        for (int i = 0; i < 4; i++)
        {
            threads.Add(Start(world.Seal("next")));
        }

        SpinWait.SpinUntil(() => Volatile.Read(ref started) == threads.Count);
        release.Set();
        threads.ForEach(thread => thread.Join());
        unknown.Should().Be(5);
    }
}
