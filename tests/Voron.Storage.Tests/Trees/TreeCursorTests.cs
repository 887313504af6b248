using System.Text;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Xunit;

namespace Voron.Storage.Tests.Trees;

public class TreeCursorTests
{
    [Fact]
    public void An_empty_tree_has_no_row_in_any_direction()
    {
        using MemoryPages pages = new(4096);
        PageNumber root = Create(pages);
        RowCursor cursor = pages.OpenCursor(root, pages.LastCommitted);
        cursor.MoveFirst().Should().BeFalse();
        cursor.MoveLast().Should().BeFalse();
        cursor.MoveNext().Should().BeFalse();
        cursor.MovePrevious().Should().BeFalse();
        cursor.Seek("a"u8).Should().BeFalse();
        cursor.SeekFloor("a"u8).Should().BeFalse();
    }

    [Fact]
    public void A_fresh_cursor_goes_to_the_first_row_forward_and_to_the_last_backward()
    {
        using MemoryPages pages = new(4096);
        PageNumber root = Create(pages, "a", "b", "c");
        RowCursor forward = pages.OpenCursor(root, pages.LastCommitted);
        forward.MoveNext().Should().BeTrue();
        KeyOf(forward).Should().Be("a");
        RowCursor backward = pages.OpenCursor(root, pages.LastCommitted);
        backward.MovePrevious().Should().BeTrue();
        KeyOf(backward).Should().Be("c");
    }

    [Fact]
    public void After_a_failed_move_past_one_end_the_opposite_move_returns_the_row_at_that_end()
    {
        using MemoryPages pages = new(4096);
        PageNumber root = Create(pages, "a", "b", "c");
        RowCursor cursor = pages.OpenCursor(root, pages.LastCommitted);
        cursor.MoveLast().Should().BeTrue();
        cursor.MoveNext().Should().BeFalse();
        cursor.MoveNext().Should().BeFalse();
        cursor.MovePrevious().Should().BeTrue();
        KeyOf(cursor).Should().Be("c");
        cursor.MoveFirst().Should().BeTrue();
        cursor.MovePrevious().Should().BeFalse();
        cursor.MoveNext().Should().BeTrue();
        KeyOf(cursor).Should().Be("a");
        cursor.Seek("d"u8).Should().BeFalse();
        cursor.MovePrevious().Should().BeTrue();
        KeyOf(cursor).Should().Be("c");
        cursor.SeekFloor(""u8).Should().BeFalse();
        cursor.MoveNext().Should().BeTrue();
        KeyOf(cursor).Should().Be("a");
    }

    [Fact]
    public void Key_and_value_without_a_row_are_refused()
    {
        using MemoryPages pages = new(4096);
        PageNumber root = Create(pages, "a");
        Action key = () => _ = pages.OpenCursor(root, pages.LastCommitted).Key;
        Action value = () => _ = pages.OpenCursor(root, pages.LastCommitted).Value;
        key.Should().Throw<InvalidOperationException>();
        value.Should().Throw<InvalidOperationException>();
    }

    [Fact]
    public void After_its_row_was_deleted_a_cursor_has_no_row_and_stands_between_the_neighbours()
    {
        using MemoryPages pages = new(4096);
        PageNumber root = Create(pages, "a", "b", "c");
        pages.Begin();
        RowCursor cursor = pages.OpenCursor(root, pages.Writer.TransactionId, remembersKey: true);
        cursor.Seek("b"u8).Should().BeTrue();
        pages.Trees.Delete(root, "b"u8);
        cursor.Revalidate(1);
        cursor.State.Should().NotBe(CursorState.OnRow);
        RowCursor other = cursor;
        cursor.MoveNext().Should().BeTrue();
        KeyOf(cursor).Should().Be("c");
        other.MovePrevious().Should().BeTrue();
        KeyOf(other).Should().Be("a");
    }

