// Unsafe fence. Bounds: the giver of an image guarantees that its bytes stay readable until the overlay is cleared or thrown away.
using System.Buffers;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Page images that replace pages of the data file until recovery has written them to their places or, in a read-only open, until it is
/// closed. They are views of page chunks, so they cost the process no memory. Except for reads of trees they are read by position: reading
/// a map where the device fails ends the process.
/// </summary>
internal sealed unsafe class PageOverlay(int pageBytes)
{
    private const int PieceBytes = 1 << 20;

    private readonly Dictionary<PageNumber, Image> _images = [];

    internal bool IsEmpty => _images.Count == 0;

    /// <summary>Pages and runs, in page order.</summary>
    internal IEnumerable<PageNumber> Pages => _images.Keys.Order();

    /// <summary>
    /// Lays an image over a page, or over the pages of a run. Returns false unless it is the image of that page, has this checksum and can
    /// be read.
    /// </summary>
    /// <param name="entry">The image.</param>
    /// <param name="file">The chunk that it is in.</param>
    /// <param name="address">Where it is mapped; 0 where all reads are by position.</param>
    internal bool TryAdd(in ImageEntry entry, IDiskFile file, nint address)
    {
        Image image = new(file, entry.Offset, entry.PageCount * pageBytes, address);
        byte[] piece = ArrayPool<byte>.Shared.Rent((int)Math.Min(image.Bytes, PieceBytes));
        try
        {
            return IsWhole(entry, image, piece) && IsInMemory(image) && Put(entry.PageNumber, image);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(piece);
        }
    }

    /// <summary>Finds the image over a page; false if there is none.</summary>
    internal bool TryPlace(PageNumber page, out IDiskFile? file, out long offset)
    {
        bool found = _images.TryGetValue(page, out Image image);
        (file, offset) = (image.File, image.Offset);
        return found;
    }

    /// <summary>Passes the image over a page piece by piece, in whole pages: the first page of each piece, and its bytes.</summary>
    internal void CopyTo(PageNumber page, Action<PageNumber, ReadOnlySpan<byte>> target)
    {
        Image image = _images[page];
        byte[] piece = ArrayPool<byte>.Shared.Rent((int)Math.Min(image.Bytes, PieceBytes));
        for (long done = 0; done < image.Bytes; done += PieceBytes)
        {
            Span<byte> bytes = piece.AsSpan(0, (int)Math.Min(image.Bytes - done, PieceBytes));
            IoError error = image.File.Read(image.Offset + done, bytes, out int read);
            IO.Throw.IfFailed(error, "read", image.File.Path, image.Offset + done);
            if (read < bytes.Length)
            {
                Throw.ImageCut(image.File.Path, page);
            }

            target(page + (done / pageBytes), bytes);
        }

        ArrayPool<byte>.Shared.Return(piece);
    }

    internal bool TryFind(PageNumber page, out PageView view)
    {
        bool found = _images.TryGetValue(page, out Image image);
        view = new PageView((byte*)image.Address, (byte*)image.Address);
        return found;
    }

    internal void Clear() => _images.Clear();

    /// <summary>Brings a mapped image into memory; false if the device cannot read it.</summary>
    private static bool IsInMemory(in Image image)
    {
        IoError error = image.Address == 0 ? IoError.Success : image.File.Populate(image.Offset, image.Bytes);
        IO.Throw.IfFailed(error.IsUnreadable ? IoError.Success : error, "read", image.File.Path, image.Offset);
        return !error.Failed;
    }

    private bool Put(PageNumber page, in Image image)
    {
        _images[page] = image;
        return true;
    }

    private static bool IsWhole(in ImageEntry entry, in Image image, byte[] piece)
    {
        RunningChecksum checksum = new(image.Bytes - sizeof(ulong));
        for (long done = 0; done < image.Bytes; done += PieceBytes)
        {
            Span<byte> bytes = piece.AsSpan(0, (int)Math.Min(image.Bytes - done, PieceBytes));
            IoError error = image.File.Read(image.Offset + done, bytes, out int read);
            if (error.IsUnreadable || read < bytes.Length)
            {
                IO.Throw.IfFailed(error.IsUnreadable ? IoError.Success : error, "read", image.File.Path, image.Offset + done);
                return false;
            }

            if (done == 0 && !IsHead(entry, bytes))
            {
                return false;
            }

            checksum.Append(done == 0 ? bytes[sizeof(ulong)..] : bytes);
        }

        return checksum.Value == entry.Checksum;
    }

    private static bool IsHead(in ImageEntry entry, ReadOnlySpan<byte> bytes)
    {
        PageHeader header = MemoryMarshal.Read<PageHeader>(bytes);
        bool isWholeRun = header.Kind == PageKind.Overflow
            ? MemoryMarshal.Read<OverflowHeader>(bytes).PageCount == entry.PageCount
            : entry.PageCount == 1;
        return header.Checksum == entry.Checksum
            && header.PageNumber == entry.PageNumber
            && header.Kind is PageKind.Leaf or PageKind.Branch or PageKind.Overflow or PageKind.SpaceMap
            && isWholeRun;
    }

    /// <param name="File">The page chunk.</param>
    /// <param name="Offset">Where in it the image begins.</param>
    /// <param name="Bytes">Its length.</param>
    /// <param name="Address">Where it is mapped; 0 where it is not.</param>
    private readonly record struct Image(IDiskFile File, long Offset, long Bytes, nint Address);
}
