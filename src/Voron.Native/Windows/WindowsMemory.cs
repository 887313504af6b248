namespace Voron.Native.Windows;

/// <summary>Memory by VirtualAlloc; see <see cref="NativeMemoryRegion"/>. There are no forks, and large pages need a privilege.</summary>
internal static unsafe class WindowsMemory
{
    internal const uint CommitMemory = 0x1000;
    internal const uint ReserveMemory = 0x2000;
    internal const uint ReleaseMemory = 0x8000;
    internal const uint NoAccess = 1;
    internal const uint ReadWrite = 4;

    /// <summary>Memory begins, and views of files begin, at multiples of this.</summary>
    internal const long GranuleBytes = 64 << 10;

    /// <summary>For more than the system's own alignment more address space is taken, of which only the aligned part is used.</summary>
    internal static NativeResult Allocate(long length, long alignment, out nint address)
    {
        long spare = Math.Max(alignment - GranuleBytes, 0);
        NativeResult reserved = Reserve(checked(length + spare), out address);
        if (reserved.Failed)
        {
            return reserved;
        }

        nint first = address;
        address = (nint)(checked(address + alignment - 1) & -alignment);
        NativeResult usable = Commit(address, length);
        if (usable.Failed)
        {
            Free(first);
        }

        return usable;
    }

    internal static NativeResult Reserve(long length, out nint address)
    {
        address = Kernel32.VirtualAlloc(0, (nuint)length, ReserveMemory, NoAccess);
        return address != 0 ? NativeResult.Success : NativeResult.Last();
    }

    internal static NativeResult Commit(nint address, long bytes) =>
        Kernel32.VirtualAlloc(address, (nuint)bytes, CommitMemory, ReadWrite) != 0 ? NativeResult.Success : NativeResult.Last();

    /// <summary>
    /// Zeros, and nothing is given back: that would take two calls, and after the first one the memory is gone for threads that read it,
    /// and for good when the second fails.
    /// </summary>
    internal static NativeResult Clear(nint address, long bytes)
    {
        for (long offset = 0; offset < bytes; offset += int.MaxValue)
        {
            new Span<byte>((byte*)address + offset, (int)Math.Min(int.MaxValue, bytes - offset)).Clear();
        }

        return NativeResult.Success;
    }

    /// <summary>Gives back the allocation that the address belongs to.</summary>
    internal static void Free(nint address)
    {
        MemoryPlace place = default;
        if (Kernel32.VirtualQuery(address, &place, (nuint)sizeof(MemoryPlace)) != 0)
        {
            _ = Kernel32.VirtualFree(place.AllocationBase, 0, ReleaseMemory);
        }
    }
}
