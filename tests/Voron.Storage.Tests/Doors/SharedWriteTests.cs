using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Small writes of many callers in few transactions.</summary>
public sealed class SharedWriteTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Many_callers_share_transactions_and_each_gets_its_own_result()
    {
        const int Tasks = 64;
        const int Each = 50;
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            await Task.WhenAll(Enumerable.Range(0, Tasks).Select(task => Task.Run(async () =>
            {
                for (int i = 0; i < Each; i++)
                {
                    int key = (task * Each) + i;
                    int result = await environment.WriteAsync(
                        static (tx, key) =>
                        {
                            tx.OpenTree(Sample.Tree).Put(Sample.Key(key), Sample.Value(20, key));
                            return key + 1;
                        },
                        key);
                    result.Should().Be(key + 1);
                    using ReadTransaction read = environment.BeginRead();
                    read.OpenTree(Sample.Tree).Contains(Sample.Key(key)).Should().BeTrue("the caller was told that it is committed");
                }
            }))).WaitAsync(Long);
            environment.GetReport().JournalWrites.Should().BeLessThan(Tasks * Each / 2);
            Sample.Expect(environment, Tasks * Each);
            environment.Database.Abandon();
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        Sample.Expect(again, Tasks * Each);
    }

    [Fact]
    public async Task An_action_that_throws_fails_alone()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        List<Task> all = await QueueAsync(environment, 60, static (tx, i) =>
        {
            Tree tree = tx.OpenTree(Sample.Tree);
            tree.Put(Sample.Key(i), Sample.Value(20, i));
            if (i % 3 == 2)
            {
                tx.OpenTree($"half-way {i}").Put("k"u8, "v"u8);
                tree.DeleteRange(Sample.Key(0), Sample.Key(i));
                throw new InvalidTimeZoneException("mine " + i);
            }
        });
        for (int i = 0; i < all.Count; i++)
        {
            Exception? error = await Record.ExceptionAsync(() => all[i].WaitAsync(Long));
            if (i % 3 == 2)
            {
                error.Should().BeOfType<InvalidTimeZoneException>().Which.Message.Should().Be("mine " + i);
            }
            else
            {
                error.Should().BeNull();
            }
        }

        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().Equal(Sample.Tree);
        read.OpenTree(Sample.Tree).Count.Should().Be(40);
        environment.GetReport().Commits.Should().Be(1, "they waited together");
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public async Task Ending_the_transaction_inside_is_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction kept = default;
        Action<WriteTransaction>[] ends =
        [
            tx => tx.Commit(), tx => tx.Dispose(), tx => _ = tx.CommitAsync().AsTask(), tx => tx.Commit(CommitMode.Lazy),
        ];
        foreach (Action<WriteTransaction> end in ends)
        {
            Func<Task> write = async () => await environment.WriteAsync(tx =>
            {
                kept = tx;
                tx.OpenTree("t").Put("k"u8, "v"u8);
                end(tx);
            });
            (await write.Should().ThrowAsync<InvalidOperationException>()).Which.Message.Should().Contain("WriteAsync");
            ((Action)(() => kept.OpenTree("t"))).Should().Throw<ObjectDisposedException>();
        }

        environment.GetReport().Commits.Should().Be(0);
        await environment.WriteAsync(tx => tx.OpenTree("t").Put("k"u8, "v"u8), TestContext.Current.CancellationToken);
        environment.GetReport().Commits.Should().Be(1);
    }

    [Fact]
    public async Task Who_gives_up_in_time_is_left_out()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using CancellationTokenSource cancel = new();
        WriteTransaction open = environment.BeginWrite();
        Task given = environment.WriteAsync(static tx => tx.OpenTree("given up"), cancel.Token).AsTask();
        Task patient = environment.WriteAsync(static tx => tx.OpenTree("patient"), CancellationToken.None).AsTask();
        await cancel.CancelAsync();
        await ((Func<Task>)(() => given.WaitAsync(Long))).Should().ThrowAsync<OperationCanceledException>();
        Func<Task> already = async () => await environment.WriteAsync(static tx => tx.OpenTree("x"), new CancellationToken(true));
        await already.Should().ThrowAsync<OperationCanceledException>();
        open.Dispose();
        await patient.WaitAsync(Long);
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().Equal("patient");
    }

    [Fact]
    public async Task A_failed_journal_write_is_told_to_all_and_later_ones_are_refused()
    {
        using WatchedDisk disk = new();
        StorageEnvironment environment = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false },
        });
        Sample.Put(environment, 0, 1);
        disk.OnCommitWrite = static () => new IoError(IoErrorKind.Device, 5);
        List<Task> all = await QueueAsync(environment, 5, static (tx, i) => tx.OpenTree("t").Put(Sample.Key(i), "v"u8));
        foreach (Task task in all)
        {
            await ((Func<Task>)(() => task.WaitAsync(Long))).Should().ThrowAsync<CommitOutcomeUnknownException>();
        }

        Func<Task> late = async () => await environment.WriteAsync(static tx => tx.OpenTree("t"));
        await late.Should().ThrowAsync<StoragePoisonedException>();
        disk.OnCommitWrite = null;
        environment.Dispose();
        Func<Task> closed = async () => await environment.WriteAsync(static tx => tx.OpenTree("t"));
        await closed.Should().ThrowAsync<ObjectDisposedException>();
    }

    /// <summary>All wait behind an open transaction, so that they run in one.</summary>
    private static async Task<List<Task>> QueueAsync(StorageEnvironment environment, int count, Action<WriteTransaction, int> action)
    {
        WriteTransaction open = await environment.BeginWriteAsync();
        List<Task> all = [];
        for (int i = 0; i < count; i++)
        {
            all.Add(environment.WriteAsync(action, i).AsTask());
        }

        open.Dispose();
        return all;
    }
}
