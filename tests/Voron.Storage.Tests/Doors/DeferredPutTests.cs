using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Puts are made in the trees some time after the call; nobody can tell.</summary>
public sealed class DeferredPutTests : IDisposable
{
    private const int Count = 300;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(129)]
    [InlineData(5000)]
    public void Every_number_of_puts_is_committed_and_recovered(int puts)
    {
        using TemporaryFolder killed = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(environment, 0, puts);
            Sample.Expect(environment, puts);
            TemporaryFolder.Copy(_folder.Path, killed.Path);
        }

        using StorageEnvironment recovered = StorageEnvironment.Open(killed.Path);
        Sample.Expect(recovered, puts);
    }

    [Fact]
    public void Each_look_sees_every_put_before_it()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree one = transaction.OpenTree("one");
        Tree two = transaction.OpenTree("two");
        ReadTree reading = one.AsReadTree();
        byte[] big = Sample.Value(20_000, 1);
        one.Put("a"u8, "1"u8);
        two.Put("a"u8, "2"u8);
        one.Put("a"u8, big);
        one.Count.Should().Be(1);
        two.Put("b"u8, default);
        two.Count.Should().Be(2);
        reading.Get("a"u8).Should().Equal(big);
        one.Put("b"u8, "3"u8);
        reading.Contains("b"u8).Should().BeTrue();
        one.Put("c"u8, "4"u8);
        one.TryAdd("c"u8, "5"u8).Should().BeFalse();
        one.Put("d"u8, "6"u8);
        one.Delete("d"u8).Should().BeTrue();
        one.Put("e"u8, "7"u8);
        Sample.Texts(one.Range("a"u8, "z"u8)).Should().Equal("a", "b", "c", "e");
        one.Put("f"u8, "8"u8);
        transaction.DropTree("one").Should().BeTrue();
        Tree again = transaction.OpenTree("one");
        again.Count.Should().Be(0);
        again.Put("g"u8, "9"u8);
        transaction.Commit();
        using ReadTransaction read = environment.BeginRead();
        read.TryOpenTree("one", out ReadTree first).Should().BeTrue();
        Sample.Texts(first.Range("a"u8, "z"u8)).Should().Equal("g");
        read.TryOpenTree("two", out ReadTree second).Should().BeTrue();
        second.Count.Should().Be(2);
    }

    [Fact]
    public void Ascending_puts_behind_the_end_fill_leaves_as_appends_do()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree put = transaction.OpenTree("put");
        Tree appended = transaction.OpenTree("appended");
        for (int i = 0; i < 20_000; i++)
        {
            put.Put(Sample.Key(i), Sample.Value(100, 1));
        }

        for (int i = 0; i < 20_000; i++)
        {
            appended.Append(Sample.Key(i), Sample.Value(100, 1));
        }

        put.GetReport().LeafPages.Should().Be(appended.GetReport().LeafPages);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Ascending_runs_may_begin_anywhere(int seed)
    {
        Random random = new(seed);
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        string[] names = ["one", "two"];
        SortedDictionary<int, int>[] expected = [[], []];
        for (int round = 0; round < 40; round++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree[] trees = [.. names.Select(transaction.OpenTree)];
            for (int run = 0; run < 4; run++)
            {
                int which = random.Next(2);
                int key = Math.Max(0, expected[which].LastOrDefault().Key + random.Next(-30, 30));
                for (int left = random.Next(1, 200); left > 0; left--)
                {
                    int valueBytes = random.Next(20) == 0 ? random.Next(5000) : random.Next(300);
                    trees[which].Put(Sample.Key(key), Sample.Value(valueBytes, key));
                    expected[which][key] = valueBytes;
                    key += random.Next(1, 4);
                }
            }

            transaction.Commit();
        }

        using (ReadTransaction read = environment.BeginRead())
        {
            for (int which = 0; which < names.Length; which++)
            {
                read.TryOpenTree(names[which], out ReadTree tree).Should().BeTrue();
                tree.Count.Should().Be(expected[which].Count);
                foreach ((int key, int valueBytes) in expected[which])
                {
                    tree.Get(Sample.Key(key)).Should().Equal(Sample.Value(valueBytes, key), "seed {0}, key {1}", seed, key);
                }
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void The_callers_buffers_may_change_after_the_call_and_a_value_may_come_from_the_tree()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        byte[] key = [1];
        byte[] value = [1];
        for (byte i = 1; i <= 50; i++)
        {
            key[0] = i;
            value[0] = i;
            tree.Put(key, value);
        }

        tree.TryGet([50], out ReadOnlySpan<byte> found).Should().BeTrue();
        tree.Put([51], found);
        for (byte i = 1; i <= 51; i++)
        {
            tree.Get([i]).Should().Equal(Math.Min(i, (byte)50));
        }
    }

    [Fact]
    public void An_enumeration_notices_a_put_that_is_only_noted()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.Put("a"u8, default);
        Action change = () =>
        {
            foreach ((ReadOnlySpan<byte> _, ReadOnlySpan<byte> _) in tree)
            {
                tree.Put("b"u8, default);
            }
        };
        change.Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void Rolled_back_puts_leave_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 10);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            for (int i = 5; i < 300; i++)
            {
                tree.Put(Sample.Key(i), "other"u8);
            }
        }

        Sample.Expect(environment, 10);
        Sample.Put(environment, 10, 20);
        Sample.Expect(environment, 20);
    }

    [Fact]
    public void Damage_that_a_put_meets_is_told_before_anything_left()
    {
        Fill(20);
        Damage(PageKind.Leaf);
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            Action overwrite = () => Sample.Put(environment, 0, Count, 30);
            overwrite.Should().Throw<StorageCorruptException>();
            using WriteTransaction other = environment.BeginWrite();
            other.OpenTree("other").Put("a"u8, "b"u8);
            other.Commit();
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path);
        using ReadTransaction read = again.BeginRead();
        read.TryOpenTree("other", out ReadTree tree).Should().BeTrue();
        tree.Get("a"u8).Should().Equal((byte)'b');
    }

    [Fact]
    public void A_damaged_value_can_be_replaced_and_deleted()
    {
        Fill(10_000);
        Damage(PageKind.Overflow);
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            using (ReadTransaction read = environment.BeginRead())
            {
                read.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
                Action readAll = () => Enumerable.Range(0, Count).ToList().ForEach(i => tree.Get(Sample.Key(i)));
                readAll.Should().Throw<StorageCorruptException>();
            }

            Sample.Put(environment, 0, Count / 2, 30);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                for (int i = Count / 2; i < Count; i++)
                {
                    tree.Delete(Sample.Key(i)).Should().BeTrue();
                }

                transaction.Commit();
            }

            Sample.Expect(environment, Count / 2, 30);
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(again, Count / 2, 30);
    }

    private void Fill(int valueBytes)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Sample.Put(environment, 0, Count, valueBytes);
    }

    /// <summary>Turns a bit in the last page of a kind (of an overflow run: in its value).</summary>
    private void Damage(PageKind kind)
    {
        const int PageBytes = 8192;
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        int last = Enumerable.Range(2, (file.Length / PageBytes) - 2).Last(page =>
            BitConverter.ToInt64(file, (page * PageBytes) + 8) == page && file[(page * PageBytes) + 24] == (byte)kind);
        file[(last * PageBytes) + 4000] ^= 1;
        File.WriteAllBytes(Sample.Data(_folder), file);
    }
}
