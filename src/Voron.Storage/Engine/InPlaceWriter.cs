using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// Brings page images to their places: neighbours together in one write, a sync and a pause after each piece, so that commits in between
/// wait for one piece at most.
/// </summary>
internal sealed class InPlaceWriter(DataFile file)
{
    private const int PiecePages = CheckpointPace.PiecePages;

    private readonly byte[] _staging = new byte[PiecePages * file.PageBytes];
    private long _startPage;
    private int _stagedPages;
    private int _inPiece;

    /// <summary>Writes the pages, which are in page order, and returns when they are on the device.</summary>
    internal void WriteAndSync(List<DirtyPage> pages, CheckpointPace pace)
    {
        _stagedPages = 0;
        _inPiece = 0;
        foreach (DirtyPage page in pages)
        {
            if (page.Count > 1)
            {
                FlushStaged();
                WriteRun(page, pace);
            }
            else
            {
                BeginPiece(pace);
                Stage(page);
                Count(1, pace);
            }
        }

        EndPiece(pace);
    }

    /// <summary>A long run is several pieces, so that commits do not wait for all of it.</summary>
    private void WriteRun(DirtyPage page, CheckpointPace pace)
    {
        ReadOnlySpan<byte> run = PageImage.OfRun(page.Version, file.PageBytes);
        for (long done = 0; done < page.Count;)
        {
            BeginPiece(pace);
            int pages = (int)Math.Min(PiecePages - _inPiece, page.Count - done);
            file.Write(page.Page + done, run.Slice((int)done * file.PageBytes, pages * file.PageBytes));
            done += pages;
            Count(pages, pace);
        }
    }

    private void BeginPiece(CheckpointPace pace)
    {
        if (_inPiece == 0)
        {
            pace.BeginPiece();
        }
    }

    private void Count(int pages, CheckpointPace pace)
    {
        _inPiece += pages;
        if (_inPiece >= PiecePages)
        {
            EndPiece(pace);
        }
    }

    private void EndPiece(CheckpointPace pace)
    {
        FlushStaged();
        if (_inPiece > 0)
        {
            Sync();
            pace.EndPiece();
            _inPiece = 0;
        }
    }

    private void Sync()
    {
        if (!Sabotage.Is(SabotageRule.BatchBeforeFreshSync))
        {
            file.Sync();
        }
    }

    private void Stage(DirtyPage page)
    {
        if (_stagedPages > 0 && (page.Page != _startPage + _stagedPages || _stagedPages == PiecePages))
        {
            FlushStaged();
        }

        if (_stagedPages == 0)
        {
            _startPage = page.Page;
        }

        PageImage.Write(page.Version, _staging.AsSpan(_stagedPages * file.PageBytes, file.PageBytes));
        _stagedPages++;
    }

    private void FlushStaged()
    {
        if (_stagedPages > 0)
        {
            int pages = _stagedPages;
            _stagedPages = 0;
            file.Write(_startPage, _staging.AsSpan(0, pages * file.PageBytes));
        }
    }
}
