// Unsafe fence. Bounds: chains and versions are those of the version table, whose gate the caller holds.
using Voron.Storage.Paging;

namespace Voron.Storage.Pages;

/// <summary>Takes back what a transaction did to the chains of versions.</summary>
internal static unsafe class PageUndo
{
    /// <summary>A marker of this transaction; versions that it had replaced are current again by now.</summary>
    internal static void FreeIfMarker(VersionTable versions, PageVersion* version, long transactionId)
    {
        if (version->IsInFile && version->SupersededBy == transactionId)
        {
            versions.Unlink(version);
            versions.Free(version);
        }
    }

    /// <summary>The transaction's private versions of a page vanish; what it had replaced is current again.</summary>
    internal static void UndoPage(VersionTable versions, long page, long transactionId)
    {
        PageVersion* version = versions.Head(page);
        while (version != null)
        {
            PageVersion* older = version->Older;
            bool isOurs = version->CreatedBy == transactionId;
            bool isOurMarker = version->IsInFile && version->SupersededBy == transactionId;
            if (isOurs)
            {
                versions.Unlink(version);
                versions.Free(version);
            }
            else if (isOurMarker)
            {
                // Nobody sees it any more. Its memory belongs to the list that holds it: this transaction's, or, for the later pages of a
                // run that a checkpoint moved to the file meanwhile, the reclaim queue's. Freed here it would be freed twice.
                version->CreatedBy = PageVersion.Current;
            }
            else if (version->SupersededBy == transactionId)
            {
                version->SupersededBy = PageVersion.Current;
            }

            version = older;
        }
    }
}
