namespace Voron.Native.Unix;

/// <summary>Memory without access, which pieces of the file are mapped over.</summary>
internal sealed class UnixViewSpace : ViewSpace
{
    /// <summary>Length of the pieces that are asked for: of a longer one the system may read only a part.</summary>
    private const long ReadAheadBytes = 512 << 10;

    private const int MostPagesAsked = 64;

    private static volatile bool _cannotPopulate;

    private readonly long _reservedBytes;

    private UnixViewSpace(nint address, long bytes)
        : base(address, bytes) => _reservedBytes = bytes;

    internal static new NativeResult Reserve(long bytes, out ViewSpace? space)
    {
        space = null;
        nint address = LibC.Mmap(
            0, (nuint)bytes, MemoryFlags.NoAccess, MemoryFlags.Private | MemoryFlags.Anonymous | MemoryFlags.NoReserve, -1, 0);
        if (address == MemoryFlags.Failed)
        {
            return NativeResult.Last();
        }

        space = new UnixViewSpace(address, bytes);
        return NativeResult.Success;
    }

    /// <summary>Anything but a touch that would not be survived is no answer, and is asked for in another way.</summary>
    internal static new bool TryPopulate(nint address, long bytes, out NativeResult result)
    {
        result = NativeResult.Success;
        if (_cannotPopulate)
        {
            return false;
        }

        nint start = address & ~(nint)(NativePlatform.PageBytes - 1);
        if (LibC.Madvise(start, (nuint)(bytes + (address - start)), MemoryFlags.AdvisePopulateRead) == 0)
        {
            return true;
        }

        int code = NativeResult.Last().Code;
        _cannotPopulate = code == Errno.INVAL;
        result = new NativeResult(Errno.IO);
        return code == Errno.FAULT;
    }

    internal static new void ReadAhead(nint address, long bytes)
    {
        nint start = address & ~(nint)(NativePlatform.PageBytes - 1);
        nint end = address + (nint)bytes;
        for (; start < end; start += (nint)ReadAheadBytes)
        {
            _ = LibC.Madvise(start, (nuint)Math.Min(ReadAheadBytes, end - start), MemoryFlags.AdviseWillNeed);
        }
    }

    internal static new bool IsInMemory(nint address, long bytes)
    {
        Span<byte> pages = stackalloc byte[MostPagesAsked];
        nint start = address & ~(nint)(NativePlatform.PageBytes - 1);
        nint end = address + (nint)bytes;
        while (start < end)
        {
            long length = Math.Min(MostPagesAsked * (long)NativePlatform.PageBytes, end - start);
            int count = (int)((length + NativePlatform.PageBytes - 1) / NativePlatform.PageBytes);
            if (LibC.Mincore(start, (nuint)length, pages) == 0)
            {
                foreach (byte page in pages[..count])
                {
                    if ((page & 1) == 0)
                    {
                        return false;
                    }
                }
            }

            start += (nint)length;
        }

        return true;
    }

    internal override void ExpectRandomReads() => _ = LibC.Madvise(Address, (nuint)MappedBytes, MemoryFlags.AdviseRandom);

    /// <summary>
    /// Maps the pages from the present end of the view to the wanted one. A last page that was part of the view already shows what the
    /// file gained in it.
    /// </summary>
    internal override NativeResult MapTo(long wanted, SystemFile file, bool isWritable)
    {
        nint at = Address + (nint)MappedBytes;
        int protection = isWritable ? MemoryFlags.Read | MemoryFlags.Write : MemoryFlags.Read;
        int descriptor = ((UnixFile)file).Descriptor;
        nint got = LibC.Mmap(
            at, (nuint)(wanted - MappedBytes), protection, MemoryFlags.Shared | MemoryFlags.Fixed, descriptor, MappedBytes);
        if (got == MemoryFlags.Failed)
        {
            return NativeResult.Last();
        }

        MappedBytes = wanted;
        return NativeResult.Success;
    }

    internal override bool CanGrowTo(long wanted) => wanted <= Bytes;

    internal override void Release() => _ = LibC.Munmap(Address, (nuint)_reservedBytes);
}
