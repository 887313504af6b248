// Unsafe fence. Bounds: chains and versions belong to the version table, whose gate the caller holds.
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>Undoes a transaction's changes to the version chains.</summary>
internal static unsafe class PageUndo
{
    /// <summary>
    /// Frees a version that the transaction superseded if it is a marker: the data file's content is then current again. If a checkpoint
    /// wrote a superseded run to the file, also hides the markers of the run's later pages, whose memory the reclaim queue owns.
    /// </summary>
    internal static void FreeIfMarker(VersionTable versions, PageVersion* version, TransactionId transactionId)
    {
        if (!version->IsInFile || version->SupersededBy != transactionId)
        {
            return;
        }

        for (PageNumber page = version->PageNumber + 1; page < version->PageNumber + version->PageCount; page++)
        {
            for (PageVersion* other = versions.Head(page); other != null; other = other->Older)
            {
                if (other->IsOfLaterPage && other->SupersededBy == transactionId && other->CreatedBy == version->CreatedBy)
                {
                    Hide(other);
                }
            }
        }

        versions.Unlink(version);
        versions.Free(version);
    }

    /// <summary>
    /// Removes the transaction's private versions of a page and makes the version they replaced current again. Markers are not undone here:
    /// a marker of a run's later page may come from a checkpoint and is valid while the run is superseded.
    /// </summary>
    internal static void UndoPage(VersionTable versions, PageNumber page, TransactionId transactionId)
    {
        PageVersion* version = versions.Head(page);
        while (version != null)
        {
            PageVersion* older = version->Older;
            if (!version->IsInFile && version->CreatedBy == transactionId)
            {
                versions.Unlink(version);
                versions.Free(version);
            }
            else if (!version->IsInFile && version->SupersededBy == transactionId)
            {
                version->SupersededBy = PageVersion.Current;
            }

            version = older;
        }
    }

    /// <summary>
    /// Gives a marker an interval that contains no snapshot and names no transaction: the next transaction reuses the undone one's id.
    /// </summary>
    private static void Hide(PageVersion* marker)
    {
        marker->CreatedBy = TransactionId.None;
        marker->SupersededBy = TransactionId.None;
    }
}
