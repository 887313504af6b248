using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// Anonymous memory from the system: page-aligned, zero-filled, never moved, outside the garbage collector. Freed only by dispose.
/// </summary>
/// <remarks>
/// There is no finalizer: spans into the region do not keep it alive, and a leak does less harm than freeing memory that a thread still
/// reads.
/// </remarks>
public sealed unsafe class NativeMemoryRegion : IDisposable
{
    private const long HugePageBytes = 2 << 20;
    private const long PreFaultStepBytes = HugePageBytes;
    private nint _address;

    private NativeMemoryRegion(nint address, long lengthBytes, long committedBytes)
    {
        _address = address;
        LengthBytes = lengthBytes;
        CommittedBytes = committedBytes;
        NativeCounts.AddRegions(1);
    }

    /// <summary>Address of the first byte. Throws <see cref="ObjectDisposedException"/> after dispose.</summary>
    public nint Address => _address != 0 ? _address : throw new ObjectDisposedException(nameof(NativeMemoryRegion));

    /// <summary>Length of the address space in bytes.</summary>
    public long LengthBytes { get; }

    /// <summary>Number of bytes from the start that may be read and written.</summary>
    public long CommittedBytes { get; private set; }

    /// <summary>Allocates memory that is usable at once.</summary>
    /// <param name="bytes">Minimum length in bytes; rounded up to whole pages of the system.</param>
    /// <param name="options">Hints.</param>
    /// <param name="region">The memory, or null if the call failed.</param>
    public static NativeResult Allocate(long bytes, NativeMemoryOptions options, out NativeMemoryRegion? region)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        NativePlatform.Require();
        region = null;
        long length = RoundUp(bytes, NativePlatform.PageBytes);

        // A piece smaller than a huge page never gets one, whatever its address.
        bool huge = options.HasFlag(NativeMemoryOptions.HugePages) && length >= HugePageBytes;
        long alignment = huge ? HugePageBytes : NativePlatform.PageBytes;
#if CHECKED
        NativeResult given = GuardedMemory.Allocate(length, alignment, options, out nint address);
#else
        NativeResult given = OperatingSystem.IsWindows()
            ? WindowsMemory.Allocate(length, alignment, out nint address)
            : UnixMemory.Allocate(length, alignment, options, out address);
#endif
        if (given.Failed)
        {
            return given;
        }

        if (options.HasFlag(NativeMemoryOptions.PreFault))
        {
            PreFault(address, length);
        }

        region = new NativeMemoryRegion(address, length, length);
        return NativeResult.Success;
    }

    /// <summary>Reserves address space without memory; <see cref="Commit"/> makes it usable from the start on.</summary>
    /// <param name="bytes">Minimum length in bytes; rounded up to whole pages of the system.</param>
    /// <param name="region">The region, or null if the call failed.</param>
    public static NativeResult Reserve(long bytes, out NativeMemoryRegion? region)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        NativePlatform.Require();
        long length = RoundUp(bytes, NativePlatform.PageBytes);
        NativeResult reserved = OperatingSystem.IsWindows()
            ? WindowsMemory.Reserve(length, out nint address)
            : UnixMemory.Reserve(length, out address);
        region = reserved.Failed ? null : new NativeMemoryRegion(address, length, 0);
        return reserved;
    }

    /// <summary>
    /// Makes the first bytes of a reserved region usable; bytes that are already usable are not affected. Must not be called by two threads
    /// at once.
    /// </summary>
    /// <param name="bytes">Number of bytes; at most <see cref="LengthBytes"/>.</param>
    public NativeResult Commit(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, LengthBytes);
        long wanted = RoundUp(bytes, NativePlatform.PageBytes);
        if (wanted <= CommittedBytes)
        {
            return NativeResult.Success;
        }

        nint end = Address + (nint)CommittedBytes;
        long more = wanted - CommittedBytes;
        NativeResult usable = OperatingSystem.IsWindows() ? WindowsMemory.Commit(end, more) : UnixMemory.Commit(end, more);
        if (usable.Failed)
        {
            return usable;
        }

        CommittedBytes = wanted;
        return NativeResult.Success;
    }

    /// <summary>Zeroes a usable range and, where the system has one call for both, returns its whole pages to the system.</summary>
    /// <param name="offset">Offset of the first byte.</param>
    /// <param name="bytes">Length in bytes.</param>
    public NativeResult Clear(long offset, long bytes)
    {
        CheckRange(offset, bytes);
        long end = offset + bytes;
        long firstPage = Math.Min(RoundUp(offset, NativePlatform.PageBytes), end);
        long lastPage = Math.Max(end & -NativePlatform.PageBytes, firstPage);
        Span(offset, (int)(firstPage - offset)).Clear();
        Span(lastPage, (int)(end - lastPage)).Clear();
        nint pages = Address + (nint)firstPage;
        long whole = lastPage - firstPage;
        if (whole == 0)
        {
            return NativeResult.Success;
        }

        return OperatingSystem.IsWindows() ? WindowsMemory.Clear(pages, whole) : UnixMemory.Clear(pages, whole);
    }

    /// <summary>Returns a usable range as a span, valid until dispose.</summary>
    /// <param name="offset">Offset of the first byte.</param>
    /// <param name="length">Length in bytes.</param>
    public Span<byte> Span(long offset, int length)
    {
        CheckRange(offset, length);
        return new Span<byte>((byte*)Address + offset, length);
    }

    /// <summary>Frees the memory. It must not be used afterwards, including spans returned earlier.</summary>
    public void Dispose()
    {
        nint address = Interlocked.Exchange(ref _address, 0);
        if (address != 0)
        {
            NativeCounts.AddRegions(-1);
#if CHECKED
            if (GuardedMemory.TryFree(address))
            {
                return;
            }
#endif
            if (OperatingSystem.IsWindows())
            {
                WindowsMemory.Free(address);
            }
            else
            {
                UnixMemory.Free(address, LengthBytes);
            }
        }
    }

    private void CheckRange(long offset, long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, CommittedBytes - offset);
    }

    /// <summary>
    /// Faults pages in step by step: during a step the system blocks other changes of the address space, and threads that wait for this
    /// processor.
    /// </summary>
    private static void PreFault(nint address, long length)
    {
        for (long offset = 0; offset < length; offset += PreFaultStepBytes)
        {
            PreFaultStep(address + (nint)offset, Math.Min(PreFaultStepBytes, length - offset));
            Thread.Yield();
        }
    }

    private static void PreFaultStep(nint address, long length)
    {
        if (!OperatingSystem.IsWindows() && UnixMemory.TryFaultIn(address, length))
        {
            return;
        }

        for (long offset = 0; offset < length; offset += NativePlatform.PageBytes)
        {
            Volatile.Write(ref *((byte*)address + offset), 0);
        }
    }

    private static long RoundUp(long bytes, long unit) => checked(bytes + unit - 1) & -unit;
}
