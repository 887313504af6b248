using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Trees;

public class TreeShapeTests
{
    public static TheoryData<int> PageSizes { get; } = [4096, 8192, 16384, 32768, 65536];

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Ascending_loads_fill_leaves_to_95_percent(int pageBytes)
    {
        using MemoryPages pages = new(pageBytes);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        byte[] key = new byte[16];
        byte[] value = new byte[40];
        for (int i = 0; i < 100_000; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key.AsSpan(8), i * 3L);
            pages.Trees.Put(root, key, value).Should().BeTrue();
        }

        TreeProof proof = TreeProof.Of(pages, root, pages.Writer.TransactionId);
        proof.Entries.Should().Be(100_000);
        ((double)proof.LiveLeafBytes / ((proof.Leaves - 1) * (double)pageBytes)).Should().BeGreaterThan(0.95);
    }

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Random_loads_fill_leaves_to_two_thirds(int pageBytes)
    {
        using MemoryPages pages = new(pageBytes);
        Random random = new(3);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        for (int i = 0; i < 60_000; i++)
        {
            pages.Trees.Put(root, KeyShapes.Filled(random, 16), new byte[100]).Should().BeTrue();
        }

        TreeProof proof = TreeProof.Of(pages, root, pages.Writer.TransactionId);
        ((double)proof.LiveLeafBytes / (proof.Leaves * (double)pageBytes)).Should().BeGreaterThan(0.62);
    }

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Entries_of_the_greatest_size_split_wherever_they_come_between(int pageBytes)
    {
        for (int seed = 0; seed < 6; seed++)
        {
            using MemoryPages pages = new(pageBytes);
            Random random = new(seed);
            pages.Begin();
            PageNumber root = pages.Trees.CreateRoot();
            SortedDictionary<byte[], byte[]> model = new(ByteOrder.Instance);
            for (int i = 0; i < 300; i++)
            {
                // Small entries first, then one between them that fits beside neither half: by its key, or by its value.
                bool isGreatest = i % 3 == 2;
                bool isByValue = isGreatest && seed % 2 == 1;
                byte[] key = KeyShapes.Filled(random, isGreatest && !isByValue ? pages.MaxKeyBytes : random.Next(1, 12));
                byte[] value = KeyShapes.Filled(
                    random, isByValue ? (pageBytes / 2) - 26 - key.Length : isGreatest ? pageBytes / 4 : random.Next(pageBytes / 4));
                pages.Trees.Put(root, key, value);
                model[key] = value;
                TreeProof.Of(pages, root, pages.Writer.TransactionId).Entries.Should().Be(model.Count);
            }

            foreach ((byte[] key, byte[] value) in model)
            {
                pages.TryFind(root, key, pages.Writer.TransactionId, out ReadOnlySpan<byte> found).Should().BeTrue();
                found.SequenceEqual(value).Should().BeTrue();
            }
        }
    }

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Values_of_almost_half_a_page_share_leaves_and_longer_ones_have_runs(int pageBytes)
    {
        const int Values = 400;
        int most = ((pageBytes - PageHeader.SizeBytes) / 2) - NodeSlot.SizeBytes - sizeof(ushort) - 16;
        using MemoryPages pages = new(pageBytes);
        pages.Begin();
        PageNumber ascending = pages.Trees.CreateRoot();
        PageNumber random = pages.Trees.CreateRoot();
        PageNumber longer = pages.Trees.CreateRoot();
        Random keys = new(5);
        byte[] key = new byte[16];
        for (int i = 0; i < Values; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, i);
            pages.Trees.Put(ascending, key, new byte[most]);
            pages.Trees.Put(longer, key, new byte[most + 1]);
            pages.Trees.Put(random, KeyShapes.Filled(keys, 16), new byte[most]);
        }

        TreeProof.Of(pages, ascending, pages.Writer.TransactionId).Leaves.Should().Be(Values / 2);
        TreeProof.Of(pages, random, pages.Writer.TransactionId).Leaves.Should().BeLessThan(Values * 2 / 3);
        TreeProof.Of(pages, longer, pages.Writer.TransactionId).Leaves.Should().BeLessThan(Values / 10);
    }

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Long_ascending_keys_leave_branches_as_full_as_they_get(int pageBytes)
    {
        const int Keys = 2000;
        using MemoryPages pages = new(pageBytes);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        byte[] key = new byte[pages.MaxKeyBytes];
        for (int i = 0; i < Keys; i++)
        {
            // Three keys fill a leaf, and its last key shares all but the end with the next one: separators are as long as keys.
            key.AsSpan().Fill(7);
            BinaryPrimitives.WriteInt32BigEndian(key, (i + 1) / 3);
            BinaryPrimitives.WriteInt32BigEndian(key.AsSpan(key.Length - 4), i);
            pages.Trees.Put(root, key, default).Should().BeTrue();
        }

        TreeProof proof = TreeProof.Of(pages, root, pages.Writer.TransactionId);
        proof.Entries.Should().Be(Keys);
        ((proof.Pages - 1) / (double)(proof.Pages - proof.Leaves)).Should().BeGreaterThan(2.9, "a branch holds three long separators");
        proof.Depth.Should().BeLessThanOrEqualTo(8, "667 leaves have three to a branch");
    }

    [Fact]
    public void A_value_takes_its_old_place_but_never_one_that_another_snapshot_sees()
    {
        using MemoryPages pages = new(8192);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        pages.Trees.Put(root, [1], new byte[100]);
        int used = HeapBytes();
        for (int i = 0; i < 200; i++)
        {
            pages.Trees.Put(root, [1], Enumerable.Repeat((byte)i, 100).ToArray()).Should().BeFalse();
        }

        HeapBytes().Should().Be(used);
        pages.Trees.Put(root, [1], Enumerable.Repeat((byte)7, 50).ToArray());
        TransactionId before = pages.Writer.TransactionId;
        pages.Commit();
        pages.Begin();
        pages.Trees.Put(root, [1], new byte[50]);
        pages.TryFind(root, [1], before, out ReadOnlySpan<byte> old).Should().BeTrue();
        old.SequenceEqual(Enumerable.Repeat((byte)7, 50).ToArray()).Should().BeTrue();

        int HeapBytes() => pages.Source.Read(root, pages.Writer.TransactionId).Header.HeapUsedBytes;
    }

    [Fact]
    public void A_root_keeps_its_page_and_takes_its_content_back_when_the_tree_shrinks()
    {
        using MemoryPages pages = new(4096);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        byte[] key = new byte[8];
        for (int i = 0; i < 20_000; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, i);
            pages.Trees.Put(root, key, new byte[200]);
        }

        TreeProof.Of(pages, root, pages.Writer.TransactionId).Depth.Should().BeGreaterThan(2);
        for (int i = 0; i < 20_000; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, (i * 7919L) % 20_000);
            pages.Trees.Delete(root, key).Should().BeTrue();
        }

        TreeProof proof = TreeProof.Of(pages, root, pages.Writer.TransactionId);
        proof.Entries.Should().Be(0);
        proof.Pages.Should().Be(1);
        pages.CountUsedPages().Should().Be(1);
    }

    [Fact]
    public void Values_may_be_parts_of_the_tree_that_they_go_to()
    {
        using MemoryPages pages = new(4096);
        Random random = new(5);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        byte[] long1 = KeyShapes.Filled(random, 20_000);
        pages.Trees.Put(root, "long"u8, long1);
        pages.TryFind(root, "long"u8, pages.Writer.TransactionId, out ReadOnlySpan<byte> found);
        pages.Trees.Put(root, "long"u8, found[5000..15_000]);
        pages.TryFind(root, "long"u8, pages.Writer.TransactionId, out found);
        found.SequenceEqual(long1.AsSpan(5000, 10_000)).Should().BeTrue();
        pages.Trees.Put(root, "long"u8, found[..300]);
        byte[] expected = long1[5000..5300];
        for (int i = 0; i < 3000; i++)
        {
            // Rebuilds and splits move what the span points to while it is being stored again.
            byte[] key = i % 2 == 0 ? "long"u8.ToArray() : KeyShapes.Filled(random, 8);
            pages.TryFind(root, "long"u8, pages.Writer.TransactionId, out found).Should().BeTrue();
            pages.Trees.Put(root, key, found);
            pages.TryFind(root, key, pages.Writer.TransactionId, out found).Should().BeTrue();
            found.SequenceEqual(expected).Should().BeTrue();
        }
    }

    [Fact]
    public void A_key_beyond_the_limit_is_refused_and_nothing_changes()
    {
        using MemoryPages pages = new(4096);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        Action put = () => pages.Trees.Put(root, new byte[1025], default);
        put.Should().Throw<KeyTooLongException>().Which.Limit.Should().Be(1024);
        TreeProof.Of(pages, root, pages.Writer.TransactionId).Entries.Should().Be(0);
        pages.Trees.Put(root, new byte[1024], default).Should().BeTrue();
    }
}
