using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Xunit;

namespace Voron.Storage.Tests.Trees;

public class TreeAllocationTests
{
    [Fact]
    public void Lookups_changes_and_cursor_steps_allocate_nothing()
    {
        using MemoryPages pages = new(8192);
        byte[][] keys = [.. Enumerable.Range(0, 20_000).Select(i => KeyShapes.Filled(new Random(i), 16))];
        byte[] value = new byte[100];
        byte[] buffer = new byte[TreeCursor.BufferBytes(pages.PageBytes)];
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        pages.Commit();
        int rows = 0;
        long allocated = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            // The lists of touched pages reach their size in the first rounds, and a collection that another test causes blurs the count
            // of a round; an allocation per operation would show in every round.
            pages.Begin();
            long before = GC.GetAllocatedBytesForCurrentThread();
            rows = Work(pages, root, keys, value, buffer);
            allocated = Math.Min(allocated, GC.GetAllocatedBytesForCurrentThread() - before);
            pages.Commit();
        }

        allocated.Should().Be(0);
        rows.Should().Be(keys.Length);
    }

    private static int Work(MemoryPages pages, PageNumber root, byte[][] keys, byte[] value, byte[] buffer)
    {
        int rows = 0;
        foreach (byte[] key in keys)
        {
            pages.Trees.Put(root, key, value);
            pages.Trees.Put(root, key, value.AsSpan(0, 50));
        }

        TreeCursor cursor = new(pages.Source, pages.Writer.TransactionId, root, buffer, remembersKey: false);
        while (cursor.MoveNext())
        {
            rows += cursor.Key.Length - cursor.Value.Length + 35;
        }

        while (cursor.MovePrevious())
        {
            rows += cursor.Key.Length - 16;
        }

        foreach (byte[] key in keys)
        {
            rows += TreeReader.TryFind(pages.Source, pages.Writer.TransactionId, root, key, out _) && cursor.Seek(key) ? 0 : 1;
            pages.Trees.Delete(root, key);
        }

        return rows;
    }
}
