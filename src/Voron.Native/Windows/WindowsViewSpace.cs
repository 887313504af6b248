namespace Voron.Native.Windows;

/// <summary>
/// Views of the pieces of a file, one behind the other. The address space behind them is reserved, so that no other allocation gets it; the
/// reservation is given up for the moment in which the next view takes its front. An allocation that is quicker keeps the place: then
/// this space does not grow any more, and the file is mapped from its start again elsewhere.
/// </summary>
/// <remarks>Views begin at multiples of 64 KiB of the file: one that ends between two of them is the last of its space.</remarks>
internal sealed class WindowsViewSpace : ViewSpace
{
    private const uint SectionReadOnly = 2;
    private const uint SectionReadWrite = 4;
    private const uint ViewRead = 4;
    private const uint ViewWrite = 2;

    private readonly List<nint> _views = [];
    private nint _rest;

    private WindowsViewSpace(nint address, long bytes)
        : base(address, bytes) => _rest = address;

    internal static new NativeResult Reserve(long bytes, out ViewSpace? space)
    {
        NativeResult reserved = WindowsMemory.Reserve(RoundUp(bytes), out nint address);
        space = reserved.Failed ? null : new WindowsViewSpace(address, RoundUp(bytes));
        return reserved;
    }

    internal static new void ReadAhead(nint address, long bytes)
    {
        MemoryRange range = new(address, (nuint)bytes);
        _ = Kernel32.PrefetchVirtualMemory(-1, 1, in range, 0);
    }

    internal override bool CanGrowTo(long wanted) =>
        wanted <= MappedBytes || (wanted <= Bytes && MappedBytes % WindowsMemory.GranuleBytes == 0);

    /// <summary>To the end of the last granule, or of the file, so that the next view can follow.</summary>
    internal override NativeResult MapTo(long wanted, SystemFile file, bool isWritable)
    {
        NativeResult asked = file.GetLength(out long length);
        if (asked.Failed)
        {
            return asked;
        }

        nint section = Kernel32.CreateFileMapping(
            ((WindowsFile)file).Handle, 0, isWritable ? SectionReadWrite : SectionReadOnly, 0, 0, 0);
        if (section == 0)
        {
            return NativeResult.Last();
        }

        NativeResult mapped = MapPiece(section, Math.Min(RoundUp(wanted), length), isWritable);

        // The view keeps what it needs of the section.
        _ = Kernel32.CloseHandle(section);
        return mapped;
    }

    internal override void Release()
    {
        foreach (nint view in _views)
        {
            _ = Kernel32.UnmapViewOfFile(view);
        }

        ReleaseRest();
    }

    private NativeResult MapPiece(nint section, long end, bool isWritable)
    {
        nint at = Address + (nint)MappedBytes;
        ReleaseRest();
        nint view = Kernel32.MapViewOfFileEx(
            section,
            isWritable ? ViewRead | ViewWrite : ViewRead,
            (uint)(MappedBytes >> 32),
            (uint)MappedBytes,
            (nuint)(end - MappedBytes),
            at);
        NativeResult result = view != 0 ? NativeResult.Success : NativeResult.Last();
        if (view != 0)
        {
            _views.Add(view);
            MappedBytes = (end + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
        }

        ReserveRest();
        return result;
    }

    private void ReleaseRest()
    {
        if (_rest != 0)
        {
            _ = Kernel32.VirtualFree(_rest, 0, WindowsMemory.ReleaseMemory);
            _rest = 0;
        }
    }

    private void ReserveRest()
    {
        long from = RoundUp(MappedBytes);
        if (from < Bytes)
        {
            nint at = Address + (nint)from;
            _rest = Kernel32.VirtualAlloc(at, (nuint)(Bytes - from), WindowsMemory.ReserveMemory, WindowsMemory.NoAccess);
        }

        if (_rest == 0)
        {
            Bytes = MappedBytes;
        }
    }

    private static long RoundUp(long bytes) => checked(bytes + WindowsMemory.GranuleBytes - 1) & -WindowsMemory.GranuleBytes;
}
