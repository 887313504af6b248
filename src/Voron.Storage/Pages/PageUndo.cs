// Unsafe fence. Bounds: chains and versions are those of the version table, whose gate the caller holds.
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Pages;

/// <summary>Takes back what a transaction did to the chains of versions.</summary>
internal static unsafe class PageUndo
{
    /// <summary>
    /// Of what the transaction superseded, a marker goes: what the data file has is current again. When a checkpoint brought a superseded
    /// run there, the markers of its later pages go with it; their memory is the reclaim queue's.
    /// </summary>
    internal static void FreeIfMarker(VersionTable versions, PageVersion* version, long transactionId)
    {
        if (!version->IsInFile || version->SupersededBy != transactionId)
        {
            return;
        }

        for (long page = version->PageNumber + 1; page < version->PageNumber + version->PageCount; page++)
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
    /// The transaction's private versions of a page vanish; what it had replaced is current again. Markers are not the page's to undo: one
    /// of a run's later page may be the work of a checkpoint and counts as long as the run is superseded.
    /// </summary>
    internal static void UndoPage(VersionTable versions, long page, long transactionId)
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
    /// An interval that no snapshot is in and that names no transaction, for the next one has the number of one that is undone.
    /// </summary>
    private static void Hide(PageVersion* marker)
    {
        marker->CreatedBy = 0;
        marker->SupersededBy = 0;
    }
}
