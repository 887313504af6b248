using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Calls at the wrong time, callbacks that throw, threads that are interrupted: typed errors, and everything goes on.</summary>
public sealed class BadCallTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(CommitMode.Durable)]
    [InlineData(CommitMode.Buffered)]
    [InlineData(CommitMode.Lazy)]
    public async Task A_second_commit_in_whatever_way_is_refused(CommitMode mode)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        tree.Put(Sample.Key(0), Sample.Value(20, 0));
        transaction.Commit(mode);
        ((Action)(() => transaction.Commit(mode))).Should().Throw<ObjectDisposedException>();
        await ((Func<Task>)(async () => await transaction.CommitAsync(mode))).Should().ThrowAsync<ObjectDisposedException>();
        ((Action)(() => tree.Put("k"u8, "v"u8))).Should().Throw<ObjectDisposedException>();
        transaction.Dispose();
        await transaction.DisposeAsync();
        Sample.Expect(environment, 1);
        environment.GetReport().Commits.Should().Be(1);
    }

    [Fact]
    public async Task Dispose_with_commits_in_flight_lets_them_end()
    {
        for (int round = 0; round < 20; round++)
        {
            using TemporaryFolder folder = new();
            List<Task> commits = [];
            using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
            {
                for (int i = 0; i < 20; i++)
                {
                    using WriteTransaction transaction = environment.BeginWrite();
                    transaction.OpenTree(Sample.Tree).Put(Sample.Key(i), Sample.Value(20, i));
                    commits.Add(transaction.CommitAsync(CommitMode.Durable, CancellationToken.None).AsTask());
                }
            }

            foreach (Task commit in commits)
            {
                await commit.WaitAsync(Long);
            }

            using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
            Sample.Expect(again, 20);
        }
    }

    /// <summary>
    /// The callback runs on the flusher's thread, at an open, in a close and on the finalizer's thread: none of them ends.
    /// </summary>
    [Fact]
    public void A_callback_that_throws_disturbs_nothing()
    {
        using TemporaryFolder folder = new();
        int calls = 0;
        StorageOptions options = new()
        {
            OnEvent = _ =>
            {
                Interlocked.Increment(ref calls);
                throw new InvalidTimeZoneException("a user's mistake");
            },
        };
        for (int i = 0; i < 2; i++)
        {
            using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
            Sample.Put(environment, 0, 10);
            environment.Checkpoint();
            Sample.Expect(environment, 10);
        }

        calls.Should().BeGreaterThanOrEqualTo(2);
    }

    [Fact]
    public void A_failed_checkpoint_is_reported_on_the_flushers_thread_which_survives_a_callback_that_throws()
    {
        using WatchedDisk disk = new();
        using ManualResetEventSlim reported = new();
        using StorageEnvironment environment = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = disk },
            JournalSoftLimitBytes = 64 << 10,

            // Only the flush below writes them.
            LazyWindow = LazyWindow.Default with { Time = TimeSpan.FromMinutes(1) },
            OnEvent = happened =>
            {
                if (happened.Kind == StorageEventKind.CheckpointFailed)
                {
                    reported.Set();
                }

                throw new InvalidTimeZoneException("a user's mistake");
            },
        });
        for (int i = 0; i < 100; i++)
        {
            Sample.Put(environment, i, i + 1, 100, CommitMode.Lazy);
        }

        disk.OnCommitWrite = static () => new IoError(IoErrorKind.Device, 5);
        ((Action)environment.Flush).Should().Throw<CommitOutcomeUnknownException>();
        reported.Wait(Long, TestContext.Current.CancellationToken).Should().BeTrue("the flusher finds the environment poisoned");
    }

    [Fact]
    public void An_exception_of_the_users_code_in_a_transaction_rolls_it_back()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Action work = () =>
        {
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree(Sample.Tree).Load(Throwing());
            transaction.Commit();
        };
        work.Should().Throw<InvalidTimeZoneException>();
        Sample.Expect(environment, 0);
        Sample.Put(environment, 0, 1);
        Sample.Expect(environment, 1);
    }

    /// <summary>
    /// Threads are interrupted at any moment, in waits for the lock and for the device above all. Each commit is there or was refused,
    /// nobody hangs, and the interruption is not lost: the thread's own wait notices.
    /// </summary>
    [Fact]
    public async Task An_interrupted_thread_finishes_what_it_does()
    {
        const int Threads = 4;
        const int Each = 60;
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        int noticed = 0;
        int running = Threads;
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(thread => new Thread(() =>
        {
            for (int i = 0; i < Each; i++)
            {
                int key = (thread * Each) + i;
                Sample.Put(environment, key, key + 1, mode: (CommitMode)(i % 3));
                try
                {
                    Thread.Sleep(0);
                    Thread.Sleep(1);
                }
                catch (ThreadInterruptedException)
                {
                    Interlocked.Increment(ref noticed);
                }
            }

            Interlocked.Decrement(ref running);
        }))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        await Task.Run(
            () =>
            {
                while (Volatile.Read(ref running) > 0)
                {
                    foreach (Thread thread in threads)
                    {
                        thread.Interrupt();
                    }

                    Thread.Yield();
                }
            },
            TestContext.Current.CancellationToken).WaitAsync(Long, TestContext.Current.CancellationToken);
        foreach (Thread thread in threads)
        {
            thread.Join(Long).Should().BeTrue();
        }

        noticed.Should().BeGreaterThan(0);
        environment.Flush();
        Sample.Expect(environment, Threads * Each);
    }

    private static IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Throwing()
    {
        yield return new(Sample.Key(1), Sample.Key(1));
        throw new InvalidTimeZoneException("mine");
    }
}
