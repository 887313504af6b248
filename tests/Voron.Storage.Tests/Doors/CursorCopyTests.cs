using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Cursors passed by value: copies that are moved apart are refused, whichever of them is used next.</summary>
public sealed class CursorCopyTests
{
    /// <summary>A copy shares the buffer of its cursor: moved apart, they would lead each other to wrong rows.</summary>
    [Fact]
    public void A_cursor_whose_copy_was_moved_is_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 20_000);
        using ReadTransaction read = environment.BeginRead();
        Cursor cursor = read.OpenTree(Sample.Tree).OpenCursor();
        cursor.MoveNext().Should().BeTrue();
        FirstByteOf(cursor).Should().Be(cursor.Key[0], "a copy that is only read does no harm");
        cursor.MoveNext().Should().BeTrue();
        Advance(cursor, 200);
        Refuses(ref cursor, static (ref one) => one.MoveNext());
        Refuses(ref cursor, static (ref one) => _ = one.Key.Length);
        Refuses(ref cursor, static (ref one) => _ = one.HasRow);
        cursor.Dispose();
        cursor.Dispose();
    }

    [Fact]
    public void A_cursor_whose_copy_was_disposed_is_refused_and_gives_its_buffer_back_once()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 100);
        using ReadTransaction read = environment.BeginRead();
        Cursor cursor = read.OpenTree(Sample.Tree).OpenCursor();
        cursor.MoveFirst();
        Cursor copy = cursor;
        copy.Dispose();
        Cursor second = read.OpenTree(Sample.Tree).OpenCursor();
        second.MoveLast();
        Refuses(ref cursor, static (ref one) => one.MoveNext());
        cursor.Dispose();
        Cursor third = read.OpenTree(Sample.Tree).OpenCursor();
        third.MoveFirst();
        second.MovePrevious();
        second.Key.SequenceEqual(Sample.Key(98)).Should().BeTrue("no other cursor has its buffer");
        second.Dispose();
        third.Dispose();
    }

    [Fact]
    public void A_write_cursor_whose_copy_was_moved_is_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 100);
        using WriteTransaction transaction = environment.BeginWrite();
        WriteCursor cursor = transaction.OpenTree(Sample.Tree).OpenCursor();
        cursor.MoveFirst();
        WriteCursor copy = cursor;
        copy.Put(Sample.Key(50), "x"u8);
        InvalidOperationException? error = null;
        try
        {
            cursor.DeleteCurrent();
        }
        catch (InvalidOperationException refused)
        {
            error = refused;
        }

        error.Should().NotBeNull();
        copy.DeleteCurrent();
        copy.Dispose();
        cursor.Dispose();
        transaction.OpenTree(Sample.Tree).Count.Should().Be(99);
    }

    private delegate void CursorUse(ref Cursor cursor);

    private static void Refuses(ref Cursor cursor, CursorUse use)
    {
        InvalidOperationException? error = null;
        try
        {
            use(ref cursor);
        }
        catch (InvalidOperationException refused)
        {
            error = refused;
        }

        error.Should().NotBeNull();
        error!.Message.Should().Contain("by reference");
    }

    private static byte FirstByteOf(Cursor copy) => copy.Key[0];

    private static void Advance(Cursor copy, int rows)
    {
        for (int i = 0; i < rows; i++)
        {
            copy.MoveNext();
        }
    }
}
