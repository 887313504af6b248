using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Platform;
using Xunit;

namespace Voron.Storage.Tests.Platform;

/// <summary>What every disk must do alike. Each test runs on every disk.</summary>
public abstract class DiskTests : IDisposable
{
    private protected abstract IDisk Disk { get; }

    private protected abstract string Root { get; }

    [Fact]
    public void A_missing_file_is_not_found()
    {
        Disk.OpenFile(At("missing"), FileOpening.None, out IDiskFile? file).Kind.Should().Be(IoErrorKind.NotFound);
        file.Should().BeNull();
        Disk.OpenFile(At("no/such/folder"), FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.Delete(At("missing")).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.Rename(At("missing"), At("other")).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.ListFiles(At("missing"), []).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.SyncDirectory(At("missing")).Kind.Should().Be(IoErrorKind.NotFound);
    }

    [Fact]
    public void A_file_in_the_path_is_not_a_directory()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Disk.OpenFile(At("file/inner"), FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.CreateDirectory(At("file")).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.CreateDirectory(At("file/inner")).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.ListFiles(At("file"), []).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.SyncDirectory(At("file")).Kind.Should().Be(IoErrorKind.NotADirectory);
    }

    [Fact]
    public void A_directory_is_no_file()
    {
        Succeed(Disk.CreateDirectory(At("folder")));
        Disk.OpenFile(At("folder"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        Disk.OpenFile(At("folder"), FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        Disk.OpenFile(At("folder"), FileOpening.ReadOnly, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        Disk.Delete(At("folder")).Kind.Should().Be(IoErrorKind.IsADirectory);
        using IDiskFile file = Open("file", FileOpening.Create);
        Disk.Rename(At("file"), At("folder")).Kind.Should().Be(IoErrorKind.IsADirectory);
    }

    [Theory]
    [InlineData("zero\0character")]
    [InlineData("long")]
    public void A_bad_name_is_an_invalid_path(string name)
    {
        string path = At(name == "long" ? new string('x', 256) : name);
        Disk.OpenFile(path, FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.InvalidPath);
        Disk.CreateDirectory(path).Kind.Should().Be(IoErrorKind.InvalidPath);
        Disk.OpenFile("relative", FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.InvalidPath);
        using IDiskFile file = Open(new string('x', 255), FileOpening.Create);
    }

    [Fact]
    public void Directories_are_created_with_their_parents_and_twice_is_fine()
    {
        Succeed(Disk.CreateDirectory(At("a/b/c")));
        Succeed(Disk.CreateDirectory(At("a/b/c")));
        Succeed(Disk.CreateDirectory(At("a/b/d/")));
        using IDiskFile file = Open("a/b/c/file", FileOpening.Create);
        Succeed(Disk.SyncDirectory(At("a/b/c")));
    }

    [Fact]
    public void Files_are_listed_and_folders_are_not()
    {
        Succeed(Disk.CreateDirectory(At("list/inner")));
        Open("list/one", FileOpening.Create).Dispose();
        Open("list/two", FileOpening.Create).Dispose();
        Open("list/inner/three", FileOpening.Create).Dispose();
        List<string> names = ["before"];
        Succeed(Disk.ListFiles(At("list"), names));
        names.Should().BeEquivalentTo("before", "one", "two");
    }

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
    public void A_file_opened_read_only_cannot_be_changed()
    {
        Open("file", FileOpening.Create).Dispose();
        using IDiskFile file = Open("file", FileOpening.ReadOnly);
        file.Write(0, new byte[10]).Kind.Should().Be(IoErrorKind.AccessDenied);
        file.SetLength(10).Kind.Should().Be(IoErrorKind.AccessDenied);
        file.Allocate(10).Kind.Should().Be(IoErrorKind.AccessDenied);
        file.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.AccessDenied);
        Succeed(file.TryLock(exclusive: false));
        Succeed(file.SyncData());
    }

    [Fact]
    public void A_rename_replaces_its_target_and_the_old_content_lives_on_while_open()
    {
        IDiskFile old = Open("target", FileOpening.Create);
        Succeed(old.Write(0, [1]));
        using (IDiskFile source = Open("source", FileOpening.Create))
        {
            Succeed(source.Write(0, [2]));
        }

        Succeed(Disk.Rename(At("source"), At("target")));
        FirstByte(old).Should().Be(1);
        using (IDiskFile renamed = Open("target", FileOpening.None))
        {
            FirstByte(renamed).Should().Be(2);
        }

        Disk.OpenFile(At("source"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.NotFound);
        old.Dispose();
        using IDiskFile after = Open("target", FileOpening.None);
        FirstByte(after).Should().Be(2, "closing the replaced file must not touch the new one");
        Succeed(Disk.Rename(At("target"), At("target")));
        FirstByte(after).Should().Be(2);
    }

    [Fact]
    public void A_deleted_file_keeps_its_content_while_it_is_open()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(0, Pattern(5000, 5)));
        Succeed(Disk.Delete(At("file")));
        Disk.OpenFile(At("file"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.NotFound);
        using IDiskFile other = Open("file", FileOpening.Create);
        Succeed(other.Write(0, [9]));
        byte[] bytes = new byte[5000];
        Succeed(file.Read(0, bytes, out int read));
        read.Should().Be(5000);
        bytes.Should().Equal(Pattern(5000, 5));
    }

    [Fact]
    public void An_exclusive_lock_keeps_a_second_open_of_the_same_process_out()
    {
        IDiskFile first = Open("file", FileOpening.Create);
        using IDiskFile second = Open("file", FileOpening.None);
        Succeed(first.TryLock(exclusive: true));
        Succeed(first.TryLock(exclusive: true));
        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        second.TryLock(exclusive: false).Kind.Should().Be(IoErrorKind.Locked);
        using (IDiskFile third = Open("file", FileOpening.None))
        {
            // Closing any other open of the file must not release the lock, as it does with locks that belong to the process.
        }

        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        first.Dispose();
        Succeed(second.TryLock(exclusive: true));
    }

    [Fact]
    public void Shared_locks_go_together_and_a_lock_can_change_its_kind()
    {
        IDiskFile first = Open("file", FileOpening.Create);
        using IDiskFile second = Open("file", FileOpening.None);
        Succeed(first.TryLock(exclusive: false));
        Succeed(second.TryLock(exclusive: false));
        first.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        first.Dispose();
        Succeed(second.TryLock(exclusive: true));
        using IDiskFile third = Open("file", FileOpening.None);
        third.TryLock(exclusive: false).Kind.Should().Be(IoErrorKind.Locked);
        Succeed(second.TryLock(exclusive: false));
        Succeed(third.TryLock(exclusive: false));
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
        Succeed(file.SetLength(50));
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
    public void A_closed_file_refuses_everything()
    {
        IDiskFile file = Open("file", FileOpening.Create);
        file.Dispose();
        file.Dispose();
        using IDiskFile other = Open("other", FileOpening.Create);
        Action[] calls =
        [
            () => file.GetLength(out _),
            () => file.Read(0, new byte[1], out _),
            () => file.Write(0, new byte[1]),
            () => file.SyncData(),
            () => file.SetLength(1),
            () => file.Allocate(1),
            () => file.Map(0, out _),
            () => file.TryLock(exclusive: true),
        ];
        foreach (Action call in calls)
        {
            call.Should().Throw<ObjectDisposedException>();
        }

        Succeed(other.GetLength(out long length));
        length.Should().Be(0, "the descriptor that the closed file had may belong to this one now");
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
    public void Random_bytes_differ()
    {
        byte[] first = new byte[32];
        byte[] second = new byte[32];
        Disk.FillRandom(first);
        Disk.FillRandom(second);
        first.Should().NotEqual(second);
        first.Should().Contain(b => b != 0);
    }

    public void Dispose()
    {
        CleanUp();
        GC.SuppressFinalize(this);
    }

    private protected abstract void CleanUp();

    private protected static void Succeed(IoError error) => error.Should().Be(IoError.Success);

    private protected static byte[] Pattern(int length, int seed)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private protected string At(string name) => Root + "/" + name;

    private protected IDiskFile Open(string name, FileOpening opening)
    {
        Succeed(Disk.OpenFile(At(name), opening, out IDiskFile? file));
        file!.Path.Should().Be(At(name));
        return file;
    }

    private static byte[] Mapped(nint address, long offset, int length)
    {
        byte[] bytes = new byte[length];
        Marshal.Copy(address + (nint)offset, bytes, 0, length);
        return bytes;
    }

    private static byte FirstByte(IDiskFile file)
    {
        byte[] one = new byte[1];
        Succeed(file.Read(0, one, out int read));
        read.Should().Be(1);
        return one[0];
    }
}
