using System.Buffers;
using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Values of any length through pipes: a piece in memory at a time, and read where they stand.</summary>
public sealed class ValueStreamTests : IDisposable
{
    private const int Piece = 1 << 20;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, true)]
    [InlineData(5000, true)]
    [InlineData(Piece - 1, true)]
    [InlineData(Piece, true)]
    [InlineData((3 * Piece) + 17, false)]
    [InlineData(4 * Piece, false)]
    public void Every_length_comes_back(int length, bool isInOnePiece)
    {
        byte[] value = Sample.Value(length, length);
        string killed = _folder.Path + "-killed";
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree("t");
                tree.Put("other"u8, "x"u8);
                PipeWriter writer = tree.OpenValueWriter("k"u8);
                for (int done = 0; done < length;)
                {
                    int part = Math.Min(length - done, 10_000);
                    value.AsSpan(done, part).CopyTo(writer.GetSpan(part));
                    writer.Advance(part);
                    done += part;
                }

                tree.Contains("k"u8).Should().BeFalse("the value is stored when the writer is completed");
                writer.Complete();
                Expect(tree, value);
                transaction.Commit();
            }

            TemporaryFolder.Copy(_folder.Path, killed);
            ExpectIn(environment, value, isInOnePiece);
            environment.Checkpoint();
            ExpectIn(environment, value, isInOnePiece);
        }

        using (StorageEnvironment replayed = StorageEnvironment.Open(killed))
        {
            ExpectIn(replayed, value, isInOnePiece);
            Empty(replayed);
        }

        string copied = _folder.Path + "-copied";
        StorageSalvage.Copy(_folder.Path, copied).IsComplete.Should().BeTrue();
        using (StorageEnvironment salvaged = StorageEnvironment.Open(copied))
        {
            ExpectIn(salvaged, value, isInOnePiece);
        }

        Directory.Delete(killed, recursive: true);
        Directory.Delete(copied, recursive: true);
    }

    [Fact]
    public async Task Memory_stays_bounded_and_a_flush_waits_for_the_file()
    {
        const int Pieces = 48;
        byte[] part = Sample.Value(100_000, 1);
        await using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        PipeWriter writer = tree.OpenValueWriter("long"u8);
        writer.CanGetUnflushedBytes.Should().BeTrue();
        long most = 0;
        long written = 0;
        for (; written < (long)Pieces * Piece; written += part.Length)
        {
            FlushResult flushed = await writer.WriteAsync(part);
            flushed.IsCanceled.Should().BeFalse();
            most = Math.Max(most, writer.UnflushedBytes);
        }

        most.Should().BeLessThan(Piece + part.Length);
        environment.GetReport().DirtyBytes.Should().BeLessThan(8 << 20);
        environment.GetReport().DataFileBytes.Should().BeGreaterThan((long)(Pieces - 1) * Piece);
        writer.Complete();
        transaction.Commit();
        environment.GetReport().JournalBytesWritten.Should().BeLessThan(64 << 10);
        using ReadTransaction reader = environment.BeginRead();
        reader.OpenTree("t").TryOpenValueReader("long"u8, out PipeReader? pipe).Should().BeTrue();
        long read = 0;
        for (bool more = true; more;)
        {
            ReadResult result = await pipe!.ReadAsync();
            result.Buffer.Length.Should().BeLessThanOrEqualTo(2 * Piece);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                for (int i = 0; i < segment.Length; i += 9973)
                {
                    segment.Span[i].Should().Be(part[(read + i) % part.Length]);
                }

                read += segment.Length;
            }

            more = !result.IsCompleted;
            pipe.AdvanceTo(result.Buffer.End);
        }

        read.Should().Be(written);
    }

    [Fact]
    public void A_writer_completed_with_an_error_stores_nothing_and_leaves_no_page()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            PipeWriter writer = tree.OpenValueWriter("k"u8);
            writer.Write(Sample.Value(3 * Piece, 1));
            writer.Complete(new IOException("The source failed."));
            writer.Complete();
            tree.Contains("k"u8).Should().BeFalse();
            transaction.Commit();
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_writer_whose_tree_was_dropped_leaves_no_page()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            PipeWriter writer = transaction.OpenTree("t").OpenValueWriter("k"u8);
            writer.Write(Sample.Value((3 * Piece) + 100, 1));
            transaction.DropTree("t").Should().BeTrue();
            Action complete = () => writer.Complete();
            complete.Should().Throw<InvalidOperationException>();
            transaction.Commit();
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_transaction_with_an_open_writer_does_not_commit()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        PipeWriter one = tree.OpenValueWriter("1"u8);
        PipeWriter two = tree.OpenValueWriter("2"u8);
        one.Write(Sample.Value(2 * Piece, 1));
        two.Write(Sample.Value((2 * Piece) + 1, 2));
        tree.Put("3"u8, "legal meanwhile"u8);
        Action commit = () => transaction.Commit();
        commit.Should().Throw<InvalidOperationException>().Which.Message.Should().Contain("2 value writers");
        one.Write(Sample.Value(Piece, 3));
        one.Complete();
        commit.Should().Throw<InvalidOperationException>();
        two.Complete();
        transaction.Commit();
        ((Action)(() => one.GetMemory())).Should().Throw<ObjectDisposedException>();
        using ReadTransaction reader = environment.BeginRead();
        ReadTree read = reader.OpenTree("t");
        ReadAll(read, "1"u8).AsSpan().SequenceEqual([.. Sample.Value(2 * Piece, 1), .. Sample.Value(Piece, 3)]).Should().BeTrue();
        ReadAll(read, "2"u8).AsSpan().SequenceEqual(Sample.Value((2 * Piece) + 1, 2)).Should().BeTrue();
    }

    [Fact]
    public void Nothing_is_read_after_the_transaction_or_after_a_change()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            PipeWriter writer = tree.OpenValueWriter("k"u8);
            writer.Write(Sample.Value(2 * Piece, 1));
            writer.Complete();
            tree.TryOpenValueReader("k"u8, out PipeReader? own).Should().BeTrue();
            own!.TryRead(out ReadResult mine).Should().BeTrue();
            tree.Put("x"u8, "y"u8);
            ((Action)(() => _ = mine.Buffer.First.Span[0])).Should().Throw<InvalidOperationException>();
            tree.TryOpenValueReader("none"u8, out _).Should().BeFalse();
            transaction.Commit();
        }

        ReadTransaction reader = environment.BeginRead();
        reader.OpenTree("t").TryOpenValueReader("k"u8, out PipeReader? pipe).Should().BeTrue();
        pipe!.TryRead(out ReadResult result).Should().BeTrue();
        ReadOnlyMemory<byte> memory = result.Buffer.First;
        reader.Dispose();
        ((Action)(() => _ = memory.Span[0])).Should().Throw<ObjectDisposedException>();
        ((Action)(() => pipe.TryRead(out _))).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void A_reader_can_look_further_before_it_takes_anything()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        byte[] value = Sample.Value((2 * Piece) + 5, 4);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        PipeWriter writer = tree.OpenValueWriter("k"u8);
        writer.Write(value);
        writer.Complete();
        tree.TryOpenValueReader("k"u8, out PipeReader? pipe).Should().BeTrue();
        pipe!.CancelPendingRead();
        pipe.TryRead(out ReadResult first).Should().BeTrue();
        first.IsCanceled.Should().BeTrue();
        first.Buffer.Length.Should().Be(Piece);
        pipe.AdvanceTo(first.Buffer.GetPosition(10), first.Buffer.End);
        pipe.TryRead(out ReadResult second).Should().BeTrue();
        second.Buffer.Length.Should().Be((2 * Piece) - 10);
        second.IsCompleted.Should().BeFalse();
        pipe.AdvanceTo(second.Buffer.Start, second.Buffer.End);
        pipe.TryRead(out ReadResult third).Should().BeTrue();
        third.IsCompleted.Should().BeTrue();
        third.Buffer.ToArray().AsSpan().SequenceEqual(value.AsSpan(10)).Should().BeTrue();
        pipe.Complete();
        ((Action)(() => pipe.TryRead(out _))).Should().Throw<InvalidOperationException>();
    }

    [Theory]
    [InlineData(2000)]
    [InlineData(300_000)]
    [InlineData((2 * Piece) + 5)]
    public void Positions_and_entries_do_not_look_at_a_long_value(int length)
    {
        byte[] value = Sample.Value(length, 3);
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        PipeWriter writer = tree.OpenValueWriter("k"u8);
        writer.Write(value);
        writer.Complete();

        Meet(tree, value);
        using (WriteCursor cursor = tree.OpenCursor())
        {
            cursor.MoveLast().Should().BeTrue();
            cursor.ValueBytes.Should().Be(length);
            ReadAll(cursor.OpenValueReader()).AsSpan().SequenceEqual(value).Should().BeTrue();
        }

        transaction.Commit();
        environment.Checkpoint();
        using ReadTransaction reader = environment.BeginRead();
        Meet(reader.OpenTree("t"), value);
        using Cursor readOnly = reader.OpenTree("t").OpenCursor();
        readOnly.Seek("a"u8).Should().BeTrue();
        readOnly.ValueBytes.Should().Be(length);
        ReadAll(readOnly.OpenValueReader()).AsSpan().SequenceEqual(value).Should().BeTrue();
        TreeLookups lookups = reader.OpenTree("t").GetMany(new ReadOnlyMemory<byte>[] { "none"u8.ToArray() });
        lookups.MoveNext().Should().BeTrue();
        TreeLookup missing = lookups.Current;
        (missing.Exists, missing.ValueBytes).Should().Be((false, 0));
        try
        {
            missing.OpenValueReader();
            Assert.Fail("a key that does not exist has no value to read");
        }
        catch (InvalidOperationException error)
        {
            error.Message.Should().Contain("Exists");
        }
    }

    /// <summary>Meets the only entry on every way there is, without its value as a span.</summary>
    private static void Meet(ReadTree tree, byte[] value)
    {
        tree.TryGetFirst(out TreeEntry first).Should().BeTrue();
        Expect(first, value);
        tree.TryGetLast(out TreeEntry last).Should().BeTrue();
        Expect(last, value);
        tree.TryGetFloor("z"u8, out TreeEntry floor).Should().BeTrue();
        Expect(floor, value);
        tree.TryGetCeiling("a"u8, out TreeEntry ceiling).Should().BeTrue();
        Expect(ceiling, value);
        tree.TryGetCeiling("z"u8, out TreeEntry none).Should().BeFalse();
        none.Key.Length.Should().Be(0);
        int met = 0;
        foreach (TreeEntry entry in tree)
        {
            Expect(entry, value);
            met++;
        }

        met.Should().Be(1);
        foreach (TreeLookup found in tree.GetMany(new ReadOnlyMemory<byte>[] { "k"u8.ToArray() }))
        {
            found.Exists.Should().BeTrue();
            found.ValueBytes.Should().Be(value.Length);
            ReadAll(found.OpenValueReader()).AsSpan().SequenceEqual(value).Should().BeTrue();
        }
    }

    private static void Expect(TreeEntry entry, byte[] value)
    {
        entry.Key.SequenceEqual("k"u8).Should().BeTrue();
        entry.ValueBytes.Should().Be(value.Length);
        ReadAll(entry.OpenValueReader()).AsSpan().SequenceEqual(value).Should().BeTrue();
        if (value.Length <= Piece)
        {
            entry.Value.SequenceEqual(value).Should().BeTrue();
            return;
        }

        try
        {
            _ = entry.Value;
            Assert.Fail("no span holds a value in pieces");
        }
        catch (ValueInPiecesException error)
        {
            error.Message.Should().Contain("OpenValueReader");
        }
    }

    private static void ExpectIn(StorageEnvironment environment, byte[] value, bool isInOnePiece)
    {
        using (ReadTransaction reader = environment.BeginRead())
        {
            ReadTree tree = reader.OpenTree("t");
            Expect(tree, value);
            tree.Contains("k"u8).Should().BeTrue();
            if (isInOnePiece)
            {
                tree.Get("k"u8).AsSpan().SequenceEqual(value).Should().BeTrue();
            }
            else
            {
                ((Action)(() => reader.OpenTree("t").Get("k"u8))).Should().Throw<ValueInPiecesException>()
                    .Which.Message.Should().Contain("TryOpenValueReader");
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    private static void Empty(StorageEnvironment environment)
    {
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            tree.Put("k"u8, "short"u8);
            PipeWriter writer = tree.OpenValueWriter("k"u8);
            writer.Write(Sample.Value(2 * Piece, 9));
            writer.Complete();
            tree.Delete("k"u8).Should().BeTrue();
            transaction.DropTree("t").Should().BeTrue();
            transaction.Commit();
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    private static void Expect(ReadTree tree, byte[] value) => ReadAll(tree, "k"u8).AsSpan().SequenceEqual(value).Should().BeTrue();

    private static byte[] ReadAll(ReadTree tree, ReadOnlySpan<byte> key)
    {
        tree.TryOpenValueReader(key, out PipeReader? reader).Should().BeTrue();
        return ReadAll(reader!);
    }

    private static byte[] ReadAll(PipeReader reader)
    {
        using MemoryStream all = new();
        for (bool more = true; more;)
        {
            reader.TryRead(out ReadResult result).Should().BeTrue();
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                all.Write(segment.Span);
            }

            more = !result.IsCompleted;
            reader.AdvanceTo(result.Buffer.End);
        }

        return all.ToArray();
    }
}
