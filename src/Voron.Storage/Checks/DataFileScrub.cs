using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Checks;

/// <summary>
/// Reads the pages that a checkpoint uses from the data file, by position and at a limited rate, and verifies each. Checkpoints continue
/// meanwhile, so a page that looks damaged is checked again by <paramref name="confirm"/> while none runs.
/// </summary>
/// <param name="file">The data file.</param>
/// <param name="used">Pages in use when the scrub began.</param>
/// <param name="bytesPerSecond">The limit.</param>
/// <param name="confirm">Checks a page while it cannot be in the middle of a rewrite.</param>
/// <param name="cancellation">Ends the scrub.</param>
internal sealed class DataFileScrub(
    DataFile file,
    UsedPages used,
    long bytesPerSecond,
    Func<PageNumber, Func<PageNumber, bool>, bool> confirm,
    CancellationToken cancellation)
{
    private const int PieceBytes = 256 << 10;

    private readonly byte[] _buffer = new byte[PieceBytes];
    private long _sinceRest;

    internal List<CheckFinding> Run(IProgress<double>? progress)
    {
        List<CheckFinding> findings = [];
        bool isInDamage = false;
        for (PageNumber page = FormatConstants.CatalogRootPage; page < used.EndPage;)
        {
            cancellation.ThrowIfCancellationRequested();
            if (!used.IsUsed(page) || IsUnwrittenMap(page))
            {
                page++;
                continue;
            }

            long pages = SoundPagesAt(page);
            if (pages == 0 && !isInDamage && confirm(page, IsDamaged))
            {
                findings.Add(new CheckFinding(page.Value, $"Page {page} of '{file.Path}' is damaged on the device, or cannot be read."));
            }

            // After a damaged head, the rest of its run has no heads of its own.
            isInDamage = pages == 0;
            page += Math.Max(1, pages);
            progress?.Report(Math.Min(1.0, page.Value / (double)used.EndPage.Value));
        }

        return findings;
    }

    /// <summary>
    /// Compares pages in use with the images of the newest image set, which says what was written over them: a page that differs has lost
    /// that write. No checkpoint runs.
    /// </summary>
    internal List<CheckFinding> FindLostWrites(IReadOnlyList<ImageEntry> images)
    {
        List<CheckFinding> findings = [];
        byte[] head = new byte[sizeof(ulong)];
        foreach (ImageEntry entry in images)
        {
            int read = file.ReadRaw(entry.PageNumber.ByteOffset(file.PageBytes), head);
            if (read == head.Length && MemoryMarshal.Read<ulong>(head) != entry.Checksum)
            {
                string what = $"Page {entry.PageNumber} of '{file.Path}' is not what the newest checkpoint wrote there: a write was lost.";
                findings.Add(new CheckFinding(entry.PageNumber.Value, what));
            }
        }

        return findings;
    }

    /// <summary>Returns the number of pages of the valid page or run that begins here; 0 if there is none.</summary>
    private long SoundPagesAt(PageNumber page)
    {
        Span<byte> head = Read(page.ByteOffset(file.PageBytes), file.PageBytes);
        if (head.Length < file.PageBytes)
        {
            return 0;
        }

        PageHeader header = MemoryMarshal.Read<PageHeader>(head);
        long count = header.Kind == PageKind.Overflow ? MemoryMarshal.Read<OverflowHeader>(head).PageCount : 1;
        if (header.PageNumber != page || count < 1 || count > file.EndPage - page)
        {
            return 0;
        }

        long bytes = count * file.PageBytes;
        RunningChecksum checksum = new(bytes - sizeof(ulong));
        for (long done = 0; done < bytes; done += PieceBytes)
        {
            int length = (int)Math.Min(PieceBytes, bytes - done);
            Span<byte> piece = count == 1 ? head : Read(page.ByteOffset(file.PageBytes) + done, length);
            if (piece.Length < length)
            {
                return 0;
            }

            checksum.Append(done == 0 ? piece[sizeof(ulong)..] : piece);
            Rest(length);
        }

        return checksum.Value == header.Checksum ? count : 0;
    }

    /// <summary>
    /// Whether a page is a space map that was never written: the maps of an extent are in use from its start, but one whose group was
    /// never used was not written.
    /// </summary>
    private bool IsUnwrittenMap(PageNumber page)
    {
        SpaceLayout layout = new(file.PageBytes);
        (long extent, long at) = Math.DivRem(page.Value, layout.PagesPerExtent);
        long index = at - FormatConstants.FirstSpaceMapPage.Value;
        return index >= 0 && index < layout.GroupsPerExtent
            && (extent * layout.GroupsPerExtent) + index >= used.Groups;
    }

    /// <summary>Whether the page is inside a run that was made after the scrub began.</summary>
    private bool IsDamaged(PageNumber page)
    {
        const int LongestRunPages = 1 << 15;
        if (SoundPagesAt(page) > 0)
        {
            return false;
        }

        for (PageNumber head = page - 1; head >= PageNumber.Max(FormatConstants.CatalogRootPage, page - LongestRunPages); head--)
        {
            Span<byte> bytes = Read(head.ByteOffset(file.PageBytes), file.PageBytes);
            if (bytes.Length == file.PageBytes && MemoryMarshal.Read<PageHeader>(bytes).PageNumber == head)
            {
                return SoundPagesAt(head) <= page - head;
            }
        }

        return true;
    }

    /// <summary>Reads at most a piece of the file; less at its end.</summary>
    private Span<byte> Read(long offset, int bytes) => _buffer.AsSpan(0, file.ReadRaw(offset, _buffer.AsSpan(0, bytes)));

    private void Rest(long bytes)
    {
        _sinceRest += bytes;
        if (_sinceRest >= PieceBytes)
        {
            cancellation.WaitHandle.WaitOne(TimeSpan.FromSeconds((double)_sinceRest / bytesPerSecond));
            _sinceRest = 0;
        }
    }
}
