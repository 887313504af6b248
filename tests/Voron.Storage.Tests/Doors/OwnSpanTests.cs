using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.IO;
using Voron.Storage.Tests.Trees;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Arguments that are spans just read in the same transaction: the operation may move or reuse the memory that they lie in. After the end
/// of the process, recovery must give exactly what the transaction had shown.
/// </summary>
public class OwnSpanTests
{
    private const int PlacedBytes = 20_000;

    public enum Change
    {
        TryAddValue,
        TryAddPlacedValue,
        PutValue,
        AppendValue,
        DeleteFirst,
        DeleteFloor,
        DeleteAtCursor,
        PutPlacedAtKey,
        ReserveAtKey,
        WriterAtKey,
        PutAtCursor,
        DeleteRange,
    }

    [Theory]
    [InlineData(Change.TryAddValue)]
    [InlineData(Change.TryAddPlacedValue)]
    [InlineData(Change.PutValue)]
    [InlineData(Change.AppendValue)]
    [InlineData(Change.DeleteFirst)]
    [InlineData(Change.DeleteFloor)]
    [InlineData(Change.DeleteAtCursor)]
    [InlineData(Change.PutPlacedAtKey)]
    [InlineData(Change.ReserveAtKey)]
    [InlineData(Change.WriterAtKey)]
    [InlineData(Change.PutAtCursor)]
    [InlineData(Change.DeleteRange)]
    public void What_recovery_gives_is_what_the_transaction_has_shown(Change change)
    {
        for (int seed = 0; seed < 6; seed++)
        {
            Random random = new(seed);
            int pageBytes = 4096 << (seed % 3);
            int keyBytes = 8 + random.Next(pageBytes / 6);
            int valueBytes = 20 + random.Next(pageBytes / 5);
            AssertRecovered(pageBytes, $"{change}, seed {seed}", transaction =>
            {
                Tree tree = transaction.OpenTree("t");
                for (int i = 0; i < 700; i++)
                {
                    tree.Put(KeyShapes.Filled(random, keyBytes), KeyShapes.Filled(random, valueBytes));
                }

                for (int i = 0; i < 600; i++)
                {
                    Make(change, tree, random, KeyShapes.Filled(random, keyBytes), i);
                }
            });
        }
    }

    [Fact]
    public void A_tree_is_dropped_by_a_name_that_lies_in_its_own_pages()
    {
        AssertRecovered(4096, "a dropped tree", transaction =>
        {
            byte[] name = [.. Enumerable.Repeat((byte)'n', 200)];
            for (byte i = 0; i < 30; i++)
            {
                name[^1] = i;
                Tree tree = transaction.OpenTree(name);
                FillWithNames(tree, name);
                tree.TryGet("name"u8, out ReadOnlySpan<byte> own).Should().BeTrue();
                transaction.DropTree(own).Should().BeTrue();
                transaction.TryOpenTree(name, out _).Should().BeFalse();
                FillWithNames(transaction.OpenTree([(byte)'k', i]), name);
            }
        });
    }

    [Fact]
    public void Trees_are_created_and_renamed_by_names_that_lie_in_their_pages()
    {
        AssertRecovered(4096, "renamed trees", transaction =>
        {
            byte[] name = [.. Enumerable.Repeat((byte)'n', 250)];
            for (byte i = 0; i < 60; i++)
            {
                name[^1] = i;
                Tree tree = transaction.OpenTree("source"u8);
                FillWithNames(tree, name);
                tree.TryGet("name"u8, out ReadOnlySpan<byte> own);
                FillWithNames(transaction.OpenTree(own), name);
                tree.TryGet("other"u8, out ReadOnlySpan<byte> other);
                tree.TryGet("name"u8, out own);
                transaction.RenameTree(own, other).Should().BeTrue();
            }
        });
    }

