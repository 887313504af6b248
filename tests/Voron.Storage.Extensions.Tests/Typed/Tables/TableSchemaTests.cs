using System.Text;
using FluentAssertions;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

/// <summary>Two versions of a program open one database.</summary>
public sealed class TableSchemaTests : IDisposable
{
    private readonly StorageEnvironment _storage = StorageEnvironment.OpenInMemory();

    public void Dispose() => _storage.Dispose();

    [Fact]
    public async Task A_new_index_is_built_before_it_is_used_and_an_old_one_is_dropped()
    {
        Fill(Users.With(Users.ByEmail), 10);
        TableDefinition<long, User> second = Users.With(Users.ByTag);
        using (ReadTransaction read = _storage.BeginRead())
        {
            read.Invoking(r => r.OpenTable(second).By(Users.ByTag)).Should().Throw<IndexNotBuiltException>()
                .Which.Should().Match<IndexNotBuiltException>(static e => e.Table == "users" && e.Index == "tag")
                .And.Match<IndexNotBuiltException>(static e => e.Message.Contains("BuildIndexesAsync"));
        }

        using (WriteTransaction write = _storage.BeginWrite())
        {
            Table<long, User> users = write.OpenTable(second);
            write.TreeNames.Should().NotContain("users/email").And.NotContain("users/tag");
            users.Put(Users.New(11, "11@x", tags: "late"));
            users.Invoking(static t => t.By(Users.ByTag)).Should().Throw<IndexNotBuiltException>();
            write.Commit();
        }

        await _storage.BuildIndexesAsync(second);
        using (ReadTransaction read = _storage.BeginRead())
        {
            Users.Ids(read.OpenTable(second).By(Users.ByTag).Equal("late")).Should().Equal(11);
            read.OpenTable(second).Check().Should().BeEmpty();
        }

        // The first version once more: its index was dropped, and is not trusted.
        TableDefinition<long, User> first = Users.With(Users.ByEmail);
        using WriteTransaction again = _storage.BeginWrite();
        again.OpenTable(first).Invoking(static t => t.By(Users.ByEmail)).Should().Throw<IndexNotBuiltException>();
    }

    [Fact]
    public async Task A_dropped_tree_is_a_dropped_index()
    {
        Fill(Users.Table, 10);
        using (WriteTransaction write = _storage.BeginWrite())
        {
            write.DropTree("users/tag");
            write.Commit();
        }

        using (ReadTransaction read = _storage.BeginRead())
        {
            ReadTable<long, User> users = read.OpenTable(Users.Table);
            users.Invoking(static t => t.By(Users.ByTag)).Should().Throw<IndexNotBuiltException>();
            users.Check().Should().ContainSingle().Which.Kind.Should().Be(TableFindingKind.MissingIndex);
        }

        await _storage.BuildIndexesAsync(Users.Table);
        using ReadTransaction after = _storage.BeginRead();
        after.OpenTable(Users.Table).By(Users.ByTag).Count.Should().Be(10);
        after.OpenTable(Users.Table).Check().Should().BeEmpty();
    }

    [Fact]
    public void A_table_whose_rows_were_dropped_is_empty_and_its_indexes_too()
    {
        Fill(Users.Table, 10);
        using WriteTransaction write = _storage.BeginWrite();
        write.DropTree("users");
        Table<long, User> users = write.OpenTable(Users.Table);
        users.By(Users.ByTag).Count.Should().Be(0);
        users.Put(Users.New(1, "0@x"));
        users.Check().Should().BeEmpty();
    }

    [Fact]
    public void Other_codecs_and_kinds_are_refused()
    {
        Fill(Users.With(Users.ByEmail, Users.ByTag), 3);
        Refused(new TableDefinition<int, User>("users", KeyCodec.Int32, new Users.Codec(), static u => (int)u.Id), "Int64", "Int32");
        Refused(Users.With(Index.Of("email", KeyCodec.String, static (User u) => u.Email!)), "Unique by String", "Of by String");
        Refused(Users.With(Index.Of("tag", KeyCodec.Int32, static (User u) => u.Age)), "Many by String", "Of by Int32");
        using WriteTransaction write = _storage.BeginWrite();
        write.TreeNames.Should().Contain(["users/email", "users/tag"], "a refused definition drops nothing");
    }

    [Fact]
    public void A_table_that_is_opened_twice_in_a_transaction_is_one()
    {
        Fill(Users.With(), 3);
        using WriteTransaction write = _storage.BeginWrite();
        Table<long, User> first = write.OpenTable(Users.Table);
        for (long id = 0; id < 3; id++)
        {
            first.Delete(id).Should().BeTrue();
        }

        // Empty, so that its indexes need no build.
        Table<long, User> second = write.OpenTable(Users.Table);
        first.Insert(Users.New(1, "a", tags: "t"));
        Users.Ids(second.By(Users.ByTag).Equal("t")).Should().Equal(1);
        Users.Ids(first.By(Users.ByTag).Equal("t")).Should().Equal(1);
        second.Check().Should().BeEmpty();
    }

