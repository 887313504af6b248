// Unsafe fence. Bounds: as in PageWriter.cs.
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <content>Freeing of pages.</content>
internal sealed unsafe partial class PageWriter
{
    /// <summary>Number of markers this transaction has created.</summary>
    private int _markers;

    /// <summary>
    /// Most markers of a transaction. Beyond that, freed pages in the data file get only a bit each, so that the memory of a transaction
    /// that drops a large tree does not grow with the tree.
    /// </summary>
    internal int MostMarkers { get; init; } = 4096;

    private void FreePages(PageNumber page, uint count, TransactionId createdBy)
    {
        bool isKept = SaveFreedPage(page, count);
        if (!isKept && TryFreeInFile(page, count))
        {
            _space.Free(page, count);
            return;
        }

        using (_versions.Gate.Hold())
        {
            _versions.Prepare(page, count);
            PageVersion* newest = _versions.Newest(page);
            if (newest != null && newest->CreatedBy == TransactionId)
            {
                _versions.Unlink(newest);
                _versions.Free(newest);
            }
            else if (!isKept)
            {
                Supersede(page, count, createdBy);
            }
        }

        for (PageNumber p = page; p < page + count; p++)
        {
            _touched.Add(p);
        }

        if (page.IsInMemory)
        {
            _inMemory.Free(page);
        }
        else
        {
            _space.Free(page, count);
        }
    }

    /// <summary>
    /// Once the transaction has enough markers, records pages whose current content is in the data file with a bit each; only their space
    /// maps then need undoing.
    /// </summary>
    private bool TryFreeInFile(PageNumber page, uint count)
    {
        if (_markers + (long)count <= MostMarkers)
        {
            return false;
        }

        using (_versions.Gate.Hold())
        {
            PageVersion* newest = _versions.Newest(page);
            if (newest != null && newest->SupersededBy == PageVersion.Current)
            {
                return false;
            }

            _versions.Freed.Add(TransactionId, page, count);
            return true;
        }
    }
}
