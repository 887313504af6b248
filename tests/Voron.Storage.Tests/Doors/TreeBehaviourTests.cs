using FluentAssertions;
using Voron.Storage.Tests.Trees;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What trees do at the door: ranges, empty keys and values, large values, names, drops, counts.</summary>
public class TreeBehaviourTests
{
    public static TheoryData<int> PageSizes => [4096, 8192, 16384, 32768, 65536];

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Ranges_of_every_form(int pageBytes)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            foreach (string key in (string[])["", "a", "aa", "ab", "b", "ba", "\u00ff", "\u00ff\u00ff", "\u00ff\u00ff\u0001"])
            {
                tree.Put(Latin(key), Latin("=" + key));
            }

            ExpectRanges(tree);
            transaction.Commit();
        }

        using (ReadTransaction transaction = environment.BeginRead())
        {
            transaction.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
            ExpectRanges(tree);
        }

        environment.Checkpoint();
        using (ReadTransaction transaction = environment.BeginRead())
        {
            transaction.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
            ExpectRanges(tree);
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Add_delete_and_count_see_uncommitted_changes()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            tree.TryAdd("k"u8, "1"u8).Should().BeTrue();
            tree.TryAdd("k"u8, "2"u8).Should().BeFalse();
            tree.Get("k"u8).Should().Equal("1"u8.ToArray());
            tree.Put("k"u8, "3"u8);
            tree.Count.Should().Be(1);
            tree.AsReadTree().Count.Should().Be(1);
            tree.Put(default, default);
            tree.TryGet(default, out ReadOnlySpan<byte> empty).Should().BeTrue();
            empty.Length.Should().Be(0);
            tree.Count.Should().Be(2);
            tree.Delete("missing"u8).Should().BeFalse();
            tree.Delete("k"u8).Should().BeTrue();
            tree.Delete("k"u8).Should().BeFalse();
            tree.Count.Should().Be(1);
            transaction.TryOpenTree("t", out Tree same).Should().BeTrue();
            same.Count.Should().Be(1);
            transaction.TryOpenTree("other", out _).Should().BeFalse();
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        read.TryOpenTree("t", out ReadTree after).Should().BeTrue();
        after.Count.Should().Be(1);
        after.Contains(default).Should().BeTrue();
        read.TryOpenTree("other", out ReadTree none).Should().BeFalse();
        none.Should().Be(default(ReadTree));
        environment.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Values_of_every_length_up_to_a_mebibyte(int pageBytes)
    {
        using TemporaryFolder folder = new();
        int quarter = pageBytes / 4;
        int[] lengths =
        [
            0, 1, quarter - 1, quarter, quarter + 1, (2 * quarter) - 50, 2 * quarter, pageBytes - 32, pageBytes - 31, pageBytes, 100_000,
            1 << 20,
        ];
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { PageSize = pageBytes }))
        {
            for (int round = 0; round < 3; round++)
            {
                // Each round gives every key another length, so that runs are freed and taken again.
                using WriteTransaction transaction = environment.BeginWrite();
                Tree tree = transaction.OpenTree("t");
                for (int i = 0; i < lengths.Length; i++)
                {
                    tree.Put(Sample.Key(i), Sample.Value(lengths[(i + round) % lengths.Length], i + round));
                }

                transaction.Commit();
                if (round == 1)
                {
                    environment.Checkpoint();
                }
            }

            ExpectValues(environment, lengths);
        }

        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            ExpectValues(environment, lengths);
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            for (int i = 0; i < lengths.Length; i++)
            {
                tree.Delete(Sample.Key(i)).Should().BeTrue();
            }

            transaction.Commit();
            environment.Checkpoint();
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void Estimates_are_near_and_many_lookups_find_what_single_ones_find()
    {
        const int Entries = 50_000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, Entries);
        using ReadTransaction transaction = environment.BeginRead();
        transaction.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        byte[][] sorted = [.. Enumerable.Range(0, Entries).Select(Sample.Key).Order(Trees.ByteOrder.Instance)];
        Random random = new(3);
        for (int i = 0; i < 300; i++)
        {
            int from = random.Next(Entries);
            int length = random.Next(i % 3 == 0 ? 30 : Entries - from);
            int to = Math.Min(Entries - 1, from + length);
            double estimate = tree.EstimateCount(sorted[from], sorted[to]);
            estimate.Should().BeApproximately(to - from, 40 + ((to - from) * 0.35));
        }

        ReadOnlyMemory<byte>[] keys =
            [.. Enumerable.Range(0, 1001).Select(_ => (ReadOnlyMemory<byte>)Sample.Key(random.Next(Entries * 2)))];
        int seen = 0;
        foreach (TreeLookup found in tree.GetMany(keys))
        {
            bool exists = tree.TryGet(keys[found.Index].Span, out ReadOnlySpan<byte> value);
            found.Exists.Should().Be(exists);
            found.Value.SequenceEqual(value).Should().BeTrue();
            seen++;
        }

        seen.Should().Be(keys.Length);
    }

    /// <summary>Some leaves have many short values, and others a few long ones.</summary>
    [Theory]
    [InlineData(4096)]
    [InlineData(16384)]
    [InlineData(65536)]
    public void Estimates_are_near_where_leaves_are_uneven(int pageBytes)
    {
        const int Entries = 6000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        Random random = new(pageBytes);
        byte[][] keys = [.. Enumerable.Range(0, Entries).Select(Sample.Key)];
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree filled = transaction.OpenTree(Sample.Tree);
            foreach (int i in Enumerable.Range(0, Entries).OrderBy(_ => random.Next()))
            {
                filled.Put(keys[i], new byte[i / 100 % 2 == 0 ? pageBytes / 10 : 20]);
            }

            transaction.Commit(CommitMode.Lazy);
        }

        using ReadTransaction reader = environment.BeginRead();
        ReadTree tree = reader.OpenTree(Sample.Tree);
        for (int i = 0; i < 1000; i++)
        {
            int from = random.Next(Entries);
            int to = Math.Min(Entries - 1, from + random.Next(150));
            double estimate = tree.EstimateCount(keys[from], keys[to]);
            estimate.Should().BeInRange((to - from) / 2.0, Math.Max(1, (to - from) * 2.0), "of {0}", to - from);
        }
    }

    [Fact]
    public void A_thousand_trees_and_names_of_any_bytes()
    {
        using TemporaryFolder folder = new();
        byte[][] odd = [[0], [0, 0], [255], [255, 254], [10, 13], Sample.Value(255, 3)];
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            using WriteTransaction transaction = environment.BeginWrite();
            for (int i = 0; i < 1000; i++)
            {
                transaction.OpenTree($"tree {i:D4}").Put("k"u8, Sample.Key(i));
            }

            foreach (byte[] name in odd)
            {
                transaction.OpenTree(name).Put("k"u8, name);
            }

            transaction.Commit();
        }

        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            using (ReadTransaction transaction = environment.BeginRead())
            {
                transaction.TreeNames.Should().HaveCount(1006).And.Contain("tree 0999");
                for (int i = 0; i < 1000; i++)
                {
                    transaction.TryOpenTree($"tree {i:D4}", out ReadTree tree).Should().BeTrue();
                    tree.Get("k"u8).Should().Equal(Sample.Key(i));
                }

                foreach (byte[] name in odd)
                {
                    transaction.TryOpenTree(name, out ReadTree tree).Should().BeTrue();
                    tree.Get("k"u8).Should().Equal(name);
                }
            }

            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void A_dropped_tree_gives_its_space_back()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 5000, 300);
        environment.Checkpoint();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.DropTree("missing").Should().BeFalse();
            transaction.DropTree("sample"u8).Should().BeTrue();
            transaction.TryOpenTree(Sample.Tree, out _).Should().BeFalse();
            transaction.Commit();
        }

        environment.Checkpoint();
        EnvironmentReport report = environment.GetReport();
        (report.DataFileBytes - report.FreeBytes).Should().BeLessThan(20 * report.PageBytes);
        using (ReadTransaction transaction = environment.BeginRead())
        {
            transaction.TreeNames.Should().BeEmpty();
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void What_is_rolled_back_never_was()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 500);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            for (int i = 0; i < 500; i++)
            {
                tree.Delete(Sample.Key(i));
                tree.Put(Sample.Key(i + 1000), new byte[5000]);
            }

            transaction.OpenTree("new").Put("k"u8, "v"u8);
            transaction.DropTree(Sample.Tree);
        }

        Sample.Expect(environment, 500);
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().Equal(Sample.Tree);
    }

    private static void ExpectRanges(ReadTree tree)
    {
        string[] all = ["", "a", "aa", "ab", "b", "ba", "\u00ff", "\u00ff\u00ff", "\u00ff\u00ff\u0001"];
        Expect(tree.From(default), all);
        Expect(tree.From("aa"u8), all[2..]);
        Expect(tree.From("bb"u8), all[6..]);
        Expect(tree.Range("a"u8, "b"u8), all[1..4]);
        Expect(tree.Range("A"u8, "z"u8), all[1..6]);
        Expect(tree.Range(default, "a"u8), all[..1]);
        Expect(tree.Range("b"u8, "a"u8), []);
        Expect(tree.Range("a"u8, "a"u8), []);
        Expect(tree.Range("c"u8, "d"u8), []);
        Expect(tree.Prefix(default), all);
        Expect(tree.Prefix("a"u8), all[1..4]);
        Expect(tree.Prefix("aab"u8), []);
        Expect(tree.Prefix([0xFF]), all[6..]);
        Expect(tree.Prefix([0xFF, 0xFF]), all[7..]);
        Expect(tree.Prefix([0xFF, 0xFF, 0xFF]), []);
        Expect(tree.After("a"u8), all[2..]);
        Expect(tree.After("aaa"u8), all[3..]);
        Expect(tree.After([0xFF, 0xFF, 1]), []);
        Expect(tree.To("b"u8), all[..4]);
        Expect(tree.To(default), []);
        Expect(tree.UpTo("b"u8), all[..5]);
        Expect(tree.UpTo(default), all[..1]);
        Expect(tree.Range("a"u8, false, "b"u8, true), all[2..5]);
        Expect(tree.Range("a"u8, true, "b"u8, true), all[1..5]);
        Expect(tree.Range("a"u8, false, "b"u8, false), all[2..4]);
        Expect(tree.Range("a"u8, false, "a"u8, true), []);
        Expect(tree.Range("a"u8, true, "a"u8, true), all[1..2]);
        Expect(tree.Range("b"u8, true, "a"u8, true), []);
        ExpectSingles(tree, all);
        Sample.Texts(tree.Reverse()).Should().Equal(all.Reverse());
        Sample.Texts(tree.Reverse().Reverse()).Should().Equal(all);
    }

    private static void ExpectSingles(ReadTree tree, string[] all)
    {
        tree.TryGetFirst(out ReadOnlySpan<byte> first, out ReadOnlySpan<byte> value).Should().BeTrue();
        first.Length.Should().Be(0);
        value.SequenceEqual("="u8).Should().BeTrue();
        tree.TryGetLast(out ReadOnlySpan<byte> last, out value).Should().BeTrue();
        first.Length.Should().Be(0, "a key stays valid when others are asked for");
        last.SequenceEqual(Latin(all[^1])).Should().BeTrue();
        foreach (string limit in (string[])["", "A", "a", "aa", "aaa", "b", "bb", "z", "ÿ", "ÿÿÿ"])
        {
            string[] below = [.. all.Where(key => string.CompareOrdinal(key, limit) <= 0)];
            string[] above = [.. all.Where(key => string.CompareOrdinal(key, limit) >= 0)];
            tree.TryGetFloor(Latin(limit), out ReadOnlySpan<byte> floor, out _).Should().Be(below.Length > 0);
            tree.TryGetCeiling(Latin(limit), out ReadOnlySpan<byte> ceiling, out value).Should().Be(above.Length > 0);
            floor.SequenceEqual(Latin(below[^1])).Should().BeTrue();
            ceiling.SequenceEqual(Latin(above.FirstOrDefault(string.Empty))).Should().BeTrue();
            (above.Length == 0 || value[1..].SequenceEqual(ceiling)).Should().BeTrue();
        }

        ReadOnlyMemory<byte>[] keys = [.. all.Append("c").Append("A").Append("aaa").Select(key => (ReadOnlyMemory<byte>)Latin(key))];
        int seen = 0;
        foreach (TreeLookup found in tree.GetMany(keys))
        {
            found.Index.Should().Be(seen);
            found.Exists.Should().Be(seen < all.Length);
            (seen >= all.Length || found.Value[1..].SequenceEqual(keys[seen].Span)).Should().BeTrue();
            tree.Contains(keys[seen].Span).Should().Be(seen < all.Length);
            seen++;
        }

        seen.Should().Be(keys.Length);
        tree.EstimateCount("a"u8, "b"u8).Should().Be(3);
        tree.EstimateCount("b"u8, "a"u8).Should().Be(0);
    }

    private static void Expect(TreeRange range, string[] keys)
    {
        Sample.Texts(range).Should().Equal(keys);
        Sample.Texts(range.Reverse()).Should().Equal(keys.Reverse());
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in range)
        {
            value[1..].SequenceEqual(key).Should().BeTrue();
        }
    }

    private static void ExpectValues(StorageEnvironment environment, int[] lengths)
    {
        using (ReadTransaction transaction = environment.BeginRead())
        {
            transaction.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
            for (int i = 0; i < lengths.Length; i++)
            {
                tree.TryGet(Sample.Key(i), out ReadOnlySpan<byte> value).Should().BeTrue();
                value.SequenceEqual(Sample.Value(lengths[(i + 2) % lengths.Length], i + 2)).Should().BeTrue();
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    private static byte[] Latin(string text) => System.Text.Encoding.Latin1.GetBytes(text);
}
