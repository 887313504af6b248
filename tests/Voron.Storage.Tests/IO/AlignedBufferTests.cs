using FluentAssertions;
using Voron.Native;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>Native memory.</summary>
public sealed class AlignedBufferTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(100_000)]
    public void A_buffer_is_aligned_zero_and_as_long_as_asked(int bytes)
    {
        using AlignedBuffer buffer = AlignedBuffer.Allocate(bytes);
        (buffer.Address % 4096).Should().Be(0);
        buffer.Span.Length.Should().Be(bytes);
        buffer.Span.IndexOfAnyExcept((byte)0).Should().Be(-1);
        buffer.Span.Fill(1);
        buffer.Slice(0, bytes).IndexOfAnyExcept((byte)1).Should().Be(-1);
    }

    [Fact]
    public void Ranges_outside_and_use_after_dispose_are_refused()
    {
        AlignedBuffer buffer = AlignedBuffer.Allocate(4096);
        buffer.Invoking(b => { b.Slice(0, 1 << 20); }).Should().Throw<ArgumentOutOfRangeException>();
        buffer.Invoking(b => { b.Slice(-1, 1); }).Should().Throw<ArgumentOutOfRangeException>();
        buffer.Invoking(b => { b.Slice(long.MaxValue, 1); }).Should().Throw<ArgumentOutOfRangeException>();
        buffer.Dispose();
        buffer.Dispose();
        buffer.Invoking(b => { _ = b.Span; }).Should().Throw<ObjectDisposedException>();
        buffer.Invoking(b => b.Address).Should().Throw<ObjectDisposedException>();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Page_memory_starts_on_a_huge_page(bool preFault)
    {
        using AlignedBuffer buffer = AlignedBuffer.AllocateForPages(5 << 20, preFault);
        (buffer.Address % (2 << 20)).Should().Be(0);
        buffer.Span.IndexOfAnyExcept((byte)0).Should().Be(-1);
        buffer.Span.Fill(3);
        buffer.Slice((5 << 20) - 1, 1)[0].Should().Be(3);
    }

    [Fact]
    public void Too_much_memory_is_an_error_that_can_be_caught()
    {
        Action allocate = () => AlignedBuffer.AllocateForPages(1L << 60, preFault: false);
        allocate.Should().Throw<InsufficientMemoryException>();
    }

    [Fact]
    public void A_reserved_region_is_usable_as_far_as_it_was_committed_and_clears_to_zero()
    {
        NativeMemoryRegion.Reserve(1L << 36, out NativeMemoryRegion? region).Should().Be(NativeResult.Success);
        using (region!)
        {
            region!.Invoking(r => { r.Span(0, 1); }).Should().Throw<ArgumentOutOfRangeException>();
            region!.Commit(100_000).Should().Be(NativeResult.Success);
            region.Span(0, 100_000).Fill(5);
            region.Clear(5_000, 90_000).Should().Be(NativeResult.Success);
            region.Span(0, 5_000).IndexOfAnyExcept((byte)5).Should().Be(-1);
            region.Span(5_000, 90_000).IndexOfAnyExcept((byte)0).Should().Be(-1);
            region.Span(95_000, 5_000).IndexOfAnyExcept((byte)5).Should().Be(-1);
            region.Clear(10, 20).Should().Be(NativeResult.Success);
            region.Span(10, 20).IndexOfAnyExcept((byte)0).Should().Be(-1);
            region.Span(30, 4_000).IndexOfAnyExcept((byte)5).Should().Be(-1);
            region.Commit(1L << 30).Should().Be(NativeResult.Success);
            region.Span((1L << 30) - 10, 10).Fill(1);
            region.Span(0, 10).IndexOfAnyExcept((byte)5).Should().Be(-1);
        }
    }
}
