using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

public sealed class IndexBuildTests
{
    private static readonly IndexBuild Small = new() { RowsPerTransaction = 7 };

    [Fact]
    public async Task A_build_that_is_stopped_again_and_again_goes_on_where_it_was()
    {
        using TemporaryFolder folder = new();
        const int Rows = 60;
        using (StorageEnvironment storage = StorageEnvironment.Open(folder.Path))
        {
            Fill(storage, Rows);
        }

        Random random = new(3);
        Dictionary<long, User> model = Enumerable.Range(0, Rows).ToDictionary(static i => (long)i, static i => Row(i));
        for (int round = 0; ; round++)
        {
            round.Should().BeLessThan(100, "each round gets further");
            using StorageEnvironment storage = StorageEnvironment.Open(folder.Path);

            // Writers before, at and behind the place that the build has come to.
            using (WriteTransaction write = storage.BeginWrite())
            {
                Table<long, User> users = write.OpenTable(Users.Table);
                for (int i = 0; i < 6; i++)
                {
                    Change(users, model, random.Next(Rows + 20));
                }

                users.Check().Should().BeEmpty("in round {0}", round);
                write.Commit();
            }

            using CancellationTokenSource stop = new();
            int left = random.Next(1, 5);
            Progress progress = new(_ =>
            {
                if (--left == 0)
                {
                    stop.Cancel();
                }
            });
            try
            {
                await storage.BuildIndexesAsync(Users.Table, Small, progress, stop.Token);
                break;
            }
            catch (OperationCanceledException)
            {
            }
        }

        using StorageEnvironment last = StorageEnvironment.Open(folder.Path);
        using ReadTransaction end = last.BeginRead();
        ReadTable<long, User> table = end.OpenTable(Users.Table);
        table.Check().Should().BeEmpty();
        table.Count.Should().Be(model.Count);
        table.By(Users.ByEmail).Count.Should().Be(model.Count);
        Users.Ids(table.By(Users.ByTag).Equal("new1")).Should().Equal(
            model.Values.Where(static u => u.Tags.Contains("new1")).Select(static u => u.Id).Order());
        last.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(3_000)]
    public async Task Writers_go_on_beside_a_build(int memoryBytes)
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        Fill(storage, 400);
        Task build = storage.BuildIndexesAsync(Users.Table, new IndexBuild { RowsPerTransaction = 7, MemoryBytes = memoryBytes });
        int writes = 0;
        do
        {
            long id = writes % 450;
            await storage.WriteAsync(
                static (tx, id) => tx.OpenTable(Users.Table).Put(Row(id) with { Tags = ["beside", $"{id}"] }), id);
            writes++;
        }
        while (!build.IsCompleted);
        await build;
        using ReadTransaction read = storage.BeginRead();
        read.OpenTable(Users.Table).Check().Should().BeEmpty();
        Users.Ids(read.OpenTable(Users.Table).By(Users.ByTag).Equal("beside")).Should().HaveCount(Math.Min(writes, 450));
    }

    [Fact]
    public async Task Two_rows_with_one_key_fail_the_build_and_nothing_else()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        Fill(storage, 30);
        await storage.WriteAsync(static tx => tx.OpenTable(Users.With()).Put(Row(29) with { Email = "3@x" }));
        for (int attempt = 0; attempt < 2; attempt++)
        {
            UniqueIndexException error = (await storage.Invoking(static s => s.BuildIndexesAsync(Users.Table, Small)).Should()
                .ThrowAsync<UniqueIndexException>()).Which;
            (error.Table, error.Index, error.Key).Should().Be(("users", "email", "3@x"));
        }

        using (WriteTransaction write = storage.BeginWrite())
        {
            write.TreeNames.Should().NotContain("users/email");
            Table<long, User> users = write.OpenTable(Users.Table);
            users.Invoking(static t => t.By(Users.ByEmail)).Should().Throw<IndexNotBuiltException>().WithMessage("*two rows*");
            users.Put(Row(5) with { Email = "7@x" });
            users.Put(Row(5));
            users.Delete(29);
            users.Check().Should().BeEmpty();
            write.Commit();
        }

        List<double> parts = [];
        await storage.BuildIndexesAsync(Users.Table, Small, new Progress(parts.Add));
        parts.Should().OnlyContain(static part => part >= 0 && part <= 1);
        parts[^1].Should().Be(1);
        using ReadTransaction read = storage.BeginRead();
        read.OpenTable(Users.Table).By(Users.ByEmail).Count.Should().Be(29);
        read.OpenTable(Users.Table).Check().Should().BeEmpty();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(254)]
    [InlineData(255)]
    [InlineData(256)]
    [InlineData(698)]
    public async Task Two_rows_with_one_key_are_found_wherever_they_are(int place)
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        Fill(storage, 700);
        string email = Enumerable.Range(0, 700).Select(static i => $"{i}@x").Order(StringComparer.Ordinal).ElementAt(place);
        await storage.WriteAsync((tx, email) => tx.OpenTable(Users.With()).Put(Row(1_000) with { Email = email }), email);
        TableDefinition<long, User> definition = Users.With(Users.ByEmail);
        UniqueIndexException error = (await storage.Invoking(s => s.BuildIndexesAsync(definition)).Should()
            .ThrowAsync<UniqueIndexException>()).Which;
        error.Key.Should().Be(email);
        using ReadTransaction read = storage.BeginRead();
        read.TryOpenTree("users/email", out _).Should().BeFalse();
    }

    [Fact]
    public async Task A_writer_gets_no_second_row_into_the_built_part()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        Fill(storage, 30);
        using CancellationTokenSource stop = new();
        TableDefinition<long, User> definition = Users.With(Users.ByEmail);
        await storage.Invoking(s => s.BuildIndexesAsync(definition, Small, new Progress(_ => stop.Cancel()), stop.Token)).Should()
            .ThrowAsync<OperationCanceledException>();
        using WriteTransaction write = storage.BeginWrite();
        Table<long, User> users = write.OpenTable(definition);
        users.Invoking(static t => t.By(Users.ByEmail)).Should().Throw<IndexNotBuiltException>().WithMessage("*being built*");

        // The first ones in the order of the index.
        users.Invoking(static t => t.Put(Row(2) with { Email = "11@x" })).Should().Throw<UniqueIndexException>();
        users.Put(Row(20) with { Email = "20b@x" });
        users.Check().Should().BeEmpty();
    }

    [Fact]
    public async Task A_table_that_is_dropped_and_filled_again_beside_its_build_is_built()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        Fill(storage, 60);
        int steps = 0;
        await storage.BuildIndexesAsync(Users.Table, Small, new Progress(_ =>
        {
            if (++steps == 3)
            {
                storage.WriteAsync(static tx =>
                {
                    tx.DropTable(Users.Table);
                    tx.OpenTable(Users.With()).Put(Row(70));
                    tx.OpenTable(Users.With()).Put(Row(20) with { Email = "other@x" });
                }).AsTask().GetAwaiter().GetResult();
            }
        }));
        using ReadTransaction read = storage.BeginRead();
        ReadTable<long, User> table = read.OpenTable(Users.Table);
        table.Check().Should().BeEmpty();
        table.By(Users.ByEmail).Count.Should().Be(2);
    }

    [Fact]
    public async Task Bad_arguments_and_rows_are_refused()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        await storage.BuildIndexesAsync(Users.Table);
        await storage.Invoking(static s => s.BuildIndexesAsync(Users.Table, new IndexBuild { RowsPerTransaction = 0 })).Should()
            .ThrowAsync<ArgumentOutOfRangeException>();
        await storage.Invoking(static s => s.BuildIndexesAsync(Users.Table, new IndexBuild { TimePerTransaction = TimeSpan.Zero })).Should()
            .ThrowAsync<ArgumentOutOfRangeException>();
        await storage.Invoking(static s => s.BuildIndexesAsync(Users.Table, new IndexBuild { MemoryBytes = 0 })).Should()
            .ThrowAsync<ArgumentOutOfRangeException>();
        await storage.Invoking(static s => s.BuildIndexesAsync<long, User>(null!)).Should().ThrowAsync<ArgumentNullException>();

        await storage.WriteAsync(static tx =>
        {
            tx.DropTable(Users.Table);
            tx.OpenTable(Users.With()).Put(Row(1) with { City = new string('c', 5_000) });
        });
        await storage.Invoking(static s => s.BuildIndexesAsync(Users.Table)).Should().ThrowAsync<KeyTooLongException>();
        using ReadTransaction read = storage.BeginRead();
        read.OpenTable(Users.Table).Check().Should().BeEmpty();
    }

    [Fact]
    public async Task Expired_rows_are_swept_in_many_transactions()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        DateTimeOffset now = DateTimeOffset.UnixEpoch;
        (await storage.SweepExpiredAsync(Users.Table, now)).Should().Be(0, "there is no table");
        await storage.WriteAsync(static tx =>
        {
            Table<long, User> users = tx.OpenTable(Users.Table);
            for (long id = 0; id < 50; id++)
            {
                users.Insert(Row(id) with { Expires = id % 5 == 0 ? null : DateTimeOffset.UnixEpoch.AddSeconds(id - 25) });
            }
        });
        long before = Last(storage);
        (await storage.SweepExpiredAsync(Users.Table, now.AddSeconds(-25))).Should().Be(0);
        Last(storage).Should().Be(before, "nothing was written");
        (await storage.SweepExpiredAsync(Users.Table, now, most: 3)).Should().Be(20);
        using (ReadTransaction read = storage.BeginRead())
        {
            ReadTable<long, User> users = read.OpenTable(Users.Table);
            users.Count.Should().Be(30);
            Users.Ids(users.To(26)).Should().Equal(0, 5, 10, 15, 20, 25);
            users.Check().Should().BeEmpty();
        }

        await storage.Invoking(s => s.SweepExpiredAsync(Users.With(Users.ByTag), now)).Should().ThrowAsync<ArgumentException>()
            .WithMessage("*expiry*");
        await storage.Invoking(s => s.SweepExpiredAsync(Users.Table, now, most: 0)).Should().ThrowAsync<ArgumentOutOfRangeException>();
    }

    private static void Change(Table<long, User> users, Dictionary<long, User> model, long id)
    {
        if (id % 3 == 0)
        {
            users.Delete(id).Should().Be(model.Remove(id));
            return;
        }

        model[id] = Row(id) with { Age = (int)(id % 5), Tags = [$"new{id % 2}", "all"] };
        users.Put(model[id]);
    }

    private static long Last(StorageEnvironment storage)
    {
        using ReadTransaction read = storage.BeginRead();
        return read.TransactionId;
    }

    private static User Row(long id) => Users.New(id, $"{id}@x", "Oslo", (int)id, $"t{id % 4}");

    /// <summary>Rows of a version of the program that had no index.</summary>
    private static void Fill(StorageEnvironment storage, int rows)
    {
        using WriteTransaction write = storage.BeginWrite();
        Table<long, User> users = write.OpenTable(Users.With());
        for (int i = 0; i < rows; i++)
        {
            users.Insert(Row(i));
        }

        write.Commit();
    }

    /// <summary>Told at once, unlike the framework's.</summary>
    private sealed class Progress(Action<double> report) : IProgress<double>
    {
        public void Report(double value) => report(value);
    }
}
