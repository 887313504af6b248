using System.Numerics;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Writes pages to their places: adjacent ones in one write, a rest after each small piece that the device has taken, and one sync at the
/// end. A sync for each piece would also make the file system write its own journal each time, and commits would wait for that.
/// </summary>
internal sealed class InPlaceWriter(DataFile file, VersionTable versions, ReclaimQueue reclaim)
{
    /// <summary>
    /// Buffer for adjacent pages that are written together: as long as the most pages needed so far, and no longer than a usual piece.
    /// </summary>
    private byte[] _staging = [];
    private readonly int _mostPages = BackgroundPace.PieceBytes / file.PageBytes;
    private bool _isLastLook;
    private PageNumber _startPage;
    private int _stagedPages;
    private int _piecePages;
    private int _pieceWrites;
    private int _pieceFactor = 1;
    private PageNumber _pieceFirst;
    private PageNumber _pieceEnd;

    /// <summary>Bytes written since the environment was opened.</summary>
    internal long WrittenBytes { get; private set; }

    /// <summary>Writes the pages, which are in page order, and returns when they are on the device.</summary>
    /// <param name="pages">The pages.</param>
    /// <param name="pace">When to rest.</param>
    /// <param name="isLastLook">Whether the checkpoint needs no version of them once it is written.</param>
    internal void WriteAndSync(List<DirtyPage> pages, BackgroundPace pace, bool isLastLook)
    {
        _isLastLook = isLastLook;
        if (pages.Count == 0)
        {
            return;
        }

        int stagedBytes = Math.Min(_mostPages, pages.Count) * file.PageBytes;
        if (_staging.Length < stagedBytes)
        {
            _staging = GC.AllocateUninitializedArray<byte>((int)BitOperations.RoundUpToPowerOf2((uint)stagedBytes));
        }

        WriteAll(pages, pace);
        pace.BeginPiece();
        file.Sync();
        pace.EndPiece();
    }

    private void WriteAll(List<DirtyPage> pages, BackgroundPace pace)
    {
        _stagedPages = 0;
        _piecePages = 0;
        foreach (DirtyPage page in pages)
        {
            if (page.Count > 1)
            {
                FlushStaged();
                WriteRun(page, pace);
            }
            else
            {
                Stage(page, pace);
            }
        }

        EndPiece(pace);
    }

    /// <summary>Writes a long run in several pieces, so that commits do not wait for all of it.</summary>
    private void WriteRun(DirtyPage page, BackgroundPace pace)
    {
        ReadOnlySpan<byte> run = PageImage.OfRun(page.Version, file.PageBytes);
        for (long done = 0; done < page.Count;)
        {
            BeginWrite(page.Page + done, pace);
            int pages = (int)Math.Min((_mostPages * _pieceFactor) - _piecePages, page.Count - done);
            _piecePages += pages;
            Write(page.Page + done, run.Slice((int)done * file.PageBytes, pages * file.PageBytes));
            done += pages;
            EndWrite(pace);
        }
    }

    private void Stage(DirtyPage page, BackgroundPace pace)
    {
        if (_stagedPages > 0 && page.Page != _startPage + _stagedPages)
        {
            FlushStaged();
            EndWrite(pace);
        }

        if (_stagedPages == 0)
        {
            BeginWrite(page.Page, pace);
            _startPage = page.Page;
        }

        PageImage.Write(page.Version, _staging.AsSpan(_stagedPages * file.PageBytes, file.PageBytes));
        _stagedPages++;
        _piecePages++;
        if (_piecePages >= _mostPages * _pieceFactor)
        {
            EndPiece(pace);
        }
        else if (_stagedPages >= _mostPages)
        {
            FlushStaged();
        }
    }

    private void BeginWrite(PageNumber page, BackgroundPace pace)
    {
        if (_piecePages == 0)
        {
            _pieceFactor = pace.PieceFactor;
            pace.BeginPiece();
            _pieceFirst = page;
            _pieceWrites = 0;
        }

        _pieceWrites++;
    }

    private void EndWrite(BackgroundPace pace)
    {
        if (_piecePages >= _mostPages * _pieceFactor || _pieceWrites >= BackgroundPace.PieceWrites * _pieceFactor)
        {
            EndPiece(pace);
        }
    }

    private void EndPiece(BackgroundPace pace)
    {
        FlushStaged();
        if (_piecePages > 0)
        {
            file.WriteOut(_pieceFirst, _pieceEnd - _pieceFirst);
            pace.EndPiece();
            _piecePages = 0;
        }
    }

    private void FlushStaged()
    {
        if (_stagedPages > 0)
        {
            int pages = _stagedPages;
            _stagedPages = 0;
            Write(_startPage, _staging.AsSpan(0, pages * file.PageBytes));
        }
    }

    private void Write(PageNumber page, ReadOnlySpan<byte> bytes)
    {
        file.Write(page, bytes);
        WrittenBytes += bytes.Length;
        _pieceEnd = page + (bytes.Length / file.PageBytes);
        if (_isLastLook)
        {
            using (versions.Gate.Hold())
            {
                reclaim.NoteWritten(page, _pieceEnd - page);
            }
        }
    }
}
