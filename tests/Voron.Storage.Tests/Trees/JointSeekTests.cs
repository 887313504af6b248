using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>A search in several trees together finds what one in each of them finds.</summary>
public class JointSeekTests
{
    /// <summary>Trees of three heights, and more of them than are descended into at once.</summary>
    private static readonly int[] EntriesOfTree = [0, 5, 20_000, 700, 3, 900, 1, 60, 8_000, 2, 800, 4, 30, 750];

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 3)]
    [InlineData(3, 14)]
    public void It_finds_what_single_searches_find(int seed, int trees)
    {
        using MemoryPages pages = new(4096);
        Random random = new(seed);
        PageNumber[] roots = [.. EntriesOfTree.Take(trees).Select(entries => Create(pages, entries, random))];
        TreeCursor[] layers = [.. roots.SkipLast(1).Select(root => Cursor(pages, root))];
        TreeCursor below = Cursor(pages, roots[^1]);
        for (int round = 0; round < 300; round++)
        {
            byte[] key = KeyShapes.Filled(random, random.Next(1, 9));
            JointSeek.Descend(pages.Source, pages.LastCommitted, layers, ref below, key);
            for (int i = 0; i < trees; i++)
            {
                ref TreeCursor found = ref i == trees - 1 ? ref below : ref layers[i];
                TreeCursor single = Cursor(pages, roots[i]);
                found.EndSeek().Should().Be(single.Seek(key), "tree {0}, round {1}, seed {2}", i, round, seed);
                Key(found).Should().Equal(Key(single), "tree {0}, round {1}, seed {2}", i, round, seed);
            }
        }
    }

    private static byte[] Key(in TreeCursor cursor) => cursor.State == CursorState.OnRow ? cursor.Key.ToArray() : [];

    private static TreeCursor Cursor(MemoryPages pages, PageNumber root) =>
        new(pages.Source, pages.LastCommitted, root, new byte[TreeCursor.BufferBytes(pages.PageBytes)], remembersKey: false);

    private static PageNumber Create(MemoryPages pages, int entries, Random random)
    {
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        for (int i = 0; i < entries; i++)
        {
            pages.Trees.Put(root, KeyShapes.Filled(random, 8), "a value of some length"u8);
        }

        pages.Commit();
        return root;
    }
}
