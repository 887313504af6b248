using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>
/// mincore(2): which pages of a mapped file are in the cache. Linux tells the truth to processes that own the file or may write to it, and
/// calls every page resident for others.
/// </summary>
internal static partial class ResidencyCall
{
    private const int WindowBytes = 64 << 20;

    /// <summary>Offset of the first page in the cache from this offset on; −1 when there is none or the system does not tell.</summary>
    internal static long Find(int descriptor, long offset, long length)
    {
        byte[] pages = new byte[WindowBytes / NativePlatform.PageBytes];
        for (long start = offset / NativePlatform.PageBytes * NativePlatform.PageBytes; start < length; start += WindowBytes)
        {
            nuint bytes = (nuint)Math.Min(WindowBytes, length - start);
            nint address = LibC.Mmap(0, bytes, MemoryFlags.Read, MemoryFlags.Shared, descriptor, start);
            if (address == MemoryFlags.Failed)
            {
                return -1;
            }

            pages.AsSpan().Clear();
            bool isTold = LibC.Mincore(address, bytes, pages) == 0;
            _ = LibC.Munmap(address, bytes);
            int first = isTold ? Array.FindIndex(pages, static page => (page & 1) != 0) : -1;
            if (first >= 0 || !isTold)
            {
                return isTold ? start + (first * NativePlatform.PageBytes) : -1;
            }
        }

        return -1;
    }
}
