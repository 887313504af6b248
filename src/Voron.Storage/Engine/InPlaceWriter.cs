using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// Brings page images to their places: neighbours together in one write, a sync and a pause after each piece, so that commits in between
/// wait for one piece at most.
/// </summary>
internal sealed class InPlaceWriter(DataFile file, CheckpointPace pace)
{
    private const int PiecePages = CheckpointPace.PiecePages;

    private readonly byte[] _staging = new byte[PiecePages * file.PageBytes];
    private long _startPage;
    private int _stagedPages;

    /// <summary>Writes the pages, which are in page order, and returns when they are on the device.</summary>
    internal void WriteAndSync(List<DirtyPage> pages)
    {
        int inPiece = 0;
        foreach (DirtyPage page in pages)
        {
            if (page.Count > 1)
            {
                FlushStaged();
                file.Write(page.Page, PageImage.OfRun(page.Version, file.PageBytes));
                inPiece += (int)Math.Min(page.Count, PiecePages);
            }
            else
            {
                Stage(page);
                inPiece++;
            }

            if (inPiece >= PiecePages)
            {
                FlushStaged();
                Sync();
                pace.Rest();
                inPiece = 0;
            }
        }

        FlushStaged();
        if (inPiece > 0)
        {
            Sync();
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
