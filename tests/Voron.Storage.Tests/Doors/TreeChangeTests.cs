using System.Buffers.Binary;
using System.Text;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Changes beyond single puts and deletes, also after they were replayed from the journal.</summary>
public class TreeChangeTests
{
    [Fact]
    public void A_reserved_value_is_zero_and_holds_what_is_written_into_it()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            for (int i = 0; i < 1000; i++)
            {
                int length = i % 50 == 0 ? 30_000 : i % 90;
                Span<byte> room = tree.Reserve(Sample.Key(i), length);
                room.Length.Should().Be(length);
                room.ContainsAnyExcept((byte)0).Should().BeFalse();
                Sample.Value(length, i).CopyTo(room);
            }

            tree.Count.Should().Be(1000);
            tree.Reserve(Sample.Key(7), 3).Fill(7);
            tree.Get(Sample.Key(7)).Should().Equal(7, 7, 7);
            Action negative = () => tree.Reserve(default, -1);
            negative.Should().Throw<ArgumentOutOfRangeException>();
            tree.Reserve(Sample.Key(7), 7 % 90);
            Sample.Value(7 % 90, 7).CopyTo(tree.Reserve(Sample.Key(7), 7 % 90));
            transaction.Commit();
            ExpectReserved(environment);
            TemporaryFolder.Copy(folder.Path, folder.Path + "-killed");
        }

        using (StorageEnvironment replayed = StorageEnvironment.Open(folder.Path + "-killed"))
        {
            ExpectReserved(replayed);
        }

        Directory.Delete(folder.Path + "-killed", recursive: true);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(70_000)]
    [InlineData(2 << 20)]
    public void What_is_written_to_a_reserved_span_too_late_changes_nothing(int length)
    {
        using TemporaryFolder folder = new();
        string killed = folder.Path + "-killed";
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            using WriteTransaction first = environment.BeginWrite();
            Tree tree = first.OpenTree("t");
            Span<byte> early = tree.Reserve(Sample.Key(0), length);
            early.Fill(1);
            tree.Put(Sample.Key(1), [1]);
            early.Fill(0xEE);
            Span<byte> late = tree.Reserve(Sample.Key(2), length);
            late.Fill(1);
            first.Commit();
            late.Fill(0xEE);
            using WriteTransaction second = environment.BeginWrite();
            tree = second.OpenTree("t");
            for (int i = 3; i < 100; i++)
            {
                tree.Put(Sample.Key(i), [1]);
                late.Fill(0xEE);
            }

            second.Commit();
            late.Fill(0xEE);
            ExpectOnes(environment);
            TemporaryFolder.Copy(folder.Path, killed);
        }

        using (StorageEnvironment replayed = StorageEnvironment.Open(killed))
        {
            ExpectOnes(replayed);
        }

        Directory.Delete(killed, recursive: true);

        static void ExpectOnes(StorageEnvironment environment)
        {
            using (ReadTransaction read = environment.BeginRead())
            {
                ReadTree tree = read.OpenTree("t");
                tree.Count.Should().Be(100);
                foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
                {
                    (value.Length > 0 && !value.ContainsAnyExcept((byte)1)).Should().BeTrue("key {0} is right", Convert.ToHexString(key));
                }
            }

            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void A_value_is_written_by_a_callback()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        ReadOnlySpan<byte> source = [1, 2, 3];
        tree.Put("a"u8, 5, source, static (value, bytes) => bytes.CopyTo(value[1..]));
        tree.Get("a"u8).Should().Equal(0, 1, 2, 3, 0);
        tree.TryGet("a"u8, out ReadOnlySpan<byte> own).Should().BeTrue();
        tree.Put(own, 100_000, tree, static (value, same) =>
        {
            value.Fill(7);
            same.Put("a"u8, 1, 9, static (inner, number) => inner[0] = (byte)number);
            for (int i = 0; i < 1000; i++)
            {
                same.Put(Sample.Key(i), Sample.Value(50, i));
            }
        });
        tree.Get("a"u8).Should().Equal(9);
        tree.Get([0, 1, 2, 3, 0]).Should().Equal(Enumerable.Repeat((byte)7, 100_000).ToArray());
        Action fails = () => tree.Put("b"u8, 10, 0, static (_, _) => throw new TimeZoneNotFoundException());
        fails.Should().Throw<TimeZoneNotFoundException>();
        Action negative = () => tree.Put("b"u8, -1, 0, static (_, _) => { });
        negative.Should().Throw<ArgumentOutOfRangeException>();
        Action without = () => tree.Put("b"u8, 1, 0, null!);
        without.Should().Throw<ArgumentNullException>();
        tree.Contains("b"u8).Should().BeFalse();
        Action ended = () => tree.Put("b"u8, 1, transaction, static (_, outer) => outer.Dispose());
        ended.Should().Throw<ObjectDisposedException>();
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().BeEmpty();
    }

    [Fact]
    public void Append_takes_ascending_keys_only_and_changes_nothing_else()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            Tree other = transaction.OpenTree("other");
            tree.Append(default, "empty"u8);
            Action same = () => tree.Append(default, "again"u8);
            same.Should().Throw<ArgumentException>().Which.Message.Should().Contain("not above").And.Contain("nothing was changed");
            for (int i = 0; i < 20_000; i++)
            {
                tree.Append(Sample.Key(i), Sample.Value(i % 997 == 0 ? 9000 : 20, i));
                if (i % 100 == 60)
                {
                    // Other trees and other changes in between must not lead an append astray.
                    other.Put(Sample.Key(-i), "x"u8);
                    tree.Delete(Sample.Key(i - 50));
                    tree.Put(Sample.Key(i - 50), Sample.Value(20, i - 50));
                }
            }

            Action below = () => tree.Append(Sample.Key(19_998), "x"u8);
            below.Should().Throw<ArgumentException>();
            tree.Get(default).Should().Equal("empty"u8.ToArray());
            tree.Count.Should().Be(20_001);
            transaction.Commit();
        }

        environment.Check().Findings.Should().BeEmpty();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("t").Append(Sample.Key(20_000), "rolled back"u8);
        }

        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.TryOpenTree("t", out Tree tree).Should().BeTrue();
            Action again = () => tree.Append(Sample.Key(20_000), "committed"u8);
            again.Should().NotThrow("the append before was rolled back, and its place with it");
            tree.Get(Sample.Key(20_000)).Should().Equal("committed"u8.ToArray());
            tree.Count.Should().Be(20_002);
            transaction.Commit();
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_load_fills_pages_and_stops_at_a_key_out_of_order()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.Load(Entries(0, 50_000)).Should().Be(50_000);
        tree.Count.Should().Be(50_000);
        Action wrong = () => tree.Load(Entries(50_000, 50_010).Concat(Entries(3, 4)));
        wrong.Should().Throw<ArgumentException>();
        tree.Count.Should().Be(50_010);
        int seen = 0;
        foreach ((ReadOnlySpan<byte> key, _) in tree)
        {
            BinaryPrimitives.ReadInt32BigEndian(key).Should().Be(seen++);
        }

        transaction.Commit();
        environment.Check().Findings.Should().BeEmpty();
        environment.Checkpoint();
        EnvironmentReport report = environment.GetReport();
        (report.DataFileBytes - report.FreeBytes).Should().BeLessThan((long)(50_010 * 104 * 1.12));

        static IEnumerable<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Entries(int from, int to) =>
            Enumerable.Range(from, to - from)
                .Select(i => KeyValuePair.Create<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(Sample.Key(i), new byte[100]));
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(65536)]
    public void DeleteRange_is_one_operation_in_the_journal_and_replayed(int pageBytes)
    {
        using TemporaryFolder folder = new();
        using TemporaryFolder killed = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { PageSize = pageBytes }))
        {
            Sample.Put(environment, 0, 20_000, 60);
            environment.Checkpoint();
            long before = environment.GetReport().JournalBytesWritten;
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                tree.DeleteRange(Sample.Key(5000), Sample.Key(5000)).Should().Be(0);
                tree.DeleteRange(Sample.Key(5001), Sample.Key(5000)).Should().Be(0);
                tree.DeleteRange(Sample.Key(30_000), Sample.Key(40_000)).Should().Be(0);
                tree.Put(Sample.Key(20_000), new byte[30_000]);
                tree.DeleteRange(Sample.Key(100), Sample.Key(30_000)).Should().Be(19_901);
                tree.Count.Should().Be(100);
                tree.Get(Sample.Key(99)).Should().NotBeNull();
                tree.Contains(Sample.Key(100)).Should().BeFalse();
                transaction.Commit();
            }

            (environment.GetReport().JournalBytesWritten - before).Should().BeLessThan(40_000, "the range, not its entries, is noted");
            Sample.Expect(environment, 100, 60);
            TemporaryFolder.Copy(folder.Path, killed.Path);
        }

        using (StorageEnvironment replayed = StorageEnvironment.Open(killed.Path))
        {
            Sample.Expect(replayed, 100, 60);
        }
    }

    [Fact]
    public void A_renamed_tree_keeps_its_entries_and_its_handles()
    {
        using TemporaryFolder folder = new();
        using TemporaryFolder killed = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            Sample.Put(environment, 0, 100);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                tree.Put(Sample.Key(100), Sample.Value(20, 100));
                transaction.RenameTree("missing", "other").Should().BeFalse();
                transaction.RenameTree(Sample.Tree, "other").Should().BeTrue();
                tree.Put(Sample.Key(101), Sample.Value(20, 101));
                transaction.TryOpenTree(Sample.Tree, out _).Should().BeFalse();
                transaction.TryOpenTree("other", out Tree same).Should().BeTrue();
                same.Should().Be(tree);
                transaction.OpenTree("third").Put("a"u8, "b"u8);
                Action taken = () => transaction.RenameTree("other", "third");
                taken.Should().Throw<InvalidOperationException>().Which.Message.Should().Contain("third");
                transaction.DropTree("third").Should().BeTrue();
                transaction.RenameTree("other"u8, [0xFF, 0x00]).Should().BeTrue();
                transaction.RenameTree([0xFF, 0x00], Sample.Bytes(Sample.Tree)).Should().BeTrue();
                transaction.OpenTree("other").Put("k"u8, "v"u8);
                transaction.TreeNames.Should().Equal("other", Sample.Tree);
                transaction.TreeNameBytes.Select(Encoding.UTF8.GetString).Should().Equal("other", Sample.Tree);
                transaction.Commit();
            }

            Sample.Expect(environment, 102);
            TemporaryFolder.Copy(folder.Path, killed.Path);
        }

        using StorageEnvironment replayed = StorageEnvironment.Open(killed.Path);
        Sample.Expect(replayed, 102);
        using ReadTransaction read = replayed.BeginRead();
        read.TreeNames.Should().Equal("other", Sample.Tree);
    }

    [Fact]
    public void A_tree_dropped_and_created_again_in_one_transaction_is_a_new_one()
    {
        using TemporaryFolder folder = new();
        using TemporaryFolder killed = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            Sample.Put(environment, 500, 900);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree old = transaction.OpenTree(Sample.Tree);
                old.Put("noted"u8, "and never made"u8);
                transaction.DropTree(Sample.Tree).Should().BeTrue();
                transaction.DropTree(Sample.Tree).Should().BeFalse();
                Action stale = () => old.Put("a"u8, "b"u8);
                stale.Should().Throw<InvalidOperationException>().Which.Message.Should().Contain("dropped");
                Tree tree = transaction.OpenTree(Sample.Tree);
                tree.Count.Should().Be(0);
                for (int i = 0; i < 300; i++)
                {
                    tree.Put(Sample.Key(i), Sample.Value(20, i));
                }

                transaction.Commit();
            }

            Sample.Expect(environment, 300);
            TemporaryFolder.Copy(folder.Path, killed.Path);
        }

        using StorageEnvironment replayed = StorageEnvironment.Open(killed.Path);
        Sample.Expect(replayed, 300);
    }

    private static void ExpectReserved(StorageEnvironment environment)
    {
        using (ReadTransaction read = environment.BeginRead())
        {
            read.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
            tree.Count.Should().Be(1000);
            for (int i = 0; i < 1000; i++)
            {
                tree.Get(Sample.Key(i)).Should().Equal(Sample.Value(i % 50 == 0 ? 30_000 : i % 90, i));
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }
}
