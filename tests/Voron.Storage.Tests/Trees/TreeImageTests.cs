using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>Trees over pages as they stand in the file: in one block, verified, not writable; and over damaged ones.</summary>
public class TreeImageTests
{
    private const int PageBytes = 4096;

    [Theory]
    [InlineData(4096)]
    [InlineData(65536)]
    public void Pages_of_the_file_are_read_and_changed_like_versions_in_memory(int pageBytes)
    {
        Random random = new(9);
        using MemoryPages first = new(pageBytes);
        (PageNumber root, SortedDictionary<byte[], byte[]> model) = Fill(first, random, 3000);
        using MemoryPages pages = MemoryPages.Open(first.ToImage(), pageBytes, first.LastCommitted, first.Writer.Space.Groups);
        TransactionId snapshot = pages.Hold();
        KeyValuePair<byte[], byte[]>[] frozen = [.. model];
        pages.Begin();
        Compare(pages, root, pages.Writer.TransactionId, frozen);
        foreach (byte[] key in frozen.Select(entry => entry.Key).Where(_ => random.Next(2) == 0))
        {
            byte[] value = KeyShapes.Filled(random, random.Next(50));
            pages.Trees.Put(root, key, value).Should().BeFalse();
            model[key] = value;
        }

        foreach (byte[] key in frozen.Select(entry => entry.Key).Where(_ => random.Next(3) == 0))
        {
            pages.Trees.Delete(root, key).Should().BeTrue();
            model.Remove(key);
        }

        Compare(pages, root, pages.Writer.TransactionId, [.. model]);
        pages.CountUsedPages().Should().Be(TreeProof.Of(pages, root, pages.Writer.TransactionId).Pages);
        pages.Commit();
        Compare(pages, root, pages.LastCommitted, [.. model]);
        Compare(pages, root, snapshot, frozen);
    }

    [Fact]
    public void Damaged_nodes_give_corruption_errors_or_wrong_rows_but_never_anything_else()
    {
        Random random = new(13);
        using MemoryPages sound = new(PageBytes);
        (PageNumber root, SortedDictionary<byte[], byte[]> model) = Fill(sound, random, 1200);
        byte[] image = sound.ToImage();
        byte[][] keys = [.. model.Keys];
        int errors = 0;
        for (int round = 0; round < 3000; round++)
        {
            byte[] damaged = (byte[])image.Clone();
            for (int pages = random.Next(1, 4); pages > 0; pages--)
            {
                Damage(damaged, random);
            }

            using MemoryPages opened = MemoryPages.Open(damaged, PageBytes, sound.LastCommitted, sound.Writer.Space.Groups);
            errors += Try(() => Scan(opened, root));
            errors += Try(() => Lookup(opened, root, keys, random));
            errors += Try(() => Decode(opened, damaged.Length / PageBytes));
            opened.Begin();
            errors += Try(() => Change(opened, root, keys, random));
            opened.Rollback();
            opened.Begin();
            errors += Try(() => opened.Trees.DropTree(root));
            opened.Rollback();
        }

        errors.Should().BeGreaterThan(500, "this much damage must be noticed often");
    }

    [Fact]
    public void A_branch_that_leads_back_to_its_root_is_found_to_be_too_deep()
    {
        Random random = new(17);
        using MemoryPages sound = new(PageBytes);
        (PageNumber root, _) = Fill(sound, random, 1200);
        byte[] image = sound.ToImage();
        Span<byte> page = image.AsSpan((int)root.ByteOffset(PageBytes), PageBytes);
        page[24].Should().Be((byte)PageKind.Branch);
        for (int i = 0; i < BitConverter.ToUInt16(page[26..]); i++)
        {
            BitConverter.TryWriteBytes(page[BitConverter.ToUInt16(page[(32 + (i * 8) + 4)..])..], root.Value).Should().BeTrue();
        }

        MemoryPages.Seal(page);
        using MemoryPages pages = MemoryPages.Open(image, PageBytes, sound.LastCommitted, sound.Writer.Space.Groups);
        Action find = () => pages.TryFind(root, "x"u8, pages.LastCommitted, out _);
        Action scan = () => Scan(pages, root);
        Action put = () => pages.Trees.Put(root, "x"u8, "x"u8);
        pages.Begin();
        find.Should().Throw<StorageCorruptException>().WithMessage("*too deep*");
        scan.Should().Throw<StorageCorruptException>().WithMessage("*too deep*");
        put.Should().Throw<StorageCorruptException>().WithMessage("*too deep*");
    }

    [Fact]
    public void A_put_does_not_fail_for_a_damaged_leaf_beside_its_own()
    {
        using MemoryPages sound = new(PageBytes);
        sound.Begin();
        PageNumber root = sound.Trees.CreateRoot();
        for (int i = 0; i < 400; i++)
        {
            sound.TryAppend(root, ([(byte)(i >> 8), (byte)i], new byte[60])).Should().BeTrue();
        }

        sound.Commit();
        byte[] image = sound.ToImage();
        Span<byte> page = image.AsSpan((int)root.ByteOffset(PageBytes), PageBytes);
        page[24].Should().Be((byte)PageKind.Branch);
        long second = BitConverter.ToInt64(page[BitConverter.ToUInt16(page[(32 + 8 + 4)..])..]);
        image[(second * PageBytes) + PageBytes - 9] ^= 1;
        using MemoryPages pages = MemoryPages.Open(image, PageBytes, sound.LastCommitted, sound.Writer.Space.Groups);
        pages.Begin();
        for (int i = 0; i < 200; i++)
        {
            pages.Trees.Put(root, [0, 1, (byte)i], new byte[60]).Should().BeTrue();
        }

        Action read = () => Scan(pages, root);
        read.Should().Throw<StorageCorruptException>().Which.PageNumber.Should().Be(second);
    }

