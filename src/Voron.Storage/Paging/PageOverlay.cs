// Unsafe fence. Bounds: the giver of an image guarantees that its bytes stay readable until the overlay is cleared or thrown away.
using Voron.Storage.Format;

namespace Voron.Storage.Paging;

/// <summary>
/// Page images that stand for pages of the data file while recovery has not brought them to their places, or, in a read-only open, for
/// good. They are views of page chunks, so they cost no memory of the process.
/// </summary>
internal sealed unsafe class PageOverlay(int pageBytes)
{
    private readonly Dictionary<long, (nint Address, int Bytes)> _images = [];

    internal bool IsEmpty => _images.Count == 0;

    /// <summary>Pages and runs, in page order.</summary>
    internal IEnumerable<long> Pages => _images.Keys.Order();

    /// <summary>
    /// Lays an image over a page, or over the pages of a run, when it is that page's and has this checksum; else false.
    /// </summary>
    internal bool TryAdd(in BatchEntry entry, nint address)
    {
        int bytes = checked((int)(entry.PageCount * pageBytes));
        ref PageHeader header = ref *(PageHeader*)address;
        bool isKnown = header.Kind is PageKind.Leaf or PageKind.Branch or PageKind.Overflow or PageKind.SpaceMap;
        bool isWholeRun = header.Kind == PageKind.Overflow
            ? ((OverflowHeader*)address)->PageCount == entry.PageCount
            : entry.PageCount == 1;
        if (header.Checksum != entry.Checksum
            || header.PageNumber != entry.PageNumber
            || !isKnown
            || !isWholeRun
            || Checksum.Compute(new ReadOnlySpan<byte>((byte*)address + sizeof(ulong), bytes - sizeof(ulong))) != entry.Checksum)
        {
            return false;
        }

        _images[entry.PageNumber] = (address, bytes);
        return true;
    }

    /// <summary>The image over a page.</summary>
    internal ReadOnlySpan<byte> ImageOf(long page)
    {
        (nint address, int bytes) = _images[page];
        return new ReadOnlySpan<byte>((byte*)address, bytes);
    }

    internal bool TryFind(long page, out PageView view)
    {
        bool found = _images.TryGetValue(page, out (nint Address, int Bytes) image);
        view = new PageView((byte*)image.Address, (byte*)image.Address);
        return found;
    }

    internal void Clear() => _images.Clear();
}
