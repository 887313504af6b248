using System.Globalization;
using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

public sealed class RawTableTests
{
    [Fact]
    public void Rows_are_put_and_found_by_all_indexes()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment storage = StorageEnvironment.Open(folder.Path))
        {
            using WriteTransaction write = storage.BeginWrite();
            RawTable documents = write.OpenTable(Documents.Table);
            documents.NextId().Should().Be(1);
            documents.Insert("1"u8, Documents.Row("ada", "Oslo", null, "red", "blue", "red"));
            documents.TryInsert("1"u8, Documents.Row("eve")).Should().BeFalse();
            documents.TryInsert("2"u8, Documents.Row("bob", "Oslo", null, "red")).Should().BeTrue();
            documents.Put("3"u8, Documents.Row(null, "Bergen"));
            documents.Put("4"u8, Documents.Row("dan", "Os"));
            documents.Put("4"u8, Documents.Row("dora", "Oslo"));
            documents.Delete("2"u8).Should().BeTrue();
            documents.Delete("2"u8).Should().BeFalse();
            (documents.Count, documents.Contains("4"u8), documents.Contains("2"u8)).Should().Be((3L, true, false));
            documents.By(Documents.ByName).TryGetKey("dan"u8, out _).Should().BeFalse("it was replaced");
            write.Commit();
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        using (ReadTransaction read = again.BeginRead())
        {
            ReadRawTable table = read.OpenTable(Documents.Table);
            table.By(Documents.ByName).TryGet("ada"u8, out ReadOnlySpan<byte> row).Should().BeTrue();
            Encoding.UTF8.GetString(row).Should().Contain("Oslo");
            table.By(Documents.ByName).TryGetKey("dora"u8, out ReadOnlySpan<byte> key).Should().BeTrue();
            key.ToArray().Should().Equal("4"u8.ToArray());
            Documents.Keys(table.By(Documents.ByCity).Equal("Oslo"u8)).Should().Equal("1", "4");
            Documents.Keys(table.By(Documents.ByCity).Equal("Os"u8)).Should().BeEmpty();
            Documents.Keys(table.By(Documents.ByCity).Prefix("O"u8).Reverse()).Should().Equal("4", "1");
            Documents.Keys(table.By(Documents.ByCity).Prefix([])).Should().Equal("3", "1", "4");
            Documents.Keys(table.By(Documents.ByCity).From("C"u8)).Should().Equal("1", "4");
            Documents.Keys(table.By(Documents.ByCity).To("C"u8)).Should().Equal("3");
            Documents.Keys(table.By(Documents.ByCity).Range("B"u8, "Oslo"u8)).Should().Equal("3");
            Documents.Keys(table.By(Documents.ByTag).Equal("red"u8)).Should().Equal("1");
            table.By(Documents.ByTag).Count.Should().Be(2, "the same key twice counts once");
            foreach (RawIndexEntry entry in table.By(Documents.ByTag))
            {
                Encoding.UTF8.GetString(entry.Row).Should().Contain(Encoding.UTF8.GetString(entry.IndexKey));
            }

            Documents.Keys(table.By(Documents.ByName).Reverse()).Should().Equal("4", "1");
            table.Rows.Count.Should().Be(3);
            table.Check().Should().BeEmpty();
        }

        again.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_refused_change_has_changed_nothing()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        RawTable documents = write.OpenTable(Documents.Table);
        documents.Insert("1"u8, Documents.Row("ada", "Oslo", null, "red"));
        documents.Insert("2"u8, Documents.Row("bob"));
        UniqueIndexException unique = documents.Invoking(static d => d.Put("2"u8, Documents.Row("ada", "Bergen"))).Should()
            .Throw<UniqueIndexException>().Which;
        (unique.Table, unique.Index, unique.Key).Should().Be(("documents", "name", "0x616461"));
        documents.Invoking(static d => d.Insert("1"u8, Documents.Row("new"))).Should().Throw<DuplicateKeyException>()
            .WithMessage("*0x31*");
        string city = new('c', 510);
        documents.Invoking(d => d.Put("3"u8, Documents.Row(null, city + "xxx"))).Should().Throw<ArgumentException>();
        documents.Invoking(d => d.Put(new byte[1_800], Documents.Row("x", city))).Should().Throw<KeyTooLongException>();
        documents.Count.Should().Be(2);
        documents.By(Documents.ByCity).Count.Should().Be(1);
        documents.Check().Should().BeEmpty();
        documents.Put("2"u8, Documents.Row("ben", "Bergen"));
        write.Commit();
    }

    [Fact]
    public void Bytes_of_the_transaction_itself_may_be_put_and_deleted()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        RawTable documents = write.OpenTable(new RawTableDefinition("documents", Documents.ByCity, Documents.ByTag));
        documents.Put("0"u8, Documents.Row(null, "Oslo", null, "red", new string('t', 300)));
        for (int i = 1; i < 200; i++)
        {
            documents.TryGet(Documents.Bytes($"{i - 1}"), out ReadOnlySpan<byte> row).Should().BeTrue();
            documents.Put(Documents.Bytes($"{i}"), row);
        }

        Documents.Keys(documents.By(Documents.ByCity).Equal("Oslo"u8)).Should().HaveCount(200);
        while (documents.Count > 0)
        {
            using RawIndexRange.Enumerator first = documents.By(Documents.ByTag).GetEnumerator();
            first.MoveNext().Should().BeTrue();
            documents.Delete(first.Current.Key).Should().BeTrue();
        }

        documents.By(Documents.ByCity).Count.Should().Be(0);
        documents.Check().Should().BeEmpty();
    }

    /// <summary>Rows, and functions of rows as indexes, beside the table: transactions that commit or roll back, and sweeps.</summary>
    [Fact]
    public async Task It_does_what_a_dictionary_does()
    {
        int seed = Environment.GetEnvironmentVariable("VORON_SEED") is { Length: > 0 } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Random.Shared.Next();
        Random random = new(seed);
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        SortedDictionary<string, Model> model = new(StringComparer.Ordinal);
        using (WriteTransaction first = storage.BeginWrite())
        {
            // The first round may be given up, and without a table there is nothing to compare.
            first.OpenTable(Documents.Table);
            first.Commit();
        }

        for (int round = 0; round < 150; round++)
        {
            SortedDictionary<string, Model> before = new(model, StringComparer.Ordinal);
            using (WriteTransaction write = storage.BeginWrite())
            {
                RawTable table = write.OpenTable(Documents.Table);
                for (int i = 0; i < 12; i++)
                {
                    Change(random, table, model).Should().BeTrue("VORON_SEED={0} repeats it, round {1}", seed, round);
                }

                if (random.Next(5) == 0)
                {
                    model = before;
                }
                else
                {
                    write.Commit();
                }
            }

            if (random.Next(20) == 0)
            {
                int now = random.Next(40);
                long gone = await storage.SweepExpiredAsync(Documents.Table, DateTimeOffset.UnixEpoch.AddSeconds(now), most: 3);
                string[] ended = [.. model.Where(row => row.Value.End <= now).Select(static row => row.Key)];
                gone.Should().Be(ended.Length, "VORON_SEED={0} repeats it, round {1}", seed, round);
                Array.ForEach(ended, key => model.Remove(key));
            }

            Compare(storage, model, $"VORON_SEED={seed} repeats it, round {round}");
        }

        storage.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public async Task An_index_is_built_over_rows_that_are_there()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        await storage.WriteAsync(static tx =>
        {
            RawTable plain = tx.OpenTable(new RawTableDefinition("documents"));
            for (int i = 0; i < 500; i++)
            {
                plain.Insert(Documents.Bytes($"{i:D3}"), Documents.Row($"n{i}", $"c{i % 7}", null, $"t{i % 3}", "all"));
            }
        });
        using (ReadTransaction read = storage.BeginRead())
        {
            read.OpenTable(Documents.Table).Invoking(static t => _ = t.By(Documents.ByCity).Count).Should()
                .Throw<IndexNotBuiltException>();
        }

        await storage.BuildIndexesAsync(Documents.Table, new IndexBuild { RowsPerTransaction = 33 });
        using (ReadTransaction read = storage.BeginRead())
        {
            ReadRawTable table = read.OpenTable(Documents.Table);
            Documents.Keys(table.By(Documents.ByTag).Equal("all"u8)).Should().HaveCount(500);
            Documents.Keys(table.By(Documents.ByCity).Equal("c6"u8)).Should().HaveCount(71);
            table.Check().Should().BeEmpty();
        }

        using WriteTransaction write = storage.BeginWrite();
        write.DropTable(Documents.Table).Should().BeTrue();
        write.TreeNames.Should().NotContain(static name => name.StartsWith("documents"));
        write.DropTable(Documents.Table).Should().BeFalse();
    }

    [Fact]
    public void Another_definition_is_refused()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        write.OpenTable(Documents.Table).Insert("1"u8, Documents.Row("ada"));
        write.OpenTable(Users.Table).Insert(Users.New(1));
        TableDefinition<string, User> typed = new("documents", KeyCodec.String, new Users.Codec(), static u => u.City);
        write.Invoking(tx => tx.OpenTable(typed)).Should().Throw<TableMismatchException>();
        write.Invoking(static tx => tx.OpenTable(new RawTableDefinition("users"))).Should().Throw<TableMismatchException>();
        write.Invoking(static tx => tx.OpenTable(new RawTableDefinition("documents") { KeyBytes = 1 })).Should()
            .Throw<TableMismatchException>();
        RawIndex other = RawIndex.Many("name", static (_, _, _) => -1);
        write.Invoking(tx => tx.OpenTable(new RawTableDefinition("documents", other))).Should().Throw<TableMismatchException>();
        RawTable documents = write.OpenTable(Documents.Table);
        documents.Invoking(d => _ = d.By(other).Count).Should().Throw<ArgumentException>();
        documents.Invoking(static d => d.By(Documents.ByCity).TryGet("x"u8, out _)).Should().Throw<InvalidOperationException>();
        documents.By(Documents.ByName).TryGetKey("ada"u8, out _).Should().BeTrue("nothing of this changed the table");
    }

    [Fact]
    public void Bad_definitions_keys_and_selectors_are_refused()
    {
        Refused<ArgumentException>(static () => _ = new RawTableDefinition("a/b"));
        Refused<ArgumentException>(static () => _ = new RawTableDefinition("t", Documents.ByCity, Documents.ByCity));
        Refused<ArgumentNullException>(static () => _ = new RawTableDefinition("t", Documents.ByCity, null!));
        Refused<ArgumentOutOfRangeException>(static () => _ = new RawTableDefinition("t") { KeyBytes = 0 });
        Refused<ArgumentException>(static () => _ = new RawTableDefinition(
            "t", RawIndex.Expiry(static _ => null, "a"), RawIndex.Expiry(static _ => null, "b")));
        Refused<InvalidOperationException>(static () => _ = new RawTableDefinition(
            "t", Enumerable.Range(0, 65).Select(static i => RawIndex.Of($"{i}", static (_, _) => -1)).ToArray()));
        Refused<ArgumentNullException>(static () => RawIndex.Unique("a", null!));
        Refused<ArgumentNullException>(static () => RawIndex.Of("a", null!));
        Refused<ArgumentNullException>(static () => RawIndex.Many("a", null!));
        Refused<ArgumentNullException>(static () => RawIndex.Expiry(null!));
        Refused<ArgumentOutOfRangeException>(static () => RawIndex.Of("a", static (_, _) => -1, maxKeyBytes: 0));

        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        RawTable fixedKeys = write.OpenTable(new RawTableDefinition("fixed", Documents.ByCity) { KeyBytes = 4 });
        fixedKeys.Put("1234"u8, Documents.Row("x", "Oslo"));
        fixedKeys.Invoking(static t => t.Put("123"u8, [])).Should().Throw<ArgumentException>();
        fixedKeys.Delete("123"u8).Should().BeFalse();
        fixedKeys.Check().Should().BeEmpty();
        foreach (int length in new[] { -2, 9, int.MaxValue })
        {
            RawTable wrong = write.OpenTable(new RawTableDefinition($"wrong{length}", RawIndex.Of("a", (_, _) => length, maxKeyBytes: 8)));
            wrong.Invoking(static t => t.Put("1"u8, [])).Should().Throw<ArgumentException>().WithMessage("*room*");
            wrong.Count.Should().Be(0);
        }
    }

    [Fact]
    public void Gets_and_puts_allocate_nothing()
    {
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        RawIndex first = RawIndex.Unique("first", static (row, key) => Copy(row[..8], key));
        RawIndex second = RawIndex.Of("second", static (row, key) => Copy(row[8..10], key));
        RawTableDefinition definition = new("rows", first, second) { KeyBytes = 4 };
        using WriteTransaction write = storage.BeginWrite();
        RawTable table = write.OpenTable(definition);
        byte[] key = new byte[4];
        byte[] row = new byte[100];
        Random random = new(1);
        Round(2_000);
        Enumerable.Range(0, 8).Min(_ => Round(300)).Should().Be(0, "now and then a buffer of the transaction grows, but not in each round");
        table.Check().Should().BeEmpty();

        long Round(int count)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < count; i++)
            {
                BitConverter.TryWriteBytes(key, random.Next(500));
                BitConverter.TryWriteBytes(row, random.NextInt64());
                BitConverter.TryWriteBytes(row.AsSpan(8), (short)random.Next(50));
                table.Put(key, row);
                table.TryGet(key, out _);
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    private static int Copy(ReadOnlySpan<byte> from, Span<byte> to)
    {
        from.CopyTo(to);
        return from.Length;
    }

    private static void Refused<T>(Action action)
        where T : Exception => action.Should().Throw<T>();

    private static bool Change(Random random, RawTable table, SortedDictionary<string, Model> model)
    {
        string key = $"{random.Next(60)}";
        byte[] bytes = Documents.Bytes(key);
        if (random.Next(3) == 0)
        {
            return table.Delete(bytes) == model.Remove(key);
        }

        Model row = new(
            random.Next(4) == 0 ? null : $"n{random.Next(90)}",
            random.Next(6) == 0 ? null : new string('c', random.Next(3)),
            random.Next(3) == 0 ? random.Next(50) : null,
            [.. Enumerable.Range(0, random.Next(4)).Select(_ => $"t{random.Next(5)}")]);
        bool isTaken = row.Name is not null && model.Any(other => other.Key != key && other.Value.Name == row.Name);
        try
        {
            table.Put(bytes, Documents.Row(row.Name, row.City, row.End, row.Tags));
            model[key] = row;
            return !isTaken;
        }
        catch (UniqueIndexException)
        {
            return isTaken;
        }
    }

    private static void Compare(StorageEnvironment storage, SortedDictionary<string, Model> model, string where)
    {
        using ReadTransaction read = storage.BeginRead();
        ReadRawTable table = read.OpenTable(Documents.Table);
        table.Check().Should().BeEmpty(where);
        table.Count.Should().Be(model.Count, where);
        foreach ((string key, Model row) in model)
        {
            table.TryGet(Documents.Bytes(key), out ReadOnlySpan<byte> stored).Should().BeTrue(where);
            stored.SequenceEqual(Documents.Row(row.Name, row.City, row.End, row.Tags)).Should().BeTrue(where);
        }

        Same(Documents.ByName, model.Where(static r => r.Value.Name is not null).Select(static r => (r.Value.Name!, r.Key)));
        Same(Documents.ByCity, model.Where(static r => r.Value.City is not null).Select(static r => (r.Value.City!, r.Key)));
        Same(Documents.ByTag, model.SelectMany(static r => r.Value.Tags.Distinct().Select(tag => (tag, r.Key))));
        table.By(Documents.ByEnd).Count.Should().Be(model.Count(static r => r.Value.End is not null), where);

        void Same(RawIndex index, IEnumerable<(string IndexKey, string Key)> expected)
        {
            List<(string, string)> found = [];
            foreach (RawIndexEntry entry in table.By(index))
            {
                found.Add((Encoding.UTF8.GetString(entry.IndexKey), Encoding.UTF8.GetString(entry.Key)));
            }

            found.Should().Equal(
                expected.OrderBy(static e => e.IndexKey, StringComparer.Ordinal).ThenBy(static e => e.Key, StringComparer.Ordinal), where);
        }
    }

    private sealed record Model(string? Name, string? City, int? End, string[] Tags);
}
