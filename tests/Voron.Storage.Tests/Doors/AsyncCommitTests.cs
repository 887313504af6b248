using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Tests.Commits;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Commits that nobody waits for with a thread, and commits of many threads at once.</summary>
public sealed class AsyncCommitTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(CommitMode.Durable)]
    [InlineData(CommitMode.Buffered)]
    public async Task Sealed_in_order_published_in_order_and_there_after_a_kill(CommitMode mode)
    {
        const int Count = 500;
        using TemporaryFolder killed = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            List<ValueTask> flying = [];
            for (int i = 0; i < Count; i++)
            {
                WriteTransaction transaction = environment.BeginWrite();
                transaction.OpenTree(Sample.Tree).Put(Sample.Key(i), Sample.Value(20, i));
#pragma warning disable CA2012 // Many commits are in flight together; each is awaited once, by All.
                flying.Add(transaction.CommitAsync(mode, TestContext.Current.CancellationToken));
#pragma warning restore CA2012
                transaction.Dispose();
                if (flying.Count == 64)
                {
                    await All(flying);
                    LastTransaction(environment).Should().Be(i + 1);
                }
            }

            await All(flying);
            environment.GetReport().JournalWrites.Should().BeLessThan(Count, "commits share writes");
            TemporaryFolder.Copy(_folder.Path, killed.Path);
            Sample.Expect(environment, Count);
        }

        using StorageEnvironment recovered = StorageEnvironment.Open(killed.Path);
        Sample.Expect(recovered, Count);
    }

    [Fact]
    public async Task Threads_that_commit_at_once_share_writes_and_see_their_own_commits()
    {
        const int Threads = 8;
        const int Each = 60;
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Task[] tasks = [.. Enumerable.Range(0, Threads).Select(thread => Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; i < Each; i++)
                {
                    int key = (thread * Each) + i;
                    long id;
                    using (WriteTransaction transaction = environment.BeginWrite())
                    {
                        id = transaction.TransactionId;
                        transaction.OpenTree(Sample.Tree).Put(Sample.Key(key), Sample.Value(20, key));
                        transaction.Commit(i % 5 == 4 ? CommitMode.Buffered : CommitMode.Durable);
                    }

                    using ReadTransaction read = environment.BeginRead();
                    read.TransactionId.Should().BeGreaterThanOrEqualTo(id, "who has committed sees it");
                }
            },
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default))];
        await Task.WhenAll(tasks);
        Sample.Expect(environment, Threads * Each);
        environment.GetReport().Commits.Should().Be(Threads * Each);
    }

    [Fact]
    public async Task Synchronous_asynchronous_and_started_commits_mix()
    {
        const int Rounds = 40;
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(kind => Task.Run(
            async () =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    int puts = kind == 0 ? 40 : 1;
                    ValueTask completion = default;
                    using (WriteTransaction transaction = environment.BeginWrite())
                    {
                        Tree tree = transaction.OpenTree($"tree {kind}");
                        for (int i = 0; i < puts; i++)
                        {
                            tree.Put(Sample.Key((round * puts) + i), Sample.Value(30, i));
                        }

                        if (kind < 2)
                        {
                            transaction.Commit();
                        }
                        else
                        {
                            completion = transaction.CommitAsync(kind == 2 ? CommitMode.Durable : CommitMode.Buffered);
                        }
                    }

                    await completion;
                }
            },
            TestContext.Current.CancellationToken))];
        await Task.WhenAll(tasks);
        using ReadTransaction read = environment.BeginRead();
        for (int kind = 0; kind < 4; kind++)
        {
            read.TryOpenTree($"tree {kind}", out ReadTree tree).Should().BeTrue();
            tree.Count.Should().Be(Rounds * (kind == 0 ? 40 : 1));
        }
    }

    [Fact]
    public async Task A_token_that_is_cancelled_before_commits_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree(Sample.Tree).Put(Sample.Key(0), Sample.Value(20, 0));
        Func<Task> commit = async () => await transaction.CommitAsync(cancellationToken: new CancellationToken(canceled: true));
        await commit.Should().ThrowAsync<OperationCanceledException>();
        Sample.Expect(environment, 0);
        await transaction.CommitAsync(cancellationToken: TestContext.Current.CancellationToken);
        Sample.Expect(environment, 1);
        commit = async () => await transaction.CommitAsync();
        await commit.Should().ThrowAsync<ObjectDisposedException>();
    }

    [Fact]
    public async Task Every_commit_of_a_failed_write_learns_of_it()
    {
        using JournalWorld world = new();
        world.Open();
        world.Commit("a");
        world.Disk.Fault = static (call, _) => call == "through" ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        Task[] tasks = new Task[3];
        for (int i = 0; i < tasks.Length; i++)
        {
            tasks[i] = world.Journal.CompleteAsync(world.Seal("b"), onDevice: true).AsTask();
            if (world.FailStop.IsPoisoned)
            {
                tasks = tasks[..(i + 1)];
                break;
            }
        }

        foreach (Task task in tasks)
        {
            Func<Task> wait = () => task;
            await wait.Should().ThrowAsync<CommitOutcomeUnknownException>();
        }

        Func<Task> late = () => world.Journal.CompleteAsync(new Storage.Commits.CommitGroupId(99), onDevice: true).AsTask();
        await late.Should().ThrowAsync<CommitOutcomeUnknownException>();
    }

    [Fact]
    public async Task What_nobody_wrote_before_the_journal_closed_fails_and_does_not_hang()
    {
        JournalWorld world = new();
        world.Open();
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        world.Disk.Fault = (call, _) =>
        {
            if (call == "through")
            {
                entered.Set();
                release.Wait(TestContext.Current.CancellationToken);
            }

            return IoError.Success;
        };
        Task first = world.Journal.CompleteAsync(world.Seal("a"), onDevice: true).AsTask();
        entered.Wait(TestContext.Current.CancellationToken);
        Task second = world.Journal.CompleteAsync(world.Seal("b"), onDevice: true).AsTask();
        Task closing = Task.Run(world.Dispose, TestContext.Current.CancellationToken);
        release.Set();
        await closing;
        await first;
        Func<Task> wait = () => second;
        if (world.Listener.Written == 1)
        {
            await wait.Should().ThrowAsync<CommitOutcomeUnknownException>();
        }
        else
        {
            await second;
        }
    }

    private static long LastTransaction(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        return read.TransactionId;
    }

    private static async Task All(List<ValueTask> flying)
    {
        foreach (ValueTask task in flying)
        {
            await task;
        }

        flying.Clear();
    }
}
