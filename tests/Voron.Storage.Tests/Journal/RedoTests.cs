using System.Text;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.Journal;

public class RedoTests
{
    [Fact]
    public void Operations_read_back()
    {
        RedoWriter writer = Sample();
        RedoReader reader = new(writer.Written);
        List<string> seen = [];
        while (reader.MoveNext())
        {
            seen.Add(reader.Operation switch
            {
                RedoOperation.Put => $"put {Text(reader.Key)} {reader.Value.Length}",
                RedoOperation.Delete => $"delete {Text(reader.Key)}",
                RedoOperation.CreateTree => $"create {reader.Shape.Kind} {Text(reader.Key)}",
                _ => $"{reader.Operation} {Text(reader.Key)}",
            });
        }

        seen.Should().Equal(
            "create Ordered users", "SelectTree users", "put a 0", "put  300", "delete b", "put big 100000", "DropTree old");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(16383)]
    [InlineData(16384)]
    [InlineData(2097151)]
    [InlineData(2097152)]
    public void Lengths_at_the_edges_of_the_encoding_read_back(int length)
    {
        RedoWriter writer = New();
        writer.Put("k"u8, new byte[length]);
        writer.Delete("end"u8);
        RedoReader reader = new(writer.Written);
        reader.MoveNext().Should().BeTrue();
        reader.Value.Length.Should().Be(length);
        reader.MoveNext().Should().BeTrue();
        Text(reader.Key).Should().Be("end");
        reader.MoveNext().Should().BeFalse();
    }

    [Fact]
    public void A_cut_body_throws_or_ends_at_an_operation_but_never_reads_on()
    {
        byte[] whole = Sample().Written.ToArray();
        int clean = 0;
        for (int length = 0; length < Math.Min(whole.Length, 600); length++)
        {
            clean += EndsCleanly(whole.AsSpan(0, length).ToArray()) ? 1 : 0;
        }

        clean.Should().Be(6, "only the cuts between operations parse");
    }

    [Fact]
    public void Any_bytes_end_in_the_contract_s_exception_or_parse()
    {
        Random random = new(7);
        byte[] body = new byte[64];
        int bad = 0;
        for (int i = 0; i < 20000; i++)
        {
            random.NextBytes(body);
            body[0] = FormatConstants.RedoVersion;
            body[1] = (byte)(i % 7);
            bad += EndsCleanly(body.AsSpan(0, random.Next(1, body.Length)).ToArray()) ? 0 : 1;
        }

        bad.Should().BePositive();
    }

    [Fact]
    public void A_body_of_another_version_is_refused()
    {
        Action read = static () => _ = new RedoReader([2]);
        read.Should().Throw<CorruptJournalException>();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(PlacedRun.SizeBytes - 1)]
    [InlineData(PlacedRun.SizeBytes + 1)]
    public void A_list_of_runs_of_a_length_that_none_has_is_refused(int bytes)
    {
        RedoWriter writer = New();
        writer.Put("k"u8, new byte[bytes]);
        byte[] body = writer.Written.ToArray();
        body[1] = (byte)RedoOperation.PutPlaced;
        Action look = () =>
        {
            RedoReader reader = new(body);
            reader.MoveNext().Should().BeTrue();
            _ = reader.Runs;
        };
        look.Should().Throw<CorruptJournalException>().WithMessage($"*{bytes} bytes names no runs*");
    }

    [Fact]
    public void What_was_undone_is_known_by_number_also_after_savepoints_were_released()
    {
        RedoWriter writer = New();
        writer.Delete("kept"u8);
        Savepoint(writer);
        writer.Delete("undone"u8);
        Savepoint(writer);
        writer.Delete("undone, too"u8);
        writer.Release(1);
        writer.RollbackTo(0);
        writer.RollbackTo(1);
        writer.Release(1);
        writer.Delete("kept, too"u8);
        writer.Release(0);
        writer.RollbackTo(0);
        writer.Delete("kept to the end"u8);
        UndoneRedo undone = new();
        undone.LookThrough(new RedoReader(writer.Written));
        List<string> kept = [];
        RedoReader reader = new(writer.Written);
        for (long number = 0; reader.MoveNext(); number++)
        {
            if (reader.Operation == RedoOperation.Delete && !undone.Contains(number))
            {
                kept.Add(Text(reader.Key));
            }
        }

        kept.Should().Equal(["kept", "kept, too", "kept to the end"], "a savepoint that was released is no place to go back to");
    }

