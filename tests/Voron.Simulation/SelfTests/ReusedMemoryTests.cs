using FluentAssertions;
using Voron.Native;
using Xunit;

namespace Voron.Simulation.SelfTests;

/// <summary>Memory of closed databases that is used again.</summary>
public sealed class ReusedMemoryTests
{
    private readonly ReusedMemory _memory = new();

    [Fact]
    public void What_comes_back_is_given_again_and_is_zero()
    {
        NativeMemoryRegion region = Take(100_000, NativeMemoryOptions.None);
        nint address = region.Address;
        region.Span(0, 100_000).Fill(1);
        _memory.Return(region, NativeMemoryOptions.None);

        using NativeMemoryRegion again = Take(100_000, NativeMemoryOptions.None);
        again.Address.Should().Be(address);
        again.Span(0, 100_000).ContainsAnyExcept((byte)0).Should().BeFalse();
    }

    [Fact]
    public void Another_length_or_other_options_get_other_memory()
    {
        NativeMemoryRegion region = Take(100_000, NativeMemoryOptions.None);
        nint address = region.Address;
        _memory.Return(region, NativeMemoryOptions.None);

        using NativeMemoryRegion longer = Take(200_000, NativeMemoryOptions.None);
        using NativeMemoryRegion other = Take(100_000, NativeMemoryOptions.NotInChildren);
        longer.Address.Should().NotBe(address);
        other.Address.Should().NotBe(address);
    }

    [Fact]
    public void Long_memory_goes_back_to_the_system()
    {
        NativeMemoryRegion region = Take(2 << 20, NativeMemoryOptions.None);
        _memory.Return(region, NativeMemoryOptions.None);
        FluentActions.Invoking(() => region.Address).Should().Throw<ObjectDisposedException>();
    }

    private NativeMemoryRegion Take(long bytes, NativeMemoryOptions options)
    {
        _memory.Take(bytes, options, out NativeMemoryRegion? region).Failed.Should().BeFalse();
        return region!;
    }
}
