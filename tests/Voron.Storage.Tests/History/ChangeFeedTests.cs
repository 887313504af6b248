using System.Buffers;
using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.History;

public sealed class ChangeFeedTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    /// <summary>Fragments and placed values are so short that most transactions have some.</summary>
    [Theory]
    [InlineData(1, null)]
    [InlineData(2, null)]
    [InlineData(3, 500)]
    [InlineData(4, 3000)]
    [InlineData(5, 50_000)]
    public async Task A_follower_is_equal_after_random_transactions(int seed, int? fragmentBytes)
    {
        using Follower follower = new();
        using StorageEnvironment source = Open(fragmentBytes);
        HistoryWorkload workload = new(seed, largestValue: 60_000);
        for (int round = 0; round < 5; round++)
        {
            workload.Run(source, 60);
            source.Flush();
            await follower.FollowAsync(source, Newest(source));
            follower.Expect(source);
        }

        follower.Sets.Should().BeGreaterThan(200);
    }

    /// <summary>The values are read before a later transaction can use their pages again.</summary>
    [Theory]
    [InlineData(11, null)]
    [InlineData(12, 2000)]
    public async Task Large_values_are_read_from_their_places(int seed, int? fragmentBytes)
    {
        using Follower follower = new();
        using StorageEnvironment source = Open(fragmentBytes);
        HistoryWorkload workload = new(seed);
        for (int round = 0; round < 60; round++)
        {
            long before = Newest(source);
            workload.Run(source, 1);
            source.Flush();
            if (Newest(source) > before)
            {
                await follower.FollowAsync(source, Newest(source));
            }
        }

        follower.Expect(source);
    }

    [Fact]
    public async Task A_live_feed_follows_writers_beside_checkpoints()
    {
        using Follower follower = new();
        using StorageEnvironment source = Open(20_000);
        using CancellationTokenSource stop = new();
        Task following = Task.Run(async () =>
        {
            await foreach (ChangeSet set in source.ReadChangesAsync(0, null, stop.Token))
            {
                follower.Take(set);
            }
        });
        HistoryWorkload workload = new(21, largestValue: 30_000);
        for (int round = 0; round < 40; round++)
        {
            workload.Run(source, 20);
            source.Flush();
            while (follower.Seen < Newest(source))
            {
                following.IsCompleted.Should().BeFalse(following.Exception?.ToString());
                await Task.Delay(1);
            }

            source.Checkpoint();
        }

        await stop.CancelAsync();
        await FluentActions.Awaiting(() => following).Should().ThrowAsync<OperationCanceledException>();
        follower.Expect(source);
    }

    [Fact]
    public async Task A_feed_goes_on_where_it_was_after_a_kill_and_a_close()
    {
        using Follower follower = new();
        HistoryWorkload workload = new(31, largestValue: 30_000);
        for (int round = 0; round < 6; round++)
        {
            StorageEnvironment source = Open(round % 2 == 0 ? null : 1000);
            workload.Run(source, 40);
            source.Flush();
            await follower.FollowAsync(source, Newest(source));
            follower.Expect(source);
            if (round % 2 == 0)
            {
                source.Database.Abandon();
            }
            else
            {
                source.Dispose();
            }
        }
    }

    [Fact]
    public async Task What_is_gone_is_a_typed_error_that_names_where_to_go_on()
    {
        using StorageEnvironment source = Open(null);
        Sample.Put(source, 0, 1000, 100);
        for (int i = 0; i < 30; i++)
        {
            Sample.Put(source, 0, 1000, 100);
            source.Checkpoint();
        }

        ChangesGoneException gone = (await FluentActions.Awaiting(() => FirstAfter(source, 1)).Should().ThrowAsync<ChangesGoneException>())
            .Which;
        gone.Oldest.Should().BeInRange(2, 31);
        if (gone.Oldest < 31)
        {
            (await FirstAfter(source, gone.Oldest)).Should().Be(gone.Oldest + 1);
        }
    }

    [Fact]
    public async Task A_replaced_large_value_whose_pages_are_used_again_is_gone_and_never_shown_as_something_else()
    {
        using StorageEnvironment source = Open(null);
        for (int i = 0; i < 6; i++)
        {
            using WriteTransaction transaction = source.BeginWrite();
            transaction.OpenTree("t").Put("k"u8, Sample.Value(2_000_000, i));
            transaction.Commit();
        }

        Func<Task> reading = async () =>
        {
            await foreach (ChangeSet set in source.ReadChangesAsync(0))
            {
                foreach (Change change in set.Where(static change => change.Kind == ChangeKind.Put))
                {
                    change.Value.ToArray().Should().Equal(Sample.Value(2_000_000, (int)set.TransactionId - 1));
                }

                if (set.TransactionId == 6)
                {
                    break;
                }
            }
        };
        (await reading.Should().ThrowAsync<ChangesGoneException>()).Which.Oldest.Should().BeInRange(1, 5);
    }

    [Fact]
    public async Task A_filter_shows_what_touches_it()
    {
        using StorageEnvironment source = Open(null);
        Commit(source, static tx => tx.OpenTree("a").Put("user:1"u8, "1"u8));
        Commit(source, static tx => tx.OpenTree("b").Put("user:1"u8, "1"u8));
        Commit(source, static tx =>
        {
            tx.OpenTree("a").Put("other"u8, "1"u8);
            tx.OpenTree("a").Put("user:2"u8, "2"u8);
            tx.OpenTree("a").Delete("other"u8);
        });
        Commit(source, static tx => tx.OpenTree("a").DeleteRange("a"u8, "z"u8));
        Commit(source, static tx => tx.RenameTree("b", "c"));
        Commit(source, static tx => tx.RenameTree("c", "b"));
        Commit(source, static tx => tx.DropTree("a"));
        Commit(source, static tx => tx.RenameTree("b", "a"));
        List<string> shown = [];
        await foreach (ChangeSet set in source.ReadChangesAsync(
            0, new ChangeFilter { Trees = ["a"], Prefix = "user:"u8.ToArray() }, TestContext.Current.CancellationToken))
        {
            foreach (Change change in set)
            {
                string key = Encoding.UTF8.GetString(change.Key);
                shown.Add($"{set.TransactionId} {change.Kind} {change.Tree} {key} {Encoding.UTF8.GetString(change.Value)}");
            }

            if (set.TransactionId == 8)
            {
                break;
            }
        }

        shown.Should().Equal(
            "1 CreateTree a  ",
            "1 Put a user:1 1",
            "3 Put a user:2 2",
            "4 DeleteRange a user: user;",
            "7 DropTree a  ",
            "8 RenameTree b  a");
    }

    [Fact]
    public async Task A_long_transaction_is_read_again_part_by_part()
    {
        using StorageEnvironment source = Open(100_000);
        using (WriteTransaction transaction = source.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            for (int i = 0; i < 400; i++)
            {
                Savepoint before = transaction.CreateSavepoint();
                tree.Put(Sample.Key(i), Sample.Value(50_000, i));
                if (i % 4 == 0)
                {
                    transaction.RollbackTo(before);
                }

                transaction.Release(before);
            }

            transaction.Commit();
        }

        using Follower follower = new();
        await follower.FollowAsync(source, 1);
        follower.Expect(source);
    }

    [Fact]
    public async Task Wrong_places_and_ends_are_told()
    {
        StorageEnvironment source = Open(null);
        Sample.Put(source, 0, 10);
        FluentActions.Invoking(() => source.ReadChangesAsync(2)).Should().Throw<ArgumentOutOfRangeException>();
        FluentActions.Invoking(() => source.ReadChangesAsync(-1)).Should().Throw<ArgumentOutOfRangeException>();
        Task<long> waiting = FirstAfter(source, 1);
        await Task.Delay(20);
        waiting.IsCompleted.Should().BeFalse();
        source.Dispose();
        await FluentActions.Awaiting(() => waiting).Should().ThrowAsync<ObjectDisposedException>();
        FluentActions.Invoking(() => source.ReadChangesAsync(0)).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public async Task A_set_is_read_any_number_of_times_until_the_next_one()
    {
        using StorageEnvironment source = Open(null);
        Sample.Put(source, 0, 10);
        Sample.Put(source, 0, 5);
        await using IAsyncEnumerator<ChangeSet> feed = source.ReadChangesAsync(0).GetAsyncEnumerator();
        await feed.MoveNextAsync();
        ChangeSet first = feed.Current;
        first.Count().Should().Be(11);
        first.Count().Should().Be(11);
        await feed.MoveNextAsync();
        FluentActions.Invoking(() => first.Count()).Should().Throw<InvalidOperationException>();
        feed.Current.Count().Should().Be(5);
    }

    private static long Newest(StorageEnvironment environment) => environment.GetReport().LastTransactionId;

    private static async Task<long> FirstAfter(StorageEnvironment environment, long after)
    {
        await foreach (ChangeSet set in environment.ReadChangesAsync(after))
        {
            return set.TransactionId;
        }

        return 0;
    }

    private static void Commit(StorageEnvironment environment, Action<WriteTransaction> action)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        action(transaction);
        transaction.Commit();
    }

    private StorageEnvironment Open(int? fragmentBytes) => StorageEnvironment.Open(_folder.Path, new StorageOptions
    {
        Engine = new EngineSettings { FragmentBytes = fragmentBytes },
    });
}