    [Fact]
    public void A_revalidated_cursor_walks_the_tree_as_it_is_now_while_it_changes()
    {
        Random random = new(11);
        using MemoryPages pages = new(4096);
        KeyShapes shapes = new(random, pages.MaxKeyBytes);
        SortedSet<byte[]> model = new(ByteOrder.Instance);
        PageNumber root = Create(pages);
        pages.Begin();
        long changes = 0;
        RowCursor cursor = pages.OpenCursor(root, pages.Writer.TransactionId, remembersKey: true);
        byte[]? position = null;
        for (int i = 0; i < 30_000; i++)
        {
            for (int change = random.Next(3); change > 0; change--, changes++)
            {
                Change(pages, root, random, shapes, model, position);
            }

            cursor.Revalidate(changes);
            if (position is null || random.Next(50) == 0)
            {
                position = shapes.Next(random.Next(KeyShapes.Count));
                bool found = cursor.Seek(position);
                position = Above(model, position, inclusive: true);
                found.Should().Be(position is not null);
                continue;
            }

            bool forward = random.Next(3) > 0;
            byte[]? expected = forward ? Above(model, position, inclusive: false) : Below(model, position);
            (forward ? cursor.MoveNext() : cursor.MovePrevious()).Should().Be(expected is not null);
            bool same = expected is null
                || (cursor.Key.SequenceEqual(expected) && cursor.Value.SequenceEqual(expected.AsSpan(0, expected.Length / 2)));
            if (!same)
            {
                Assert.Fail($"step {i}: the cursor is not where the model is");
            }

            position = expected;
        }
    }

    private static void Change(
        MemoryPages pages, PageNumber root, Random random, KeyShapes shapes, SortedSet<byte[]> model, byte[]? position)
    {
        byte[] key = position is not null && random.Next(3) == 0 ? position : shapes.Next(random.Next(KeyShapes.Count));
        if (random.Next(100) < 45 || model.Count > 600)
        {
            pages.Trees.Delete(root, key).Should().Be(model.Remove(key));
            if (model.Count > 600)
            {
                pages.Trees.Delete(root, model.Min!);
                model.Remove(model.Min!);
            }
        }
        else
        {
            pages.Trees.Put(root, key, key.AsSpan(0, key.Length / 2)).Should().Be(model.Add(key));
        }
    }

    /// <summary>Leaves of the two trees have prefixes of other lengths, so that other beginnings of their keys decide.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Keys_of_two_trees_compare_as_their_bytes(int seed)
    {
        using MemoryPages pages = new(4096);
        KeyShapes shapes = new(new Random(seed), 1024);
        byte[][] keys = [.. Enumerable.Range(0, 600).Select(i => shapes.Next(i % KeyShapes.Count))];
        TreeCursor left = Cursor(pages, keys[..500]);
        TreeCursor right = Cursor(pages, keys[100..]);
        HashSet<int> signs = [];
        while (left.MoveNext())
        {
            for (bool isOnRow = right.MoveFirst(); isOnRow; isOnRow = right.MoveNext())
            {
                int sign = Math.Sign(KeyHead.Compare(left, right));
                signs.Add(sign);
                if (sign != Math.Sign(left.Key.SequenceCompareTo(right.Key)))
                {
                    Assert.Fail($"{Convert.ToHexString(left.Key)} and {Convert.ToHexString(right.Key)}, seed {seed}: {sign}");
                }
            }
        }

        signs.Should().BeEquivalentTo([-1, 0, 1]);
    }

    private static TreeCursor Cursor(MemoryPages pages, byte[][] keys)
    {
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        foreach (byte[] key in keys)
        {
            pages.Trees.Put(root, key, "v"u8);
        }

        pages.Commit();
        byte[] buffer = new byte[TreeCursor.BufferBytes(pages.PageBytes)];
        return new TreeCursor(pages.Source, pages.LastCommitted, root, buffer, remembersKey: false);
    }

    private static byte[]? Above(SortedSet<byte[]> model, byte[] key, bool inclusive) =>
        model.Count == 0 || ByteOrder.Instance.Compare(model.Max, key) < 0
        ? null
        : model.GetViewBetween(key, model.Max!).FirstOrDefault(one => inclusive || ByteOrder.Instance.Compare(one, key) > 0);

    private static byte[]? Below(SortedSet<byte[]> model, byte[] key) =>
        model.Count == 0 || ByteOrder.Instance.Compare(model.Min, key) > 0
        ? null
        : model.GetViewBetween(model.Min!, key).Reverse().FirstOrDefault(one => ByteOrder.Instance.Compare(one, key) < 0);

    private static string KeyOf(in RowCursor cursor) => Encoding.UTF8.GetString(cursor.Key);

    private static PageNumber Create(MemoryPages pages, params string[] keys)
    {
        pages.Begin();
        PageNumber root = pages.Trees.CreateRoot();
        foreach (string key in keys)
        {
            pages.Trees.Put(root, Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes(key + key));
        }

        pages.Commit();
        return root;
    }
}
