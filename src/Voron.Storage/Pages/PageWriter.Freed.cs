// Unsafe fence. Bounds: as in PageWriter.cs.
using Voron.Storage.Paging;

namespace Voron.Storage.Pages;

/// <content>Pages that are given back.</content>
internal sealed unsafe partial class PageWriter
{
    /// <summary>Markers that this transaction has made.</summary>
    private int _markers;

    /// <summary>
    /// After so many markers in a transaction, pages in the data file that are given back get a bit each and nothing else: what a
    /// transaction that drops a large tree remembers does not grow with it.
    /// </summary>
    internal int MostMarkers { get; init; } = 4096;

    private void FreePages(long page, uint count, long createdBy)
    {
        bool isKept = KeepGoing(page, count);
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

        for (long p = page; p < page + count; p++)
        {
            _touched.Add(p);
        }

        _space.Free(page, count);
    }

    /// <summary>
    /// With markers enough: pages whose present content is in the data file are noted with a bit each, and nothing of them is to be undone
    /// but their maps.
    /// </summary>
    private bool TryFreeInFile(long page, uint count)
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
