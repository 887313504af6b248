// Unsafe fence. Bounds: a destination is one page long, or as many pages as the run has; versions given here are visible to a pinned
// snapshot and so cannot be freed; one that was emptied, which is a mistake, is refused.
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>Makes the bytes of a page as the file has them, checksum included, from a version in memory.</summary>
internal static unsafe class PageImage
{
    /// <summary>Writes a divided or whole single page to the destination.</summary>
    internal static void Write(nint versionAddress, Span<byte> destination)
    {
        PageVersion* version = (PageVersion*)versionAddress;
        if (version->IsInFile)
        {
            Throw.NoContent(version->PageNumber, version->CreatedBy);
        }

        ref PageHeader header = ref version->View.Header;
        if (version->IsWhole)
        {
            new ReadOnlySpan<byte>(version->Slots, destination.Length).CopyTo(destination);
            if (version->IsInChunk)
            {
                // A damaged image must not get a checksum that makes it look valid.
                Check(version, destination);
                return;
            }
        }
        else
        {
            int slotBytes = PageHeader.SizeBytes + (header.Count * NodeSlot.SizeBytes);
            int mark = destination.Length - header.HeapUsedBytes;
            new ReadOnlySpan<byte>(version->Slots, slotBytes).CopyTo(destination);
            destination[slotBytes..mark].Clear();
            new ReadOnlySpan<byte>(version->Heap + mark, header.HeapUsedBytes).CopyTo(destination[mark..]);
        }

        Seal(destination);
    }

    /// <summary>Returns the bytes of a run, sealed in place: readers in memory do not use its checksum.</summary>
    internal static ReadOnlySpan<byte> OfRun(nint versionAddress, int pageBytes)
    {
        PageVersion* version = (PageVersion*)versionAddress;
        Span<byte> run = new(version->Slots, checked((int)(version->PageCount * (long)pageBytes)));
        if (version->IsInChunk)
        {
            Check(version, run);
        }
        else
        {
            Seal(run);
        }

        return run;
    }

    /// <summary>Sets the checksum of a page or run.</summary>
    internal static void Seal(Span<byte> page) => BitConverter.TryWriteBytes(page, Checksum.Compute(page[sizeof(ulong)..]));

    private static void Check(PageVersion* version, ReadOnlySpan<byte> sealedBytes)
    {
        ulong found = Checksum.Compute(sealedBytes[sizeof(ulong)..]);
        ulong expected = version->View.Header.Checksum;
        if (found != expected)
        {
            Throw.BadChecksum("the page journal", version->PageNumber, expected, found);
        }
    }
}
