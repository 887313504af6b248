using FluentAssertions;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

public sealed class TableTests : IDisposable
{
    private readonly StorageEnvironment _storage = StorageEnvironment.OpenInMemory();

    public void Dispose() => _storage.Dispose();

    [Fact]
    public void Rows_are_found_by_key_and_by_each_index()
    {
        using (WriteTransaction write = _storage.BeginWrite())
        {
            Table<long, User> users = write.OpenTable(Users.Table);
            users.NextId().Should().Be(1);
            users.NextId().Should().Be(2);
            users.Insert(Users.New(1, "ada@x", "Oslo", 36, "math", "red"));
            users.Insert(Users.New(2, null, "Oslo", 18, "red"));
            users.Put(Users.New(3, "bob@x", "Bergen", 50));
            users.TryInsert(Users.New(4, "eve@x", "Oslo", 65, "red", "red")).Should().BeTrue();
            users.TryInsert(Users.New(4)).Should().BeFalse();
            users.Count.Should().Be(4);
            users.Update(3, static u => u with { City = "Oslo" }).Should().BeTrue();
            users.Update(9, static u => u).Should().BeFalse();
            users.Delete(9).Should().BeFalse();
            users.By(Users.ByTag).Count.Should().Be(4);
            users.Check().Should().BeEmpty();
            write.Commit();
        }

        using ReadTransaction read = _storage.BeginRead();
        ReadTable<long, User> table = read.OpenTable(Users.Table);
        table.TryGet(1, out User? ada).Should().BeTrue();
        ada!.Age.Should().Be(36);
        table.Get(7).Should().BeNull();
        table.Get(2)!.Tags.Should().Equal("red");
        table.Contains(2).Should().BeTrue();
        table.By(Users.ByEmail).TryGet("bob@x", out User? bob).Should().BeTrue();
        bob!.City.Should().Be("Oslo");
        table.By(Users.ByEmail).TryGet("nobody", out _).Should().BeFalse();
        table.By(Users.ByEmail).TryGetKey("eve@x", out long eve).Should().BeTrue();
        eve.Should().Be(4);
        table.By(Users.ByEmail).Count.Should().Be(3, "a row without an address is not in it");
        Users.Ids(table.By(Users.ByCityAge).Range(("Oslo", 18), ("Oslo", 65))).Should().Equal(2, 1, 3);
        Users.Ids(table.By(Users.ByCityAge).Prefix("Oslo")).Should().Equal(2, 1, 3, 4);
        Users.Ids(table.By(Users.ByCityAge).Prefix("Osl")).Should().BeEmpty();
        Users.Ids(table.By(Users.ByCityAge).Equal(("Oslo", 65))).Should().Equal(4);
        Users.Ids(table.By(Users.ByCityAge).From(("Oslo", 50))).Should().Equal(3, 4);
        Users.Ids(table.By(Users.ByCityAge).After(("Oslo", 50))).Should().Equal(4);
        Users.Ids(table.By(Users.ByCityAge).To(("Oslo", 36))).Should().Equal(2);
        Users.Ids(table.By(Users.ByCityAge).UpTo(("Oslo", 36))).Should().Equal(2, 1);
        Users.Ids(table.By(Users.ByCityAge).Reverse()).Should().Equal(4, 3, 1, 2);
        Users.Ids(table.By(Users.ByTag).Equal("red")).Should().Equal(1, 2, 4);
        Users.Ids(table.By(Users.ByTag).Equal("red").Reverse()).Should().Equal(4, 2, 1);
        Users.Ids(table.By(Users.ByEmail).Range("b", "f")).Should().Equal(3, 4);
        Users.Ids(table.By(Users.ByEmail).Equal("bob@x").Reverse()).Should().Equal(3);
        Users.Ids(table.Range(2, 4)).Should().Equal(2, 3);
        Users.Ids(table.Range(2, 4).Reverse()).Should().Equal(3, 2);
        Users.Ids(table.From(3)).Should().Equal(3, 4);
        Users.Ids(table.After(3)).Should().Equal(4);
        Users.Ids(table.To(2)).Should().Equal(1);
        Users.Ids(table.Reverse()).Should().Equal(4, 3, 2, 1);
        table.Check().Should().BeEmpty();
        read.TreeNames.Should().Contain(["@tables", "@sequences", "users", "users/email", "users/city-age", "users/tag", "users/expiry"]);
    }