    [Fact]
    public void A_value_that_a_cursor_puts_may_be_the_cursors_own_key()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.Put("first key"u8, "1"u8);
        using WriteCursor cursor = tree.OpenCursor();
        cursor.MoveFirst();
        cursor.Put("second"u8, cursor.Key);
        cursor.Key.SequenceEqual("second"u8).Should().BeTrue();
        tree.Get("second"u8).Should().Equal("first key"u8.ToArray());
        cursor.MoveFirst();
        cursor.Put(cursor.Key[6..], cursor.Key);
        tree.Get("key"u8).Should().Equal("first key"u8.ToArray());
    }

    [Theory]
    [InlineData(100)]
    [InlineData(PlacedBytes)]
    public void A_reserved_value_may_be_the_argument_of_the_next_call(int valueBytes)
    {
        AssertRecovered(4096, "reserved values", transaction =>
        {
            Tree tree = transaction.OpenTree("t");
            for (byte i = 1; i < 20; i++)
            {
                Span<byte> value = tree.Reserve([i, 0], valueBytes);
                value.Fill(i);
                tree.Put([i, 1], value);
                value = tree.Reserve([i, 2], valueBytes);
                value.Fill(i);
                tree.TryAdd([i, 3], value).Should().BeTrue();
                value = tree.Reserve([i, 4], valueBytes);
                value.Fill(i);
                Span<byte> second = tree.Reserve(value[..40], valueBytes);
                second.ContainsAnyExcept((byte)0).Should().BeFalse();
                second.Fill(i);
                foreach ((_, ReadOnlySpan<byte> found) in tree.Prefix([i]))
                {
                    found.Length.Should().Be(valueBytes);
                    found.ContainsAnyExcept(i).Should().BeFalse();
                }

                tree.Count.Should().Be(i * 6);
            }
        });
    }

    private static void FillWithNames(Tree tree, byte[] name)
    {
        for (byte i = 0; i < 40; i++)
        {
            tree.Put([i], name);
        }

        tree.Put("name"u8, name);
        tree.Put("other"u8, [.. name, (byte)'o']);
    }

    private static void Make(Change change, Tree tree, Random random, byte[] place, int number)
    {
        ReadOnlySpan<byte> value;
        ReadOnlySpan<byte> key;
        switch (change)
        {
            case Change.TryAddValue when tree.TryGetCeiling(place, out _, out value):
                tree.TryAdd(place, value);
                break;
            case Change.TryAddPlacedValue when number < 30:
                tree.Put([(byte)number], KeyShapes.Filled(random, PlacedBytes));
                tree.TryGet([(byte)number], out value);
                tree.TryAdd(place, value);
                break;
            case Change.PutValue when tree.TryGetCeiling(place, out _, out value):
                tree.Put(place, value);
                break;
            case Change.AppendValue when tree.TryGetCeiling(place, out _, out value):
                tree.Append([0xFF, 0xFF, 0xFF, (byte)(number >> 8), (byte)number], value);
                break;
            case Change.DeleteFirst when tree.TryGetFirst(out key, out _):
                tree.Delete(key);
                break;
            case Change.DeleteFloor when tree.TryGetFloor(place, out key, out _):
                tree.Delete(key);
                break;
            case Change.DeleteAtCursor:
                using (WriteCursor cursor = tree.OpenCursor())
                {
                    if (cursor.Seek(place))
                    {
                        cursor.DeleteCurrent();
                    }
                }

                break;
            case Change.PutPlacedAtKey when number < 60 && tree.TryGetCeiling(place, out key, out _):
                tree.Put(key, KeyShapes.Filled(random, PlacedBytes));
                break;
            case Change.ReserveAtKey when tree.TryGetCeiling(place, out key, out _):
                tree.Reserve(key, 50 + random.Next(900)).Fill((byte)number);
                break;
            case Change.WriterAtKey when number < 60 && tree.TryGetCeiling(place, out key, out _):
                System.IO.Pipelines.PipeWriter writer = tree.OpenValueWriter(key);
                writer.GetSpan(100)[..100].Fill((byte)number);
                writer.Advance(100);
                writer.Complete();
                break;
            case Change.PutAtCursor when tree.TryGetCeiling(place, out key, out value):
                using (WriteCursor cursor = tree.OpenCursor())
                {
                    cursor.Put(key, value);
                    tree.TryGetFloor(place, out _, out value);
                    cursor.SetValue(value);
                }

                break;
            case Change.DeleteRange when number < 40 && tree.TryGetCeiling(place, out key, out _):
                place[0] = (byte)Math.Min(255, place[0] + 1);
                if (tree.TryGetCeiling(place, out ReadOnlySpan<byte> to, out _) && key.SequenceCompareTo(to) < 0)
                {
                    tree.DeleteRange(key, to);
                }

                break;
            default:
                break;
        }
    }

    /// <summary>Commits what an action does, ends the process and compares what recovery gives with what was there before.</summary>
    private static void AssertRecovered(int pageBytes, string what, Action<WriteTransaction> action)
    {
        using MemoryDisk disk = new();
        StorageOptions options = new()
        {
            Engine = new() { Disk = disk, Background = false, PlacedValueBytes = PlacedBytes, JournalledBytes = 0 },
            PageSize = pageBytes,
        };
        Dictionary<string, (byte[] Key, byte[] Value)[]> shown;
        StorageEnvironment environment = StorageEnvironment.Open("/own", options);
        try
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                action(transaction);
                transaction.Commit();
            }

            shown = Content(environment);
        }
        finally
        {
            environment.Database.Abandon();
        }

        using StorageEnvironment recovered = StorageEnvironment.Open("/own", options);
        Dictionary<string, (byte[] Key, byte[] Value)[]> found = Content(recovered);
        found.Keys.Should().Equal(shown.Keys, what);
        foreach ((string tree, (byte[] Key, byte[] Value)[] rows) in shown)
        {
            int wrong = found[tree].Length == rows.Length
                ? rows.Zip(found[tree]).Count(static pair =>
                    !pair.First.Key.AsSpan().SequenceEqual(pair.Second.Key) || !pair.First.Value.AsSpan().SequenceEqual(pair.Second.Value))
                : -1;
            wrong.Should().Be(0, $"of {what} all {rows.Length} rows are recovered, and not {found[tree].Length} others");
        }

        recovered.Check().Findings.Should().BeEmpty();
    }

    private static Dictionary<string, (byte[] Key, byte[] Value)[]> Content(StorageEnvironment environment)
    {
        Dictionary<string, (byte[] Key, byte[] Value)[]> content = [];
        using ReadTransaction reader = environment.BeginRead();
        foreach (byte[] name in reader.TreeNameBytes)
        {
            List<(byte[] Key, byte[] Value)> rows = [];
            reader.TryOpenTree(name, out ReadTree tree).Should().BeTrue();
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                rows.Add((key.ToArray(), value.ToArray()));
            }

            content.Add(Convert.ToHexString(name), [.. rows]);
        }

        return content;
    }
}
