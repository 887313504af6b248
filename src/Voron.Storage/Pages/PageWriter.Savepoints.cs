// Unsafe fence. Bounds: as in PageWriter.cs.
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <content>Savepoints of the transaction. While there are none, they cost one check for each change.</content>
internal sealed unsafe partial class PageWriter
{
    private readonly PageSavepoints _savepoints;

    internal void CreateSavepoint()
    {
        _savepoints.Create(
            new PageSavepoints.Mark(_touched.Count, _superseded.Count, _space.Groups, _inMemory.Changes, Source.Pending.All));
        Placed?.CreateSavepoint();
    }

    /// <summary>Undoes all page changes since a savepoint. The savepoint remains valid; later ones are released.</summary>
    internal void RollbackTo(int depth)
    {
        PageSavepoints.Mark mark;
        using (_versions.Gate.Hold())
        {
            mark = _savepoints.RollbackTo(depth, TransactionId);
            FreeMarkers(CollectionsMarshal.AsSpan(_superseded)[mark.Superseded..]);
        }

        _touched.RemoveRange(mark.Touched, _touched.Count - mark.Touched);
        _superseded.RemoveRange(mark.Superseded, _superseded.Count - mark.Superseded);
        _space.RollbackTo(mark.Groups);
        _inMemory.RollbackTo(mark.InMemory);
        Source.Pending.All = mark.Pending;
        Placed?.RollbackTo(depth);
    }

    internal void Release(int depth)
    {
        _savepoints.Release(depth);
        Placed?.Release(depth);
    }

    private void Clear()
    {
        _touched.Clear();
        _superseded.Clear();
        _savepoints.Forget();
    }

    /// <summary>
    /// Frees the transaction's markers; the versions that it superseded must be current again by now. Requires the version table's gate.
    /// </summary>
    private void FreeMarkers(ReadOnlySpan<nint> superseded)
    {
        foreach (nint version in superseded)
        {
            PageUndo.FreeIfMarker(_versions, (PageVersion*)version, TransactionId);
        }
    }

    /// <summary>Saves the page's state for the newest savepoint, before the page changes.</summary>
    private void Keep(PageNumber page)
    {
        if (_savepoints.IsAny)
        {
            _savepoints.Keep(page, TransactionId);
        }
    }

    /// <summary>
    /// Saves pages before they are freed. True if a savepoint took the transaction's version of the first page out of its chain.
    /// </summary>
    private bool SaveFreedPage(PageNumber page, uint count)
    {
        bool isTaken = _savepoints.IsAny && _savepoints.Keep(page, TransactionId, isGoing: true);
        for (PageNumber other = page + 1; other < page + count; other++)
        {
            Keep(other);
        }

        return isTaken;
    }
}