    [Fact]
    public void A_refused_change_changes_nothing_and_the_transaction_goes_on()
    {
        using WriteTransaction write = _storage.BeginWrite();
        Table<long, User> users = write.OpenTable(Users.Table);
        users.Insert(Users.New(1, "ada@x", tags: "a"));
        users.Insert(Users.New(2, "bob@x"));
        string before = Content(users);

        DuplicateKeyException twice = users.Invoking(static t => t.Insert(Users.New(1, "new@x"))).Should().Throw<DuplicateKeyException>()
            .Which;
        (twice.Table, twice.Key).Should().Be(("users", 1L));
        foreach (Action<Table<long, User>> refused in (Action<Table<long, User>>[])[
            static t => t.Insert(Users.New(3, "ada@x", tags: "new")),
            static t => t.Put(Users.New(2, "ada@x", tags: "new")),
            static t => t.TryInsert(Users.New(3, "bob@x")),
            static t => t.Update(1, static u => u with { Email = "bob@x", Tags = [] })])
        {
            UniqueIndexException error = users.Invoking(refused).Should().Throw<UniqueIndexException>().Which;
            (error.Table, error.Index).Should().Be(("users", "email"));
            error.Key.Should().BeOneOf("ada@x", "bob@x");
            error.Message.Should().Contain("'users'").And.Contain("'email'").And.Contain("@x");
        }

        users.Invoking(static t => t.Update(1, static u => u with { Id = 5 })).Should().Throw<ArgumentException>()
            .WithMessage("*from 1 to 5*");
        users.Invoking(static t => t.Update(1, static u => null!)).Should().Throw<ArgumentNullException>();
        users.Invoking(static t => t.Put(null!)).Should().Throw<ArgumentNullException>();
        users.Invoking(static t => t.Put(Users.New(7, tags: [null!]))).Should().Throw<ArgumentException>().WithMessage("*'tag'*null*");

        string tooLong = new('k', 5_000);
        users.Invoking(t => t.Insert(Users.New(3, tooLong, tags: "new"))).Should().Throw<KeyTooLongException>();
        users.Invoking(t => t.Put(Users.New(1, "new@x", "Rome", 5, "m", tooLong))).Should().Throw<KeyTooLongException>();
        users.Invoking(t => t.Update(1, u => u with { City = tooLong, Email = null })).Should().Throw<KeyTooLongException>();
        Content(users).Should().Be(before);
        users.Check().Should().BeEmpty();
        users.Put(Users.New(3, "eve@x"));
        write.Commit();
    }

    [Fact]
    public void A_unique_key_is_free_again_when_its_row_gave_it_up()
    {
        using WriteTransaction write = _storage.BeginWrite();
        Table<long, User> users = write.OpenTable(Users.Table);
        users.Insert(Users.New(1, "a"));
        users.Update(1, static u => u with { Email = "b" });
        users.Insert(Users.New(2, "a"));
        users.Delete(1);
        users.Put(Users.New(2, "b"));
        users.By(Users.ByEmail).TryGet("b", out User? two).Should().BeTrue();
        two!.Id.Should().Be(2);
        users.By(Users.ByEmail).Count.Should().Be(1);
        users.Check().Should().BeEmpty();
    }

    [Fact]
    public void An_update_may_change_the_row_itself()
    {
        using WriteTransaction write = _storage.BeginWrite();
        Table<long, User> users = write.OpenTable(Users.Table);
        users.Insert(Users.New(1, tags: ["a", "b"]));
        users.Update(
            1,
            static (u, tag) =>
            {
                u.Tags[0] = tag;
                return u;
            },
            "c");
        Users.Ids(users.By(Users.ByTag).Equal("a")).Should().BeEmpty();
        Users.Ids(users.By(Users.ByTag).Equal("c")).Should().Equal(1);
        users.Check().Should().BeEmpty();
    }

    [Fact]
    public void A_sequence_rolls_back_with_its_transaction()
    {
        for (int attempt = 0; attempt < 2; attempt++)
        {
            using WriteTransaction write = _storage.BeginWrite();
            write.OpenTable(Users.Table).NextId().Should().Be(1);
        }

        using (WriteTransaction write = _storage.BeginWrite())
        {
            Table<long, User> users = write.OpenTable(Users.Table);
            users.NextId();
            Savepoint savepoint = write.CreateSavepoint();
            users.NextId().Should().Be(2);
            write.RollbackTo(savepoint);
            users.NextId().Should().Be(2);
            write.Commit();
        }

        using WriteTransaction next = _storage.BeginWrite();
        next.OpenTable(Users.Table).NextId().Should().Be(3);
        next.OpenTree("@sequences").Put("users"u8, [1]);
        next.Invoking(static w => w.OpenTable(Users.Table).NextId()).Should().Throw<ArgumentException>();
        next.OpenTree("@sequences").Put("users"u8, BitConverter.GetBytes(long.MaxValue));
        next.Invoking(static w => w.OpenTable(Users.Table).NextId()).Should().Throw<OverflowException>();
    }

