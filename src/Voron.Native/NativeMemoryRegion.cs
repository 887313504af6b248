using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>
/// Anonymous memory straight from the system: page-aligned, zero-filled, never moved, outside the garbage collector. Freed by dispose
/// only.
/// </summary>
/// <remarks>
/// There is no finalizer: spans into the region do not keep it alive, and a leak does less harm than memory that goes while somebody
/// reads it.
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
    }

    /// <summary>Address of the first byte.</summary>
    public nint Address => _address != 0 ? _address : throw new ObjectDisposedException(nameof(NativeMemoryRegion));

    /// <summary>Bytes of address space.</summary>
    public long LengthBytes { get; }

    /// <summary>Bytes from the start on that may be read and written.</summary>
    public long CommittedBytes { get; private set; }

    /// <summary>Gets memory that may be read and written at once.</summary>
    /// <param name="bytes">At least this much; rounded up to whole pages of the system.</param>
    /// <param name="options">Wishes.</param>
    /// <param name="region">The memory, or null when the call failed.</param>
    public static NativeResult Allocate(long bytes, NativeMemoryOptions options, out NativeMemoryRegion? region)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        NativePlatform.Require();
        region = null;
        long length = RoundUp(bytes, NativePlatform.PageBytes);
        bool huge = options.HasFlag(NativeMemoryOptions.HugePages);
        NativeResult mapped = MapAligned(
            length, huge ? HugePageBytes : NativePlatform.PageBytes, MemoryFlags.Read | MemoryFlags.Write, 0, out nint address);
        if (mapped.Failed)
        {
            return mapped;
        }

        // The results are of no interest: a kernel without huge pages, or one that knows no fork advice, gives ordinary memory.
        if (huge)
        {
            _ = AdviseCall.Invoke(address, (nuint)length, MemoryFlags.AdviseHugePage);
        }

        if (options.HasFlag(NativeMemoryOptions.NotInChildren))
        {
            _ = AdviseCall.Invoke(address, (nuint)length, MemoryFlags.AdviseDontFork);
        }

        if (options.HasFlag(NativeMemoryOptions.PreFault))
        {
            PreFault(address, length);
        }

        region = new NativeMemoryRegion(address, length, length);
        return NativeResult.Success;
    }

    /// <summary>Sets address space aside without memory behind it; <see cref="Commit"/> makes it usable from the start on.</summary>
    /// <param name="bytes">At least this much; rounded up to whole pages of the system.</param>
    /// <param name="region">The region, or null when the call failed.</param>
    public static NativeResult Reserve(long bytes, out NativeMemoryRegion? region)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        NativePlatform.Require();
        long length = RoundUp(bytes, NativePlatform.PageBytes);
        NativeResult mapped = MapAligned(length, NativePlatform.PageBytes, MemoryFlags.NoAccess, MemoryFlags.NoReserve, out nint address);
        region = mapped.Failed ? null : new NativeMemoryRegion(address, length, 0);
        return mapped;
    }

    /// <summary>
    /// Makes the first bytes of a reserved region usable; what was usable stays so. Not to be called by two threads at once.
    /// </summary>
    /// <param name="bytes">At most <see cref="LengthBytes"/>.</param>
    public NativeResult Commit(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, LengthBytes);
        long wanted = RoundUp(bytes, NativePlatform.PageBytes);
        if (wanted <= CommittedBytes)
        {
            return NativeResult.Success;
        }

        if (ProtectCall.Invoke(Address + (nint)CommittedBytes, (nuint)(wanted - CommittedBytes), MemoryFlags.Read | MemoryFlags.Write) != 0)
        {
            return NativeResult.Last();
        }

        CommittedBytes = wanted;
        return NativeResult.Success;
    }

    /// <summary>Zeroes a usable range and gives its whole pages back to the system.</summary>
    /// <param name="offset">First byte.</param>
    /// <param name="bytes">How many.</param>
    public NativeResult Clear(long offset, long bytes)
    {
        CheckRange(offset, bytes);
        long end = offset + bytes;
        long firstPage = Math.Min(RoundUp(offset, NativePlatform.PageBytes), end);
        long lastPage = Math.Max(end & -NativePlatform.PageBytes, firstPage);
        Span(offset, (int)(firstPage - offset)).Clear();
        Span(lastPage, (int)(end - lastPage)).Clear();
        nuint whole = (nuint)(lastPage - firstPage);
        if (whole == 0 || AdviseCall.Invoke(Address + (nint)firstPage, whole, MemoryFlags.AdviseDontNeed) == 0)
        {
            return NativeResult.Success;
        }

        return NativeResult.Last();
    }

    /// <summary>A usable range; valid until dispose.</summary>
    /// <param name="offset">First byte.</param>
    /// <param name="length">How many.</param>
    public Span<byte> Span(long offset, int length)
    {
        CheckRange(offset, length);
        return new Span<byte>((byte*)Address + offset, length);
    }

    /// <summary>Gives the memory back. Nobody may use it any more, spans given out earlier included.</summary>
    public void Dispose()
    {
        nint address = Interlocked.Exchange(ref _address, 0);
        if (address != 0)
        {
            _ = UnmapCall.Invoke(address, (nuint)LengthBytes);
        }
    }

    private void CheckRange(long offset, long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, CommittedBytes - offset);
    }

    /// <summary>
    /// The system aligns to its own pages only; for more, more is mapped and what stands over at both ends is given back.
    /// </summary>
    private static NativeResult MapAligned(long length, long alignment, int protection, int flags, out nint address)
    {
        long spare = alignment - NativePlatform.PageBytes;
        nint got = MapCall.Invoke(
            0, (nuint)checked(length + spare), protection, MemoryFlags.Private | MemoryFlags.Anonymous | flags, -1, 0);
        if (got == MemoryFlags.Failed)
        {
            address = 0;
            return NativeResult.Last();
        }

        address = (nint)RoundUp(got, alignment);
        long before = address - got;
        if (before > 0)
        {
            _ = UnmapCall.Invoke(got, (nuint)before);
        }

        if (spare > before)
        {
            _ = UnmapCall.Invoke(address + (nint)length, (nuint)(spare - before));
        }

        return NativeResult.Success;
    }

    /// <summary>
    /// In steps: the system holds up other changes of the address space meanwhile, and whoever waits for this processor, too.
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
        if (AdviseCall.Invoke(address, (nuint)length, MemoryFlags.AdvisePopulateWrite) == 0)
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
