using System.Text;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Journal;
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
                RedoOperation.CreateTree => $"create {reader.TreeKind} {Text(reader.Key)}",
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
        long before = GC.GetAllocatedBytesForCurrentThread();
        NoteSome(writer, value);
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().Be(0);
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
