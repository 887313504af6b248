using System.Buffers.Binary;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Trees whose random puts look no key up once they have outgrown the memory.</summary>
public sealed class WriteOptimizedTests
{
    private const int Items = 120_000;
    private const int PutsPerCommit = 100;

    [Fact]
    public void It_has_what_was_put_and_counts_exactly_once_all_is_merged()
    {
        using TemporaryFolder folder = new();
        bool wasEstimated = false;
        using (StorageEnvironment environment = Open(folder))
        {
            for (int first = 0; first < Items; first += PutsPerCommit)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                Tree tree = transaction.OpenTree("events", TreeOptions.WriteOptimized);
                for (int item = first; item < first + PutsPerCommit; item++)
                {
                    tree.Put(Key(item), Value(item));
                }

                wasEstimated |= !tree.IsCountExact;
                tree.Count.Should().BeInRange(first / 4 * 3, (first + PutsPerCommit) / 2 * 3);
                transaction.Commit();
            }

            wasEstimated.Should().BeTrue("entries were pending");
            environment.Check().Findings.Should().BeEmpty();
            Require(environment, Items);
            using WriteTransaction last = environment.BeginWrite();
            Tree events = last.OpenTree("events");
            events.TryAdd(Key(Items / 2), Value(0)).Should().BeFalse("the key is there, pending or not");
            events.Delete(Key(0)).Should().BeTrue();
            events.Delete(Key(0)).Should().BeFalse();
            last.Commit();
        }

        using StorageEnvironment again = Open(folder);
        SpinWait.SpinUntil(() => IsMerged(again), TimeSpan.FromMinutes(1)).Should().BeTrue();
        using ReadTransaction read = again.BeginRead();
        ReadTree merged = read.OpenTree("events");
        merged.IsCountExact.Should().BeTrue();
        merged.Count.Should().Be(Items - 1);
        again.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_tree_keeps_the_options_that_it_was_created_with()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = Open(folder);
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree("plain").Put("k"u8, "v"u8);
        transaction.OpenTree("plain", TreeOptions.WriteOptimized).Get("k"u8).Should().Equal("v"u8.ToArray());
        transaction.OpenTree("fast", TreeOptions.WriteOptimized).Put("k"u8, "v"u8);
        transaction.OpenTree("fast").Count.Should().Be(1);
        transaction.OpenTree("fast").IsCountExact.Should().BeTrue("nothing is pending");
        Action unknown = () => transaction.OpenTree("other", (TreeOptions)2);
        unknown.Should().Throw<ArgumentOutOfRangeException>();
        Action other = () => transaction.OpenMultiTree("fast");
        other.Should().Throw<TreeKindMismatchException>().WithMessage("*write-optimized*");
        transaction.Commit();
    }

    [Fact]
    public async Task A_copy_is_write_optimized_too()
    {
        using TemporaryFolder folder = new();
        using TemporaryFolder target = new();
        string copy = Path.Combine(target.Path, "copy");
        using (StorageEnvironment environment = Open(folder))
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                transaction.OpenTree("fast", TreeOptions.WriteOptimized).Put("k"u8, "v"u8);
                transaction.Commit();
            }

            await environment.CopyToAsync(copy);
        }

        using StorageEnvironment copied = StorageEnvironment.Open(copy);
        using WriteTransaction again = copied.BeginWrite();
        again.OpenTree("fast").Get("k"u8).Should().Equal("v"u8.ToArray());
        Action other = () => again.OpenMultiTree("fast");
        other.Should().Throw<TreeKindMismatchException>().WithMessage("*write-optimized*");
    }

    /// <summary>The report is of the transaction that merges, which snapshots see once it has ended.</summary>
    private static bool IsMerged(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        return environment.GetReport().PendingBytes == 0 && read.OpenTree("events").IsCountExact;
    }

    private static StorageEnvironment Open(TemporaryFolder folder) =>
        StorageEnvironment.Open(folder.Path, new StorageOptions { MaxDirtyBytes = 8 << 20 });

    private static void Require(StorageEnvironment environment, int items)
    {
        using ReadTransaction read = environment.BeginRead();
        ReadTree tree = read.OpenTree("events");
        for (int item = 0; item < items; item += 7)
        {
            bool isRight = tree.TryGet(Key(item), out ReadOnlySpan<byte> value) && BitConverter.ToInt32(value) == item;
            isRight.Should().BeTrue("of item {0}", item);
        }
    }

    private static byte[] Value(int item)
    {
        byte[] value = new byte[100];
        BitConverter.TryWriteBytes(value, item);
        return value;
    }

    private static byte[] Key(int item)
    {
        byte[] key = new byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(key, (ulong)item * 0x9E3779B97F4A7C15);
        return key;
    }
}
