using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>What it costs to drop a tree or a range: pages visited, and memory taken.</summary>
public class TreeDropTests
{
    private const int PageBytes = 4096;
    private const int Entries = 60_000;

    [Fact]
    public void Dropping_a_tree_visits_each_page_once_and_copies_none()
    {
        using MemoryPages pages = Make(out PageNumber root, out long used);
        pages.Begin();
        long blocks = pages.Versions.Memory.UsedBytes;
        pages.Trees.DropTree(root);
        pages.Writer.TouchedCount.Should().BeLessThanOrEqualTo((int)used + (int)pages.Writer.Space.Groups);
        (pages.Versions.Memory.UsedBytes - blocks).Should().BeLessThanOrEqualTo(pages.Writer.Space.Groups * PageBytes);
        pages.CountUsedPages().Should().Be(0);
        pages.Commit();
    }

    [Fact]
    public void Dropping_a_large_tree_remembers_a_bit_a_page_and_forgets_it_with_the_last_reader()
    {
        const int Markers = 50;
        using MemoryPages pages = Make(out PageNumber root, out long used, Markers);
        long groups = pages.Writer.Space.Groups;
        TransactionId before = pages.Hold();
        pages.Begin();
        pages.Trees.DropTree(root);
        pages.Writer.TouchedCount.Should().BeLessThan(Markers + (int)groups + 1);
        CountRead(pages, before).Should().Be(used + groups, "an old reader has all pages in the file, and the map as it was");
        pages.Rollback();
        CountRead(pages, before).Should().Be(0);
        pages.Begin();
        TreeProof.Of(pages, root, pages.Writer.TransactionId).Entries.Should().Be(Entries);
        pages.Trees.DropTree(root);
        pages.Commit();
        CountRead(pages, before).Should().Be(used + groups);
        CountRead(pages, pages.LastCommitted).Should().Be(0);

        // The pages are used again, and that changes nothing for the old reader.
        pages.Begin();
        PageNumber other = pages.Trees.CreateRoot();
        for (int i = 0; i < Entries; i++)
        {
            pages.TryAppend(other, (Key(i), new byte[30])).Should().BeTrue();
        }

        pages.Commit();
        CountRead(pages, before).Should().Be(used + groups);
        TreeProof.Of(pages, root, before).Entries.Should().Be(Entries);
        pages.Release(before);
        CountRead(pages, before).Should().Be(0, "nobody can read it any more");
        TreeProof.Of(pages, other, pages.LastCommitted).Entries.Should().Be(Entries);
    }

    [Fact]
    public void Deleting_a_range_cuts_branches_and_edits_only_the_way_to_its_ends()
    {
        using MemoryPages pages = Make(out PageNumber root, out long used);
        pages.Begin();
        long depth = TreeProof.Of(pages, root, pages.Writer.TransactionId).Depth;
        long blocks = pages.Versions.Memory.UsedBytes;
        pages.Trees.DeleteRange(root, Key(1000), Key(Entries - 1000), out _).Should().Be(Entries - 2000);
        TreeProof proof = TreeProof.Of(pages, root, pages.Writer.TransactionId);
        proof.Entries.Should().Be(2000);
        pages.CountUsedPages().Should().Be(proof.Pages);
        pages.Writer.TouchedCount.Should().BeLessThan((int)used + 100, "each page is freed once");
        (pages.Versions.Memory.UsedBytes - blocks).Should().BeLessThan(((depth * 6) + pages.Writer.Space.Groups) * 2 * PageBytes);
        pages.Rollback();
        pages.Begin();
        TreeProof.Of(pages, root, pages.Writer.TransactionId).Entries.Should().Be(Entries);
        pages.Rollback();
    }

    /// <summary>A tree whose pages are all in the data file.</summary>
    private static MemoryPages Make(out PageNumber root, out long used, int mostMarkers = 4096)
    {
        using MemoryPages pages = new(PageBytes);
        pages.Begin();
        root = pages.Trees.CreateRoot();
        for (int i = 0; i < Entries; i++)
        {
            pages.TryAppend(root, (Key(i), new byte[i % 1000 == 0 ? 9000 : 60])).Should().BeTrue();
        }

        used = pages.CountUsedPages();
        pages.Commit();
        return MemoryPages.Open(pages.ToImage(), PageBytes, pages.LastCommitted, pages.Writer.Space.Groups, mostMarkers);
    }

    /// <summary>How many pages of the file a snapshot reads there although newer ones do not.</summary>
    private static long CountRead(MemoryPages pages, TransactionId snapshot)
    {
        long count = 0;
        using (pages.Versions.Gate.Hold())
        {
            for (PageNumber page = default; page < pages.Versions.EndPage; page++)
            {
                count += pages.Versions.IsReadFromFile(page, 1, [snapshot]) ? 1 : 0;
            }
        }

        return count;
    }

    private static byte[] Key(int number)
    {
        byte[] key = new byte[4];
        System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(key, number);
        return key;
    }
}