    [Fact]
    public void Records_that_make_no_whole_transaction_are_refused()
    {
        TakeAll(Part(8)).Should().Contain("transaction 8 where 7 should come");
        TakeAll(Part(7, count: 1)).Should().Contain("1 fragments, 0 were found");
        TakeAll(Fragment(7, 1)).Should().Contain("fragment 1 follows fragment -1");
        TakeAll(Fragment(7, 0), Fragment(7, 2)).Should().Contain("fragment 2 follows fragment 0");
        TakeAll(Fragment(7, 0), Fragment(7, 1), Part(7, count: 1)).Should().Contain("1 fragments, 2 were found");
        TakeAll(Fragment(7, 0), Fragment(7, 0), Fragment(7, 1), Part(7, count: 2), Part(8)).Should().BeEmpty("a first one begins anew");
        TakeAll(Fragment(7, 0), Part(7), Fragment(8, 0), Part(8, count: 1)).Should().BeEmpty("what was rolled back counts for nothing");
    }

    /// <summary>Takes records behind transaction 6; what is wrong with them, or nothing.</summary>
    private static string TakeAll(params ReadOnlySpan<RecordHeader> headers)
    {
        TransactionParts parts = new(new TransactionId(6));
        try
        {
            foreach (RecordHeader header in headers)
            {
                parts.Take(header, []);
            }

            return string.Empty;
        }
        catch (CorruptJournalException error)
        {
            return error.Message;
        }
    }

    private static RecordHeader Part(long id, uint count = 0) =>
        new() { TransactionId = new TransactionId(id), Flags = RecordFlags.Commit, FragmentCount = count };

    private static RecordHeader Fragment(long id, uint number) =>
        new() { TransactionId = new TransactionId(id), Flags = RecordFlags.Fragment, FragmentNumber = number };

    private static void Savepoint(RedoWriter writer) => writer.InsertSavepoint(writer.Written.Length);

    [Fact]
    public void A_continued_buffer_has_no_version_of_its_own()
    {
        RedoWriter writer = New();
        writer.OperationBytes.Should().Be(0);
        writer.Put("a"u8, "1"u8);
        writer.Continue();
        writer.Written.Length.Should().Be(0);
        writer.OperationBytes.Should().Be(0);
        writer.Delete("a"u8);
        writer.Written[0].Should().Be((byte)RedoOperation.Delete);
        writer.Reset();
        writer.Written[0].Should().Be(FormatConstants.RedoVersion);
    }

    [Fact]
    public void Noting_allocates_nothing_once_the_buffer_has_grown()
    {
        RedoWriter writer = New();
        byte[] value = new byte[100];
        NoteSome(writer, value);
        Allocations.Least(() => NoteSome(writer, value)).Should().Be(0);
    }

    private static void NoteSome(RedoWriter writer, byte[] value)
    {
        writer.Reset();
        for (int i = 0; i < 2000; i++)
        {
            writer.Put("0123456789abcdef"u8, value);
        }
    }

    private static RedoWriter New()
    {
        RedoWriter writer = new();
        writer.Reset();
        return writer;
    }

    private static RedoWriter Sample()
    {
        RedoWriter writer = New();
        writer.CreateTree(TreeKind.Ordered, "users"u8);
        writer.SelectTree("users"u8);
        writer.Put("a"u8, default);
        writer.Put(default, new byte[300]);
        writer.Delete("b"u8);
        writer.Put("big"u8, new byte[100000]);
        writer.DropTree("old"u8);
        return writer;
    }

    private static bool EndsCleanly(byte[] body)
    {
        try
        {
            RedoReader reader = new(body);
            while (reader.MoveNext())
            {
            }

            return true;
        }
        catch (CorruptJournalException)
        {
            return false;
        }
    }

    private static string Text(ReadOnlySpan<byte> bytes) => Encoding.UTF8.GetString(bytes);
}
