using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>What a tree takes of the file against what its user put in, counted in pages.</summary>
public class TreeFillTests
{
    private const int ValueBytes = 100;
    private const int KeyBytes = 16;

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(16384)]
    [InlineData(32768)]
    [InlineData(65536)]
    public void Random_loads_allocate_at_most_155_percent_of_what_was_put(int pageBytes)
    {
        // Fill goes up and down with the number of entries (all leaves divide at about the same time), so every stage counts.
        Random random = new(17);
        double worst = Load(pageBytes, 200_000, 20_000, _ => KeyShapes.Filled(random, KeyBytes));
        worst.Should().BeLessThanOrEqualTo(1.55);
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(16384)]
    [InlineData(32768)]
    [InlineData(65536)]
    public void Ascending_loads_allocate_at_most_108_percent_of_what_was_put(int pageBytes)
    {
        byte[] key = new byte[KeyBytes];
        double worst = Load(pageBytes, 200_000, 100_000, i =>
        {
            BinaryPrimitives.WriteInt64BigEndian(key.AsSpan(8), i);
            return key;
        });
        worst.Should().BeLessThanOrEqualTo(1.08);
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(65536)]
    public void Deletions_leave_no_page_below_a_third_for_long(int pageBytes)
    {
        using MemoryPages pages = new(pageBytes);
        Random random = new(5);
        byte[][] keys = [.. Enumerable.Range(0, 60_000).Select(_ => KeyShapes.Filled(random, KeyBytes))];
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        foreach (byte[] key in keys)
        {
            pages.Trees.Put(root, key, new byte[ValueBytes]);
        }

        random.Shuffle(keys);
        for (int i = 0; i < keys.Length; i++)
        {
            pages.Trees.Delete(root, keys[i]).Should().BeTrue();
            if (i % 2500 == 0 && keys.Length - i > 4 * pageBytes / (ValueBytes + KeyBytes))
            {
                TreeProof proof = TreeProof.Of(pages, root, pages.Writer.TransactionId);
                proof.Entries.Should().Be(keys.Length - i - 1);
                proof.LeastLeafBytes.Should().BeGreaterThan((pageBytes / 3) - (5 * (ValueBytes + KeyBytes + 12)));

                // Leaves between a third and full, so about half full together; with few of them the share varies with the keys.
                ((double)proof.LiveLeafBytes / (proof.Leaves * (double)pageBytes)).Should().BeGreaterThan(0.42);
            }
        }

        pages.CountUsedPages().Should().Be(1, "nothing but the root is left of an empty tree");
    }

    private static double Load(int pageBytes, int entries, int stage, Func<int, byte[]> keyOf)
    {
        using MemoryPages pages = new(pageBytes);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        byte[] value = new byte[ValueBytes];
        double worst = 0;
        for (int i = 1; i <= entries; i++)
        {
            pages.Trees.Put(root, keyOf(i), value);
            if (i % stage == 0)
            {
                double ratio = pages.CountUsedPages() * (double)pageBytes / (i * (double)(KeyBytes + ValueBytes));
                worst = Math.Max(worst, ratio);
            }
        }

        return worst;
    }
}