    private static (PageNumber Root, SortedDictionary<byte[], byte[]> Model) Fill(MemoryPages pages, Random random, int count)
    {
        KeyShapes shapes = new(random, pages.MaxKeyBytes);
        SortedDictionary<byte[], byte[]> model = new(ByteOrder.Instance);
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        for (int i = 0; i < count; i++)
        {
            byte[] key = shapes.Next(random.Next(10) == 0 ? random.Next(KeyShapes.Count) : 3 + (random.Next(2) * 4));
            byte[] value = KeyShapes.Filled(random, random.Next(50) == 0 ? random.Next(3 * pages.PageBytes) : random.Next(100));
            pages.Trees.Put(root, key, value);
            model[key] = value;
        }

        pages.Commit();
        return (root, model);
    }

    private static void Compare(MemoryPages pages, PageNumber root, TransactionId snapshot, KeyValuePair<byte[], byte[]>[] expected)
    {
        TreeProof.Of(pages, root, snapshot).Entries.Should().Be(expected.Length);
        RowCursor cursor = pages.OpenCursor(root, snapshot);
        foreach ((byte[] key, byte[] value) in expected)
        {
            bool same = cursor.MoveNext() && cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value)
                && pages.TryFind(root, key, snapshot, out ReadOnlySpan<byte> found) && found.SequenceEqual(value);
            if (!same)
            {
                Assert.Fail($"row {Convert.ToHexString(key)} differs");
            }
        }

        cursor.MoveNext().Should().BeFalse();
    }

    /// <summary>Changes head, slots or entries of a node and seals the page again, as a fault in the engine would.</summary>
    private static void Damage(byte[] image, Random random)
    {
        while (true)
        {
            int number = random.Next(2, image.Length / PageBytes);
            Span<byte> page = image.AsSpan(number * PageBytes, PageBytes);
            if (page[24] is not ((byte)PageKind.Leaf or (byte)PageKind.Branch) || BitConverter.ToInt64(page[8..]) != number)
            {
                continue;
            }

            int slotsEnd = Math.Min(PageBytes - 1, 32 + (BitConverter.ToUInt16(page[26..]) * 8));
            for (int changes = random.Next(1, 6); changes > 0; changes--)
            {
                int at = random.Next(4) switch
                {
                    0 => random.Next(24, 32),
                    1 or 2 => random.Next(32, Math.Max(33, slotsEnd)),
                    _ => random.Next(slotsEnd, PageBytes),
                };
                page[at] = random.Next(3) switch { 0 => 0, 1 => 0xFF, _ => (byte)random.Next(256) };
            }

            MemoryPages.Seal(page);
            return;
        }
    }

    private static int Try(Action action)
    {
        try
        {
            action();
            return 0;
        }
        catch (StorageCorruptException)
        {
            return 1;
        }
    }

    private static void Scan(MemoryPages pages, PageNumber root)
    {
        RowCursor cursor = pages.OpenCursor(root, pages.LastCommitted);
        long bytes = 0;
        for (int i = 0; i < 100_000 && cursor.MoveNext(); i++)
        {
            bytes += cursor.Key.Length + cursor.Value.Length;
        }

        for (int i = 0; i < 100_000 && cursor.MovePrevious(); i++)
        {
            bytes -= cursor.Key.Length + cursor.Value.Length;
        }
    }

    private static void Lookup(MemoryPages pages, PageNumber root, byte[][] keys, Random random)
    {
        RowCursor cursor = pages.OpenCursor(root, pages.LastCommitted);
        for (int i = 0; i < 200; i++)
        {
            byte[] key = keys[random.Next(keys.Length)];
            pages.TryFind(root, key, pages.LastCommitted, out _);
            cursor.Seek(key);
            cursor.SeekFloor(key);
        }
    }

    private static void Decode(MemoryPages pages, int count)
    {
        for (int page = 2; page < count; page++)
        {
            if (NodeReader.TryOpen(pages.Source.Read(new PageNumber(page), pages.LastCommitted), PageBytes, out NodeReader node) is null)
            {
                _ = node.FindProblem();
            }
        }
    }

    private static void Change(MemoryPages pages, PageNumber root, byte[][] keys, Random random)
    {
        for (int i = 0; i < 300; i++)
        {
            byte[] key = keys[random.Next(keys.Length)];
            if (random.Next(60) == 0)
            {
                pages.Trees.DeleteRange(root, key, keys[random.Next(keys.Length)], out _);
                pages.TryAppend(root, (keys[^1], key));
            }
            else if (random.Next(2) == 0)
            {
                pages.Trees.Delete(root, key);
            }
            else
            {
                pages.Trees.Put(root, key, new byte[random.Next(400)]);
            }
        }
    }
}
