namespace Voron.Native.Unix;

/// <summary>Memory without access, which pieces of the file are mapped over.</summary>
internal sealed class UnixViewSpace : ViewSpace
{
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
