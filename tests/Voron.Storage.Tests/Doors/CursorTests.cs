using System.Text;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Cursors at the door: both ways, over changes of the tree, and changing it themselves.</summary>
public class CursorTests
{
    [Fact]
    public void A_read_cursor_moves_both_ways_and_stops_at_the_ends()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Fill(environment, "a", "b", "c");
        using ReadTransaction transaction = environment.BeginRead();
        transaction.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
        using Cursor cursor = tree.OpenCursor();
        cursor.HasRow.Should().BeFalse();
        cursor.MoveNext().Should().BeTrue();
        Text(cursor.Key).Should().Be("a");
        Text(cursor.Value).Should().Be("=a");
        cursor.MovePrevious().Should().BeFalse();
        cursor.HasRow.Should().BeFalse();
        cursor.MoveNext().Should().BeTrue();
        Text(cursor.Key).Should().Be("a");
        cursor.MoveLast().Should().BeTrue();
        Text(cursor.Key).Should().Be("c");
        cursor.MoveNext().Should().BeFalse();
        cursor.MovePrevious().Should().BeTrue();
        Text(cursor.Key).Should().Be("c");
        cursor.Seek("bb"u8).Should().BeTrue();
        Text(cursor.Key).Should().Be("c");
        cursor.SeekFloor("bb"u8).Should().BeTrue();
        Text(cursor.Key).Should().Be("b");
        cursor.Seek("d"u8).Should().BeFalse();
        cursor.SeekFloor("A"u8).Should().BeFalse();
        cursor.MoveFirst().Should().BeTrue();
        Text(cursor.Key).Should().Be("a");
    }

    [Fact]
    public void A_cursor_without_row_or_after_its_end_says_so()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Fill(environment, "a");
        ReadTransaction transaction = environment.BeginRead();
        transaction.TryOpenTree("t", out ReadTree tree);
        Cursor cursor = tree.OpenCursor();
        ErrorOf(ref cursor, static (ref Cursor c) => _ = c.Key).Should().BeOfType<InvalidOperationException>();
        ErrorOf(ref cursor, static (ref Cursor c) => _ = c.Value).Should().BeOfType<InvalidOperationException>();
        cursor.MoveNext().Should().BeTrue();
        transaction.Dispose();
        ErrorOf(ref cursor, static (ref Cursor c) => c.MoveNext()).Should().BeOfType<ObjectDisposedException>();
        cursor.Dispose();
        cursor.Dispose();
        ErrorOf(ref cursor, static (ref Cursor c) => c.MoveNext()).Should().BeOfType<ObjectDisposedException>()
            .Which.ObjectName.Should().Be("Cursor");
    }

    [Fact]
    public void After_DeleteCurrent_there_is_no_row_and_MoveNext_goes_to_the_successor()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Fill(environment, "a", "b", "c", "d");
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        using WriteCursor cursor = tree.OpenCursor();
        cursor.Seek("b"u8).Should().BeTrue();
        cursor.DeleteCurrent();
        cursor.HasRow.Should().BeFalse();
        ErrorOfDelete(tree).Should().BeOfType<InvalidOperationException>();
        cursor.MoveNext().Should().BeTrue();
        Text(cursor.Key).Should().Be("c");
        cursor.DeleteCurrent();
        cursor.MovePrevious().Should().BeTrue();
        Text(cursor.Key).Should().Be("a");
        cursor.MoveLast().Should().BeTrue();
        cursor.DeleteCurrent();
        cursor.HasRow.Should().BeFalse();
        tree.Put("e"u8, "=e"u8);
        cursor.MoveNext().Should().BeTrue("a row that came to stand behind the deleted one is its successor");
        Text(cursor.Key).Should().Be("e");
        tree.Count.Should().Be(2);
    }

    [Fact]
    public void Put_and_SetValue_work_at_the_cursor()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Fill(environment, "a", "c");
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        using WriteCursor cursor = tree.OpenCursor();
        cursor.Put("b"u8, "new"u8);
        Text(cursor.Key).Should().Be("b");
        Text(cursor.Value).Should().Be("new");
        cursor.SetValue("newer"u8);
        Text(cursor.Value).Should().Be("newer");
        cursor.Put(cursor.Key, new byte[20_000]);
        cursor.Value.Length.Should().Be(20_000);
        cursor.MoveNext().Should().BeTrue();
        Text(cursor.Key).Should().Be("c");
        cursor.MovePrevious().Should().BeTrue();
        cursor.MovePrevious().Should().BeTrue();
        Text(cursor.Key).Should().Be("a");
        tree.Count.Should().Be(3);
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(16384)]
    public void Several_cursors_keep_their_places_while_the_tree_splits_and_merges_under_them(int pageBytes)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        SortedDictionary<int, bool> model = [];
        Random random = new(4);
        byte[] key = new byte[4];
        using WriteCursor low = tree.OpenCursor();
        using WriteCursor high = tree.OpenCursor();
        using WriteCursor walking = tree.OpenCursor();
        Span<byte> value = new byte[150];
        int walked = -1;
        Put(500_000);
        Put(1_500_000);
        low.Seek(KeyOf(500_000)).Should().BeTrue();
        high.Seek(KeyOf(1_500_000)).Should().BeTrue();
        for (int i = 0; i < 60_000; i++)
        {
            bool grows = i / 15_000 % 2 == 0;
            int number = random.Next(2_000_000);
            if (grows)
            {
                Put(number);
            }
            else if (low.MoveNext() && NumberOf(low.Key) is int next and not (500_000 or 1_500_000))
            {
                low.DeleteCurrent();
                model.Remove(next).Should().BeTrue();
            }

            if (i % 3 == 0)
            {
                bool moved = walking.MoveNext();
                int expected = model.Keys.FirstOrDefault(one => one > walked, -1);
                moved.Should().Be(expected >= 0);
                walked = moved ? NumberOf(walking.Key) : -1;
                walked.Should().Be(expected);
                if (!moved)
                {
                    walking.MoveFirst().Should().BeTrue();
                    walked = NumberOf(walking.Key);
                }
            }

            if (grows || i % 15_000 == 14_999)
            {
                low.Seek(KeyOf(500_000)).Should().BeTrue();
            }

            NumberOf(high.Key).Should().Be(1_500_000);
            i += grows ? 0 : 3;
        }

        tree.Count.Should().Be(model.Count);
        void Put(int number)
        {
            model[number] = true;
            tree.Put(KeyOf(number), new byte[150]);
        }

        byte[] KeyOf(int number)
        {
            System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(key, number);
            return key;
        }
    }

    private static int NumberOf(ReadOnlySpan<byte> key) => System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(key);

    private static void Fill(StorageEnvironment environment, params string[] keys)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        foreach (string key in keys)
        {
            tree.Put(Encoding.Latin1.GetBytes(key), Encoding.Latin1.GetBytes("=" + key));
        }

        transaction.Commit();
    }

    private static string Text(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);

    private static InvalidOperationException? ErrorOfDelete(Tree tree)
    {
        using WriteCursor cursor = tree.OpenCursor();
        try
        {
            cursor.DeleteCurrent();
            return null;
        }
        catch (InvalidOperationException error)
        {
            return error;
        }
    }

    private static InvalidOperationException? ErrorOf(ref Cursor cursor, CursorAction action)
    {
        try
        {
            action(ref cursor);
            return null;
        }
        catch (InvalidOperationException error)
        {
            return error;
        }
    }

    private delegate void CursorAction(ref Cursor cursor);
}
