using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Voron.Simulation;

/// <summary>
/// The memory that stands for a mapped file: one page-aligned native block of fixed capacity, so that an address given out never moves.
/// Blocks are reused; what
/// an earlier file left in one is overwritten up to the length of the next. The only unsafe code of the simulation: <see cref="Bytes"/> is
/// bounded by the capacity.
/// </summary>
internal sealed unsafe class SimRegion
{
    private const int MostIdle = 32;
    private static readonly ConcurrentBag<SimRegion> Idle = [];

    private readonly byte* _start;
    private readonly int _capacity;

    private SimRegion(int capacity)
    {
        _start = (byte*)NativeMemory.AlignedAlloc((nuint)capacity, SimContent.BlockBytes);
        _capacity = capacity;
    }

    ~SimRegion() => NativeMemory.AlignedFree(_start);

    internal nint Address => (nint)_start;

    internal static SimRegion Rent(int capacity)
    {
        while (Idle.TryTake(out SimRegion? region))
        {
            if (region._capacity == capacity)
            {
                return region;
            }
        }

        return new SimRegion(capacity);
    }

    internal static void Return(SimRegion region)
    {
        if (Idle.Count < MostIdle)
        {
            Idle.Add(region);
        }
    }

    /// <summary>The address of a transfer's buffer, only to judge its alignment.</summary>
    internal static nint AddressOf(ReadOnlySpan<byte> bytes) => (nint)Unsafe.AsPointer(ref MemoryMarshal.GetReference(bytes));

    internal Span<byte> Bytes(long offset, long length)
    {
        if (offset < 0 || length < 0 || offset + length > _capacity)
        {
            Throw.MappedFileTooLong(offset + length, _capacity);
        }

        return new Span<byte>(_start + offset, (int)length);
    }
}
