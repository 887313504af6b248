using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Xunit;

namespace Voron.Storage.Tests.Journal;

/// <summary>What the journal keeps in memory for consumers that listen: never other bytes than those written there.</summary>
public sealed class JournalTailTests
{
    private const int RingBytes = 64 << 10;

    [Fact]
    public void Nothing_is_kept_while_nobody_listens()
    {
        JournalTail tail = new(RingBytes);
        tail.Keep(1, 4096, new byte[4096]);
        tail.Read(1, 4096, new byte[16]).Should().Be(0);
        tail.Listen();
        tail.Read(1, 4096, new byte[16]).Should().Be(0, "it was written before");
        tail.Keep(1, 8192, new byte[4096]);
        tail.Read(1, 8192, new byte[16]).Should().Be(16);
        tail.Leave();
        tail.Read(1, 8192, new byte[16]).Should().Be(0);
    }

    [Fact]
    public void What_is_read_is_what_was_written_there_or_nothing()
    {
        JournalTail tail = new(RingBytes);
        tail.Listen();
        Random random = new(7);
        (long sequence, long end) = (1, 4096);
        long kept = 0;
        for (int round = 0; round < 20_000; round++)
        {
            if (random.Next(200) == 0)
            {
                (sequence, end) = (sequence + 1, 4096);
            }

            // Now and then a write is longer than all that is kept.
            byte[] written = new byte[random.Next(50) == 0 ? RingBytes + 4096 : random.Next(1, 4) * 4096];
            Fill(written, sequence, end);
            tail.Keep(sequence, end, written);
            end += written.Length;
            byte[] read = new byte[random.Next(1, 3 * 4096)];
            long from = Math.Max(0, end - random.Next(1, 2 * RingBytes));
            int bytes = tail.Read(sequence - (random.Next(20) == 0 ? 1 : 0), from, read);
            byte[] expected = new byte[bytes];
            Fill(expected, sequence, from);
            read.AsSpan(0, bytes).SequenceEqual(expected).Should().BeTrue("of round {0}", round);
            bytes.Should().BeLessThanOrEqualTo((int)(end - from));
            kept += bytes;
        }

        kept.Should().BePositive();
        tail.Read(sequence, end - 4096, new byte[RingBytes]).Should().Be(4096);
        tail.Read(sequence, end, new byte[1]).Should().Be(0);
    }

    [Fact]
    public void The_first_record_of_a_later_chunk_is_found_while_its_beginning_is_kept()
    {
        JournalTail tail = new(RingBytes);
        RecordHeader written = new() { Sequence = 5, Offset = 4096, PreviousChecksum = 77 };
        byte[] block = new byte[4096];
        MemoryMarshal.Write(block, in written);
        tail.TryReadFirst(4, out _).Should().BeFalse("nothing is kept");
        tail.Listen();
        tail.Keep(4, 4096, new byte[4096]);
        tail.TryReadFirst(4, out _).Should().BeFalse("it is the same chunk");
        tail.Keep(5, 4096, block);
        tail.TryReadFirst(4, out RecordHeader read).Should().BeTrue();
        read.PreviousChecksum.Should().Be(77);
        tail.TryReadFirst(5, out _).Should().BeFalse();
        tail.Keep(5, 8192, new byte[RingBytes]);
        tail.TryReadFirst(4, out _).Should().BeFalse("its beginning is not kept any more");
    }

    private static void Fill(Span<byte> bytes, long sequence, long offset)
    {
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] = (byte)(((offset + i) * 31) + ((offset + i) >> 8) + (sequence * 7));
        }
    }
}
