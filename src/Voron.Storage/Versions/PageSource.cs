// Unsafe fence. Bounds: a run is read only within the pages that its own verified header, or its version in memory, says it has.
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>Reads pages: the version in memory that the snapshot sees, otherwise the verified page of the data file.</summary>
internal sealed unsafe class PageSource(VersionTable versions, MappedPages mapped, int pageBytes, PendingRoots? pending = null)
{
    internal int PageBytes { get; } = pageBytes;

    internal VersionTable Versions { get; } = versions;

    internal MappedPages Mapped { get; } = mapped;

    /// <summary>The trees whose newest entries are in a tree of their own in memory.</summary>
    internal PendingRoots Pending { get; } = pending ?? new PendingRoots();

    /// <summary>
    /// Returns the same pages, with those of the file read by position into these buffers, each valid until its hold ends.
    /// </summary>
    internal PageSource ByPosition(PageBuffers buffers) => new(Versions, Mapped.ByPosition(buffers), PageBytes, Pending);

    /// <summary>Keeps pages of the file that are read from now on valid until it ends.</summary>
    internal PageBuffers.Hold Hold() => Mapped.Hold();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageView Read(PageNumber page, TransactionId snapshot) =>
        Versions.TryFind(page, snapshot, out PageView view) ? view : Mapped.Read(page);

    /// <summary>Verifies a page of the data file at its first use; a page with a version in memory needs no verification.</summary>
    internal void Verify(PageNumber page)
    {
        if (!Versions.HasAny(page))
        {
            Mapped.Read(page);
        }
    }

    /// <summary>The same for some of the pages of a stretch that one call brings into memory.</summary>
    internal void Verify(PageNumber first, long count, ReadOnlySpan<long> pages)
    {
        bool isIn = Mapped.TryBringIn(first, count);
        foreach (long number in pages)
        {
            PageNumber page = new(number);
            if (!Versions.HasAny(page) && isIn)
            {
                Mapped.Verify(page);
            }
            else
            {
                Verify(page);
            }
        }
    }

    /// <summary>
    /// Asks for one of several pages of the data file that are read next, in no order; has no effect if memory holds all of the file.
    /// </summary>
    internal void Request(PageNumber page)
    {
        if (Mapped.IsCold && !Versions.HasAny(page))
        {
            Mapped.Request(page);
        }
    }

    /// <summary>Asks for a page, of a tree or of a layer of its pending tree, that a scan comes to; the snapshot keeps it.</summary>
    internal void ReadAhead(PageNumber page, TransactionId snapshot)
    {
        if (!Mapped.IsCold)
        {
            return;
        }

        if (page.IsInMemory)
        {
            RequestSpilled(page, snapshot);
        }
        else if (!Versions.HasAny(page))
        {
            Mapped.ReadAhead(page);
        }
    }

    /// <summary>
    /// Asks for a page of a layer that is about to be read; false if memory holds it, or if it is of no layer. The layer must be one that
    /// the snapshot keeps.
    /// </summary>
    internal bool RequestSpilled(PageNumber page, TransactionId snapshot)
    {
        if (!Versions.TryFind(page, snapshot, out PageView view))
        {
            return false;
        }

        SpillFile? layer;
        using (Versions.Gate.Hold())
        {
            layer = Versions.Memory.Spills.FindLayer(view.Heap);
        }

        return layer is not null && layer.Request(view.Heap, PageBytes);
    }

    /// <summary>Returns the value in an overflow run, valid as long as the snapshot.</summary>
    internal ReadOnlySpan<byte> ReadOverflow(OverflowReference reference, TransactionId snapshot)
    {
        if (reference.IsList)
        {
            // A damaged reference may look like one to a list.
            ReadList(reference, snapshot);
            Throw.ValueInPieces(reference.FirstPage);
        }

        // Not negative: the sign means that it is a list.
        PageView view = Read(reference.FirstPage, snapshot);
        ref OverflowHeader header = ref *(OverflowHeader*)view.Slots;
        long room = (header.PageCount * (long)PageBytes) - OverflowHeader.SizeBytes;
        bool fits = reference.ValueBytes <= Math.Min(room, int.MaxValue);
        if (header.Kind != PageKind.Overflow || !fits)
        {
            Throw.WrongPage(
                "the data file",
                reference.FirstPage,
                $"an overflow run with a value of {reference.ValueBytes} bytes",
                $"kind {(byte)header.Kind} with room for {room}");
        }

        return new ReadOnlySpan<byte>(view.Slots + OverflowHeader.SizeBytes, (int)reference.ValueBytes);
    }

    /// <summary>
    /// Returns the pieces of a value that is a list of runs, valid as long as the snapshot; each reference is valid in itself.
    /// </summary>
    internal ReadOnlySpan<OverflowReference> ReadList(OverflowReference reference, TransactionId snapshot)
    {
        ReadOnlySpan<byte> bytes = ReadOverflow(reference.Run, snapshot);
        ReadOnlySpan<OverflowReference> pieces = MemoryMarshal.Cast<byte, OverflowReference>(bytes);
        bool isGood = bytes.Length > 0 && bytes.Length % OverflowReference.SizeBytes == 0;
        foreach (OverflowReference piece in pieces)
        {
            isGood &= piece.FirstPage >= FormatConstants.CatalogRootPage && piece.ValueBytes is > 0 and <= int.MaxValue;
        }

        if (!isGood)
        {
            Throw.WrongPage("the data file", reference.FirstPage, "a list of the pieces of a value", $"{bytes.Length} bytes that are none");
        }

        return pieces;
    }

    /// <summary>
    /// Returns the length of the value that a reference leads to, without reading it; for a value in pieces, of all of them.
    /// </summary>
    internal long ValueBytes(OverflowReference reference, TransactionId snapshot)
    {
        if (!reference.IsList)
        {
            return reference.ValueBytes;
        }

        long bytes = 0;
        foreach (OverflowReference piece in ReadList(reference, snapshot))
        {
            bytes += piece.ValueBytes;
        }

        return bytes;
    }

    /// <summary>Returns one piece of a value that <see cref="ReadList"/> has validated.</summary>
    internal ReadOnlySpan<byte> ReadPiece(OverflowReference list, int index, TransactionId snapshot) => ReadOverflow(
        MemoryMarshal.Cast<byte, OverflowReference>(ReadOverflow(list.Run, snapshot))[index], snapshot);
}