    [Fact]
    public async Task Shared_writes_of_many_callers_undo_one_alone()
    {
        Task[] writes = [.. Enumerable.Range(0, 40).Select(i => _storage.WriteAsync(
            static (tx, i) => tx.OpenTable(Users.Table).Insert(Users.New(i, $"{i / 2}@x", tags: "t")), i).AsTask())];
        await Task.WhenAll(writes.Select(static one => one.ContinueWith(static _ => { }, TaskScheduler.Default)));
        writes.Count(static one => one.Exception?.InnerException is UniqueIndexException).Should().Be(20);
        using ReadTransaction read = _storage.BeginRead();
        ReadTable<long, User> users = read.OpenTable(Users.Table);
        users.Count.Should().Be(20);
        users.By(Users.ByTag).Count.Should().Be(20);
        users.Check().Should().BeEmpty();
    }

    [Fact]
    public void Mistakes_are_named()
    {
        Index<User, int> foreign = Index.Of("age", KeyCodec.Int32, static (User u) => u.Age);
        using WriteTransaction write = _storage.BeginWrite();
        Table<long, User> users = write.OpenTable(Users.Table);
        users.Invoking(t => t.By(foreign)).Should().Throw<ArgumentException>().WithMessage("*'age'*'users'*");
        users.Invoking(static t => t.By(Users.ByTag).TryGet("a", out _)).Should().Throw<InvalidOperationException>().WithMessage("*Equal*");
        users.Invoking(static t => t.By<int>(null!)).Should().Throw<ArgumentNullException>();
        users.Invoking(static t => t.Check(0)).Should().Throw<ArgumentOutOfRangeException>();
        Users.Table.Indexes.Invoking(t => t.Add(foreign)).Should().Throw<InvalidOperationException>().WithMessage("*too late*");

        FluentActions.Invoking(static () => Users.With([null!])).Should().Throw<ArgumentNullException>().WithMessage("*above the table*");
        FluentActions.Invoking(static () => Users.With(Users.ByTag, Users.ByTag)).Should().Throw<ArgumentException>()
            .WithMessage("*'tag'*");
        FluentActions.Invoking(static () => Users.With(Users.ByExpiry, Index.Expiry(static (User u) => u.Expires, "other")))
            .Should().Throw<ArgumentException>().WithMessage("*'other'*");
        FluentActions.Invoking(static () => Users.With([.. Enumerable.Range(0, 65).Select(static i =>
            Index.Of($"i{i}", KeyCodec.Int32, static (User u) => u.Age))])).Should().Throw<InvalidOperationException>().WithMessage("*64*");
        FluentActions.Invoking(static () => Users.With(Index.Of(new string('n', 250), KeyCodec.Int32, static (User u) => u.Age)))
            .Should().Throw<ArgumentException>().WithMessage("*255*");
        foreach (string name in (string[])["", "@users", "a/b", new string('ä', 128)])
        {
            FluentActions.Invoking(() => new TableDefinition<long, User>(name, KeyCodec.Int64, new Users.Codec(), static u => u.Id))
                .Should().Throw<ArgumentException>();
        }

        foreach (string name in (string[])["", "a/b"])
        {
            FluentActions.Invoking(() => Index.Of(name, KeyCodec.Int32, static (User u) => u.Age)).Should().Throw<ArgumentException>();
        }
    }

    [Fact]
    public void A_dropped_table_leaves_nothing_behind()
    {
        using WriteTransaction write = _storage.BeginWrite();
        write.DropTable(Users.Table).Should().BeFalse();
        Table<long, User> users = write.OpenTable(Users.Table);
        users.Put(Users.New(users.NextId()));
        write.DropTable(Users.Table).Should().BeTrue();
        write.TreeNames.Should().OnlyContain(static name => name.StartsWith('@'));
        users = write.OpenTable(Users.Table);
        users.Count.Should().Be(0);
        users.NextId().Should().Be(1);
    }

    private static string Content(Table<long, User> users)
    {
        List<string> lines = [];
        foreach (User user in users)
        {
            lines.Add(user.ToString());
        }

        lines.Add(string.Join(',', Users.Ids(users.By(Users.ByEmail).From(string.Empty))));
        lines.Add(string.Join(',', Users.Ids(users.By(Users.ByCityAge).From((string.Empty, 0)))));
        lines.Add(string.Join(',', Users.Ids(users.By(Users.ByTag).From(string.Empty))));
        return string.Join('\n', lines);
    }
}
