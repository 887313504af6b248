using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Versions;

/// <summary>
/// What is looked at through a map before memory lets go of it: a page or an image that is not there, or not as it was written, is refused.
/// </summary>
public sealed class MapLookTests : IDisposable
{
    private const int PageBytes = 4096;
    private const long ChunkBytes = 64 << 10;
    private readonly MemoryDisk _disk = new();
    private readonly List<byte[]> _pinned = [];

    public void Dispose() => _disk.Dispose();

    [Fact]
    public void A_page_behind_the_map_or_of_another_transaction_is_not_confirmed()
    {
        byte[] pages = GC.AllocateArray<byte>(4 * PageBytes, pinned: true);
        Span<byte> second = pages.AsSpan(PageBytes, PageBytes);
        MemoryMarshal.Write(second, new PageHeader { PageNumber = new(1), TransactionId = new(7), Kind = PageKind.Leaf });
        PageImage.Seal(second);
        _disk.OpenFile("/data", FileOpening.Create, out IDiskFile? file).Failed.Should().BeFalse();
        using IDiskFile data = file!;
        MappedPages mapped = new(PageBytes, data);
        mapped.Extend(Marshal.UnsafeAddrOfPinnedArrayElement(pages, 0), pages.Length);
        mapped.Confirm(new PageNumber(1), new TransactionId(7));
        foreach ((long page, long transaction) in ((long, long)[])[(1, 6), (2, 7), (4, 7), (-1, 7), (long.MaxValue, 7)])
        {
            Action confirm = () => mapped.Confirm(new PageNumber(page), new TransactionId(transaction));
            confirm.Should().Throw<StorageCorruptException>();
        }
    }

    /// <summary>A page counts as verified only while it lies within the map and nothing punched it.</summary>
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public void A_page_that_was_cut_off_or_punched_is_verified_again(bool isCut, bool isCold)
    {
        byte[] pages = GC.AllocateArray<byte>(4 * PageBytes, pinned: true);
        Span<byte> second = pages.AsSpan(PageBytes, PageBytes);
        MemoryMarshal.Write(second, new PageHeader { PageNumber = new(1), TransactionId = new(7), Kind = PageKind.Leaf });
        PageImage.Seal(second);
        _disk.OpenFile("/data", FileOpening.Create, out IDiskFile? file).Failed.Should().BeFalse();
        using IDiskFile data = file!;
        MappedPages mapped = new(PageBytes, data);
        nint address = Marshal.UnsafeAddrOfPinnedArrayElement(pages, 0);
        mapped.Extend(address, pages.Length);
        if (isCold)
        {
            mapped.BeginColdReads(0);
        }

        mapped.Read(new PageNumber(1));
        second[100] ^= 1;
        mapped.Read(new PageNumber(1));
        if (isCut)
        {
            mapped.Shrink(1);
            mapped.Extend(address, pages.Length);
        }
        else
        {
            mapped.Forget(new PageNumber(1), 1);
        }

        Action read = () => mapped.Read(new PageNumber(1));
        read.Should().Throw<StorageCorruptException>();
    }

    [Fact]
    public unsafe void A_version_that_was_emptied_makes_no_page()
    {
        Action write = static () =>
        {
            PageVersion emptied = new() { PageNumber = new PageNumber(5), CreatedBy = new TransactionId(7), PageCount = 1 };
            PageImage.Write((nint)(&emptied), new byte[PageBytes]);
        };
        write.Should().Throw<InvalidOperationException>().Which.Message.Should().Contain("page 5").And.Contain("transaction 7");
    }

    [Fact]
    public void An_image_in_a_mapped_chunk_is_looked_at_before_it_stands_for_a_version()
    {
        Gate gate = new();
        using Gate.Scope held = gate.Hold();
        using ChunkViews views = new(gate);
        (int number, nint address) = Map(views, 5);
        Span<byte> image = Image(address);
        image.Fill(9);
        PageImage.Seal(image);
        ulong checksum = MemoryMarshal.Read<ulong>(image);
        views.Verified(number, new PageNumber(3), FormatConstants.ChunkBodyOffset, PageBytes, checksum)
            .Should().Be(address + FormatConstants.ChunkBodyOffset);
        foreach ((long offset, long bytes, ulong expected) in ((long, long, ulong)[])[
            (0, PageBytes, checksum), (ChunkBytes - PageBytes + 8, PageBytes, checksum),
            (FormatConstants.ChunkBodyOffset, 2 * PageBytes, checksum), (FormatConstants.ChunkBodyOffset, PageBytes, checksum + 1)])
        {
            Action look = () => views.Verified(number, new PageNumber(3), offset, bytes, expected);
            look.Should().Throw<StorageCorruptException>();
        }

        image[100] ^= 1;
        Action rotten = () => views.Verified(number, new PageNumber(3), FormatConstants.ChunkBodyOffset, PageBytes, checksum);
        rotten.Should().Throw<StorageCorruptException>();
    }

    [Fact]
    public void A_chunk_without_views_goes_and_its_number_is_used_again()
    {
        Gate gate = new();
        using Gate.Scope held = gate.Hold();
        using ChunkViews views = new(gate);
        (int first, _) = Map(views, 5);
        (int second, _) = Map(views, 6);
        views.Count(second);
        views.CountOf(5).Should().Be(0);
        views.CountOf(6).Should().Be(1);
        views.CountOf(7).Should().Be(0, "it was never mapped");
        HashSet<long> mapped = [];
        views.DropUnused(mapped);
        mapped.Should().Equal(6);
        Map(views, 7).Number.Should().Be(first);
    }

    private static unsafe Span<byte> Image(nint address) => new((byte*)address + FormatConstants.ChunkBodyOffset, PageBytes);

    private (int Number, nint Address) Map(ChunkViews views, long sequence)
    {
        _disk.OpenFile($"/{sequence}.pages", FileOpening.Create, out IDiskFile? file).Failed.Should().BeFalse();
        file!.Allocate(ChunkBytes).Failed.Should().BeFalse();
        byte[] bytes = GC.AllocateArray<byte>((int)ChunkBytes, pinned: true);
        _pinned.Add(bytes);
        nint address = Marshal.UnsafeAddrOfPinnedArrayElement(bytes, 0);
        return (views.Add(file, sequence, address, ChunkBytes), address);
    }
}
