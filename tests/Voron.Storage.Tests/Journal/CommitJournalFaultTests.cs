using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Platform;
using Xunit;

namespace Voron.Storage.Tests.Journal;

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
        CommitTicket b = world.Seal("b");
        CommitTicket c = world.Seal("c");
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
        Thread Start(CommitTicket ticket)
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