    [Fact]
    public async Task A_tree_of_rows_that_was_no_table_becomes_one()
    {
        using (WriteTransaction write = _storage.BeginWrite())
        {
            Tree<long, User> rows = write.OpenTree(new TreeDefinition<long, User>("users", KeyCodec.Int64, new Users.Codec()));
            rows.Put(1, Users.New(1, "a", tags: "t"));
            write.Commit();
        }

        using (ReadTransaction read = _storage.BeginRead())
        {
            read.OpenTable(Users.Table).Get(1)!.Email.Should().Be("a");
            read.OpenTable(Users.Table).Invoking(static t => t.By(Users.ByTag)).Should().Throw<IndexNotBuiltException>();
        }

        await _storage.BuildIndexesAsync(Users.Table);
        using ReadTransaction after = _storage.BeginRead();
        Users.Ids(after.OpenTable(Users.Table).By(Users.ByTag).Equal("t")).Should().Equal(1);
    }

    [Fact]
    public void What_the_layer_cannot_read_is_refused()
    {
        Fill(Users.Table, 1);
        using WriteTransaction write = _storage.BeginWrite();
        Tree tables = write.OpenTree("@tables");
        byte[] good = tables.Get("users"u8)!;
        for (int length = 0; length < good.Length; length++)
        {
            tables.Put("users"u8, good.AsSpan(0, length));
            write.Invoking(static w => w.OpenTable(Users.Table)).Should().Throw<TableMismatchException>("of {0} bytes", length);
        }

        tables.Put("users"u8, [2, .. good.AsSpan(1)]);
        write.Invoking(static w => w.OpenTable(Users.Table)).Should().Throw<TableMismatchException>().WithMessage("*version 2*version 1*");
        write.DropTree("users");
        tables.Delete("users"u8);
        write.DropTree("users/email");
        write.OpenTree("users/email").Put("mine"u8, "x"u8);
        write.Invoking(static w => w.OpenTable(Users.Table)).Should().Throw<TableMismatchException>().WithMessage("*'users/email'*");
    }

    [Fact]
    public void A_missing_table_is_missing()
    {
        using ReadTransaction read = _storage.BeginRead();
        read.TryOpenTable(Users.Table, out _).Should().BeFalse();
        read.Invoking(static r => r.OpenTable(Users.Table)).Should().Throw<TreeNotFoundException>();
        read.Invoking(static r => r.OpenTable<long, User>(null!)).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    public void Check_finds_what_was_changed_without_the_table()
    {
        Fill(Users.Table, 5);
        using WriteTransaction write = _storage.BeginWrite();
        Tree<long, User> rows = write.OpenTree(new TreeDefinition<long, User>("users", KeyCodec.Int64, new Users.Codec()));
        rows.Delete(2);
        Found(write).Should().BeEquivalentTo("StrayEntry email", "StrayEntry city-age", "StrayEntry tag");
        write.OpenTable(Users.Table).Invoking(static t => Users.Ids(t.By(Users.ByTag).Equal("t2"))).Should()
            .Throw<InvalidOperationException>().WithMessage("*'tag'*Check*");
        rows.Put(2, Users.New(2, "2@x", "Oslo", 22, "t2"));
        Found(write).Should().BeEmpty();
        rows.Put(2, Users.New(2, "2@x", "Oslo", 22, "other"));
        Found(write).Should().BeEquivalentTo("StrayEntry tag", "MissingEntry tag");
        rows.Put(2, Users.New(3, "2@x", "Oslo", 22, "t2"));
        Found(write).Should().BeEquivalentTo("BadRow ");
        rows.Put(2, Users.New(2, "2@x", "Oslo", 22, "t2", null!));
        Found(write).Should().BeEquivalentTo("BadRow tag");
        rows.Bytes.Put(KeyBytes(2), Encoding.UTF8.GetBytes("no JSON"));
        TableFinding bad = write.OpenTable(Users.Table).Check().Should().ContainSingle().Which;
        bad.Kind.Should().Be(TableFindingKind.BadRow);
        bad.Key.ToArray().Should().Equal(KeyBytes(2));
        bad.Message.Should().Contain("'users'").And.Contain("0x8000000000000002");
        write.OpenTree("users/email").Delete("1@x"u8);
        write.OpenTable(Users.Table).Check(most: 1).Should().ContainSingle();
        using CancellationTokenSource stop = new();
        stop.Cancel();
        write.OpenTable(Users.Table).Invoking(t => t.Check(cancellationToken: stop.Token)).Should().Throw<OperationCanceledException>();
    }

    private static byte[] KeyBytes(long key)
    {
        byte[] bytes = new byte[8];
        KeyCodec.Int64.Encode(key, bytes);
        return bytes;
    }

    private static IEnumerable<string> Found(WriteTransaction write) =>
        write.OpenTable(Users.Table).Check().Select(static finding => $"{finding.Kind} {finding.Index}");

    private void Refused<TKey>(TableDefinition<TKey, User> definition, string stored, string declared)
    {
        using (ReadTransaction read = _storage.BeginRead())
        {
            read.Invoking(r => r.OpenTable(definition)).Should().Throw<TableMismatchException>()
                .Which.Should().Match<TableMismatchException>(e => e.Stored.Contains(stored) && e.Declared.Contains(declared));
        }

        using WriteTransaction write = _storage.BeginWrite();
        write.Invoking(w => w.OpenTable(definition)).Should().Throw<TableMismatchException>();
        write.Commit();
    }

    private void Fill(TableDefinition<long, User> definition, int rows)
    {
        using WriteTransaction write = _storage.BeginWrite();
        Table<long, User> users = write.OpenTable(definition);
        for (int i = 0; i < rows; i++)
        {
            users.Insert(Users.New(i, $"{i}@x", "Oslo", 20 + i, $"t{i}"));
        }

        write.Commit();
    }
}
