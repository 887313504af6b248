// Unsafe fence. Bounds: the caller has the page in memory, and the rest of a run is read only if the file has all of it.
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>Finds what is wrong with a page, or with the run that begins there, as the data file has it.</summary>
internal static unsafe class PageCheck
{
    /// <summary>Returns what is wrong; null if nothing is. The checksums differ if it is the content.</summary>
    internal static string? Find(PageNumber page, byte* address, int pageShift, long pagesOfFile, out ulong expected, out ulong found)
    {
        ref PageHeader header = ref *(PageHeader*)address;
        expected = header.Checksum;
        found = expected;
        long count = 1;
        if (header.Kind == PageKind.Overflow)
        {
            count = ((OverflowHeader*)address)->PageCount;
            if (count < 1 || count > pagesOfFile - page.Value)
            {
                return $"a run of {count} pages in a file of {pagesOfFile}";
            }
        }

        found = ChecksumOf(address + sizeof(ulong), (count << pageShift) - sizeof(ulong));
        if (found != expected)
        {
            return $"checksum {found:x16} where the page says {expected:x16}";
        }

        if (header.PageNumber != page)
        {
            return $"page number {header.PageNumber}";
        }

        bool isKnown = header.Kind is PageKind.Leaf or PageKind.Branch or PageKind.Overflow or PageKind.SpaceMap;
        return isKnown ? null : $"kind {(byte)header.Kind}";
    }

    /// <summary>Computes a checksum of any number of bytes, also more than a span can have.</summary>
    private static ulong ChecksumOf(byte* address, long bytes)
    {
        const int PieceBytes = 1 << 30;
        RunningChecksum checksum = new(bytes);
        for (long done = 0; done < bytes; done += PieceBytes)
        {
            checksum.Append(new ReadOnlySpan<byte>(address + done, (int)Math.Min(PieceBytes, bytes - done)));
        }

        return checksum.Value;
    }
}
