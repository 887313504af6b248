namespace Voron.Native.Unix;

/// <summary>Anonymous memory by mmap(2); see <see cref="NativeMemoryRegion"/>.</summary>
internal static class UnixMemory
{
    internal static NativeResult Allocate(long length, long alignment, NativeMemoryOptions options, out nint address)
    {
        NativeResult mapped = MapAligned(length, alignment, MemoryFlags.Read | MemoryFlags.Write, 0, out address);
        if (mapped.Failed)
        {
            return mapped;
        }

        Advise(address, length, options);
        return NativeResult.Success;
    }

    /// <summary>
    /// Tells Linux what the memory is for; elsewhere the numbers mean something else. The answers are of no interest: a kernel without huge
    /// pages, or one that knows no fork advice, gives ordinary memory.
    /// </summary>
    internal static void Advise(nint address, long length, NativeMemoryOptions options)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        if (options.HasFlag(NativeMemoryOptions.HugePages))
        {
            _ = LibC.Madvise(address, (nuint)length, MemoryFlags.AdviseHugePage);
        }

        if (options.HasFlag(NativeMemoryOptions.NotInChildren))
        {
            _ = LibC.Madvise(address, (nuint)length, MemoryFlags.AdviseDontFork);
        }
    }

    internal static NativeResult Reserve(long length, out nint address) =>
        MapAligned(length, NativePlatform.PageBytes, MemoryFlags.NoAccess, MemoryFlags.NoReserve, out address);

    internal static NativeResult Commit(nint address, long bytes) =>
        LibC.Mprotect(address, (nuint)bytes, MemoryFlags.Read | MemoryFlags.Write) == 0 ? NativeResult.Success : NativeResult.Last();

    /// <summary>Makes whole pages zero and gives them back to the system.</summary>
    internal static NativeResult Clear(nint address, long bytes)
    {
        if (OperatingSystem.IsLinux())
        {
            return LibC.Madvise(address, (nuint)bytes, MemoryFlags.AdviseDontNeed) == 0 ? NativeResult.Success : NativeResult.Last();
        }

        // The advice of the same name promises no zeros elsewhere; new memory in the same place does.
        const int Access = MemoryFlags.Read | MemoryFlags.Write;
        int flags = MemoryFlags.Private | MemoryFlags.Fixed | MemoryFlags.Anonymous;
        return LibC.Mmap(address, (nuint)bytes, Access, flags, -1, 0) != MemoryFlags.Failed
            ? NativeResult.Success
            : NativeResult.Last();
    }

    /// <summary>True when the range is faulted in now; else its pages have to be touched.</summary>
    internal static bool TryFaultIn(nint address, long bytes) =>
        OperatingSystem.IsLinux() && LibC.Madvise(address, (nuint)bytes, MemoryFlags.AdvisePopulateWrite) == 0;

    internal static void Free(nint address, long bytes) => _ = LibC.Munmap(address, (nuint)bytes);

    /// <summary>
    /// The system aligns to its own pages only; for more, more is mapped and the excess at both ends is unmapped.
    /// </summary>
    private static NativeResult MapAligned(long length, long alignment, int protection, int flags, out nint address)
    {
        long spare = alignment - NativePlatform.PageBytes;
        nint got = LibC.Mmap(
            0, (nuint)checked(length + spare), protection, MemoryFlags.Private | MemoryFlags.Anonymous | flags, -1, 0);
        if (got == MemoryFlags.Failed)
        {
            address = 0;
            return NativeResult.Last();
        }

        address = (nint)(checked(got + alignment - 1) & -alignment);
        long before = address - got;
        if (before > 0)
        {
            _ = LibC.Munmap(got, (nuint)before);
        }

        if (spare > before)
        {
            _ = LibC.Munmap(address + (nint)length, (nuint)(spare - before));
        }

        return NativeResult.Success;
    }
}
