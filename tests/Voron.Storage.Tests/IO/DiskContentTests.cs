using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>What the files of every disk must do alike: reading, writing, lengths, maps, unbuffered transfers.</summary>
public abstract class DiskContentTests : DiskFixture
{
    [Fact]
    public void Written_bytes_are_read_back_and_gaps_are_zero()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        byte[] bytes = Pattern(10_000, 1);
        Succeed(file.Write(5_000, bytes));
        Succeed(file.GetLength(out long length));
        length.Should().Be(15_000);
        byte[] all = new byte[20_000];
        Succeed(file.Read(0, all, out int read));
        read.Should().Be(15_000, "a read at the end of the file is short");
        all.AsSpan(0, 5_000).ToArray().Should().OnlyContain(b => b == 0);
        all.AsSpan(5_000, 10_000).SequenceEqual(bytes).Should().BeTrue();
        Succeed(file.Read(15_000, all, out read));
        read.Should().Be(0);
        Succeed(file.Read(1L << 40, all, out read));
        read.Should().Be(0);
        Succeed(file.WriteOut(0, 1 << 20));
        Succeed(file.SyncData());
    }

    [Fact]
    public void Open_never_truncates()
    {
        using (IDiskFile file = Open("file", FileOpening.Create))
        {
            Succeed(file.Write(0, Pattern(100, 2)));
        }

        using IDiskFile again = Open("file", FileOpening.Create);
        Succeed(again.GetLength(out long length));
        length.Should().Be(100);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    [InlineData(4096)]
    [InlineData(70_001)]
    public void A_cut_tail_is_zero_when_the_file_grows_again(int cut)
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        byte[] bytes = Pattern(200_000, 3);
        Succeed(file.Write(0, bytes));
        Succeed(file.SetLength(cut));
        Succeed(file.GetLength(out long length));
        length.Should().Be(cut);
        Succeed(file.SetLength(200_000));
        byte[] all = new byte[200_000];
        Succeed(file.Read(0, all, out int read));
        read.Should().Be(200_000);
        all.AsSpan(0, cut).SequenceEqual(bytes.AsSpan(0, cut)).Should().BeTrue();
        all.AsSpan(cut).IndexOfAnyExcept((byte)0).Should().Be(-1);
    }

    [Fact]
    public void Allocate_grows_and_never_cuts()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Allocate(0));
        Succeed(file.Allocate(1 << 20));
        Succeed(file.GetLength(out long length));
        length.Should().Be(1 << 20);
        Succeed(file.Write(0, Pattern(100, 4)));
        Succeed(file.Allocate(4096));
        Succeed(file.GetLength(out length));
        length.Should().Be(1 << 20);
        byte[] bytes = new byte[100];
        Succeed(file.Read(0, bytes, out _));
        bytes.Should().Equal(Pattern(100, 4));
    }

    [Fact]
    public void A_hole_reads_as_zeros_also_through_the_map_and_takes_writes_again()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(0, Pattern(65_536, 5)));
        Succeed(file.Map(65_536, out nint map));
        IoError punched = file.Punch(8_192, 16_384);
        Assert.SkipWhen(OperatingSystem.IsWindows() && punched.Kind == IoErrorKind.NotSupported, "Files have no holes on Windows.");
        Succeed(punched);
        byte[] expected = Pattern(65_536, 5);
        expected.AsSpan(8_192, 16_384).Clear();
        byte[] bytes = new byte[65_536];
        Succeed(file.Read(0, bytes, out _));
        bytes.Should().Equal(expected);
        Mapped(map, 0, 65_536).Should().Equal(expected);
        Succeed(file.Allocate(131_072));
        Succeed(file.Write(12_288, Pattern(4_096, 8)));
        Mapped(map, 12_288, 4_096).Should().Equal(Pattern(4_096, 8));
        Succeed(file.GetLength(out long length));
        length.Should().Be(131_072);
    }

    [Fact]
    public void A_temporary_file_has_no_name_and_a_map_that_may_be_written()
    {
        using IDiskFile file = Open("file", FileOpening.Temporary);
        List<string> names = [];
        Succeed(Disk.ListFiles(Root, names));
        names.Should().NotContain("file");
        Succeed(file.Allocate(8_192));
        Succeed(file.Map(8_192, out nint map));
        byte[] sevens = new byte[8_192];
        Array.Fill(sevens, (byte)7);
        Marshal.Copy(sevens, 0, map, 8_192);
        using IDiskFile other = Open("file", FileOpening.Temporary);
        Succeed(other.GetLength(out long length));
        length.Should().Be(0, "it is another file");
        byte[] bytes = new byte[8_192];
        Succeed(file.Read(0, bytes, out _));
        bytes.Should().Equal(sevens);
        Succeed(file.SyncData());
    }

    [Fact]
    public void A_map_shows_writes_and_old_addresses_stay_readable_while_it_grows()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(0, Pattern(10_000, 6)));
        Succeed(file.Map(10_000, out nint first));
        Mapped(first, 0, 10_000).Should().Equal(Pattern(10_000, 6));
        Succeed(file.Write(4_000, Pattern(3_000, 7)));
        Mapped(first, 4_000, 3_000).Should().Equal(Pattern(3_000, 7), "a write is seen through the map");

        for (long length = 1 << 20; length <= 1 << 28; length *= 4)
        {
            Succeed(file.SetLength(length));
            Succeed(file.Write(length - 100, Pattern(100, 8)));
            Succeed(file.Map(length, out nint grown));
            Mapped(grown, length - 100, 100).Should().Equal(Pattern(100, 8));
            Succeed(file.Write(9_990, Pattern(10, (int)(length >> 20))));
            Mapped(grown, 9_990, 10).Should().Equal(Pattern(10, (int)(length >> 20)));
            Mapped(first, 9_990, 10).Should().Equal(Pattern(10, (int)(length >> 20)), "old and new addresses show the same bytes");
        }
    }

    [Fact]
    public void A_map_of_nothing_is_fine_and_one_past_the_end_is_refused()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Map(0, out _));
        file.Map(1, out nint address).Failed.Should().BeTrue("reading there would end the process");
        address.Should().Be(0);
        Succeed(file.SetLength(100));
        Succeed(file.Map(100, out address));
        Mapped(address, 0, 100).Should().OnlyContain(b => b == 0);
        file.Map(101, out _).Failed.Should().BeTrue();
        IoError cut = file.SetLength(50);
        if (OperatingSystem.IsWindows() && cut.Failed)
        {
            cut.Kind.Should().Be(IoErrorKind.NotSupported, "the system cuts no file of which a part is mapped, and changes nothing");
            Succeed(file.Map(100, out _));
            file.Dispose();
            using IDiskFile again = Open("file", FileOpening.None);
            Succeed(again.GetLength(out long cutAtClose));
            cutAtClose.Should().Be(50, "it is done when the file is closed");
            return;
        }

        Succeed(cut);
        file.Map(100, out _).Failed.Should().BeTrue("the file was cut");
    }

    [Fact]
    public void Two_open_files_map_the_same_bytes()
    {
        using IDiskFile writer = Open("file", FileOpening.Create);
        Succeed(writer.SetLength(8192));
        using IDiskFile reader = Open("file", FileOpening.ReadOnly);
        Succeed(reader.Map(8192, out nint address));
        Succeed(writer.Write(5000, [42]));
        Marshal.ReadByte(address, 5000).Should().Be(42);
    }

    [Fact]
    public void Negative_places_are_refused()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        file.Invoking(f => f.Read(-1, new byte[1], out _)).Should().Throw<ArgumentOutOfRangeException>();
        file.Invoking(f => f.Write(-1, new byte[1])).Should().Throw<ArgumentOutOfRangeException>();
        file.Invoking(f => f.SetLength(-1)).Should().Throw<ArgumentOutOfRangeException>();
        file.Invoking(f => f.Allocate(-1)).Should().Throw<ArgumentOutOfRangeException>();
        file.Invoking(f => f.Map(-1, out _)).Should().Throw<ArgumentOutOfRangeException>();
    }

    [Fact]
    public void A_write_beyond_all_limits_is_refused()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        file.Write(long.MaxValue - 10, new byte[100]).Failed.Should().BeTrue();
        Succeed(file.GetLength(out long length));
        length.Should().Be(0);
    }

    [Fact]
    public void Unbuffered_transfers_work_in_whole_blocks_and_misaligned_ones_are_refused()
    {
        using IDiskFile file = Open("file", FileOpening.Create | FileOpening.Unbuffered | FileOpening.WriteThrough);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(12_288);
        Pattern(12_288, 9).CopyTo(buffer.Span);
        Succeed(file.Write(4096, buffer.Span));
        file.Invoking(f => f.Write(1, buffer.Slice(0, 4096))).Should().Throw<ArgumentException>();
        file.Invoking(f => f.Write(0, buffer.Slice(0, 4095))).Should().Throw<ArgumentException>();
        file.Invoking(f => f.Write(0, buffer.Slice(512, 4096))).Should().Throw<ArgumentException>();
        using IWriteInFlight flight = Disk.CreateWriteInFlight();
        flight.Invoking(f => f.Start(file, 1, buffer.Slice(0, 4096))).Should().Throw<ArgumentException>();
        flight.Invoking(f => f.Start(file, 0, buffer.Slice(512, 4096))).Should().Throw<ArgumentException>();
        file.Invoking(f => f.Read(512, buffer.Slice(0, 4096), out _)).Should().Throw<ArgumentException>();
        file.Invoking(f => f.Read(0, buffer.Slice(8, 4096), out _)).Should().Throw<ArgumentException>();
        buffer.Span.Clear();
        Succeed(file.Read(4096, buffer.Span, out int read));
        read.Should().Be(12_288);
        buffer.Span.SequenceEqual(Pattern(12_288, 9)).Should().BeTrue();
    }

    [Fact]
    public void An_unbuffered_read_over_a_ragged_end_is_short()
    {
        using (IDiskFile ragged = Open("file", FileOpening.Create))
        {
            Succeed(ragged.Write(0, Pattern(5000, 10)));
            Succeed(ragged.SyncData());
        }

        using IDiskFile file = Open("file", FileOpening.Unbuffered);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(16_384);
        Succeed(file.Read(0, buffer.Span, out int read));
        read.Should().Be(5000);
        buffer.Span[..5000].SequenceEqual(Pattern(5000, 10)).Should().BeTrue();
        Succeed(file.Read(8192, buffer.Span, out read));
        read.Should().Be(0);
    }

    [Fact]
    public void Files_are_used_by_several_threads_at_once()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Parallel.For(0, 64, i =>
        {
            byte[] mine = Pattern(5000, i);
            byte[] back = new byte[5000];
            for (int round = 0; round < 20; round++)
            {
                Succeed(file.Write((i * 5000L) + ((long)round << 20), mine));
                Succeed(file.Read((i * 5000L) + ((long)round << 20), back, out int read));
                read.Should().Be(5000);
                back.AsSpan().SequenceEqual(mine).Should().BeTrue();
            }
        });
    }

    [Fact]
    public void Transfers_allocate_nothing()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        byte[] bytes = new byte[4096];
        Transfer(file, bytes, 20);
        Allocations.Least(() => Transfer(file, bytes, 1000)).Should().BeLessThan(1000, "a thousand rounds must not cost a byte each");
    }

    [Fact]
    public void Random_bytes_differ()
    {
        byte[] first = new byte[32];
        byte[] second = new byte[32];
        Disk.FillRandom(first);
        Disk.FillRandom(second);
        first.Should().NotEqual(second);
        first.Should().Contain(b => b != 0);
    }

    private static void Transfer(IDiskFile file, byte[] bytes, int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            _ = file.Write(0, bytes);
            _ = file.Read(0, bytes, out _);
            _ = file.GetLength(out _);
            _ = file.Map(4096, out _);
        }
    }
}
