// Unsafe fence. Bounds: versions belong to the version table or were rented from its memory and are returned here exactly once; blocks
// are copied with their own length.
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>
/// The state of the write transaction's pages at its savepoints. A page is saved once for the newest savepoint, right before its first
/// change after it: for a node only the slots, since a shared heap is only appended to; a space map as a full copy; a freed run as it is.
/// Rolling back restores the saved pages, newest first, so that a page saved for several savepoints ends with the oldest state.
/// </summary>
internal sealed unsafe class PageSavepoints(VersionTable versions)
{
    private readonly SavepointStack<Mark> _marks = new();
    private readonly List<KeptPage> _kept = [];

    /// <summary>Index in <see cref="_kept"/> of the newest entry of each page.</summary>
    private readonly Dictionary<PageNumber, int> _newest = [];

    internal bool IsAny => _marks.Count > 0;

    internal void Create(in Mark mark) => _marks.Create(mark with { Kept = _kept.Count });

    /// <summary>
    /// Saves the transaction's state of a page, unless it was saved since the newest savepoint. Returns true if its version was taken out
    /// of the chain; on false the caller may free the version.
    /// </summary>
    /// <param name="page">The page that is about to change.</param>
    /// <param name="transactionId">The write transaction.</param>
    /// <param name="isGoing">The page is being freed: the transaction's version is taken out of its chain and kept as it is.</param>
    internal bool Keep(PageNumber page, TransactionId transactionId, bool isGoing = false)
    {
        int before = _newest.GetValueOrDefault(page, -1);
        if (before >= _marks.Newest.Kept)
        {
            return false;
        }

        _kept.EnsureCapacity(_kept.Count + 1);
        _newest.EnsureCapacity(_newest.Count + 1);
        using (versions.Gate.Hold())
        {
            PageVersion* newest = versions.Newest(page);
            bool isOwn = newest != null && newest->CreatedBy == transactionId;
            bool wasTouched = isOwn || IsSuperseded(versions.Head(page), transactionId);
            PageVersion* kept = !isOwn ? null : isGoing ? TakeOut(newest) : Copy(newest);
            _kept.Add(new KeptPage(page, (nint)kept, wasTouched, before));
            _newest[page] = _kept.Count - 1;
            return isGoing && isOwn;
        }
    }

    /// <summary>
    /// Restores all pages to their state at a savepoint, which remains valid; later ones are released. Nothing here can fail. Requires the
    /// version table's gate.
    /// </summary>
    internal Mark RollbackTo(int depth, TransactionId transactionId)
    {
        Mark mark = _marks.RollbackTo(depth);
        for (int i = _kept.Count - 1; i >= mark.Kept; i--)
        {
            BringBack(_kept[i], transactionId);
        }

        _kept.RemoveRange(mark.Kept, _kept.Count - mark.Kept);
        return mark;
    }

    /// <summary>Releases a savepoint and all later ones; the pages saved for it then serve the previous savepoint.</summary>
    internal void Release(int depth)
    {
        _marks.Release(depth);
        if (!IsAny)
        {
            Forget();
        }
    }

    /// <summary>Releases all savepoints at the end of the transaction.</summary>
    internal void Forget()
    {
        _marks.Clear();
        if (_kept.Count == 0)
        {
            return;
        }

        using (versions.Gate.Hold())
        {
            foreach (KeptPage kept in _kept)
            {
                if (kept.Version != 0)
                {
                    versions.Free((PageVersion*)kept.Version);
                }
            }
        }

        _kept.Clear();
        _newest.Clear();
    }

    private static bool IsSuperseded(PageVersion* version, TransactionId transactionId)
    {
        while (version != null && version->SupersededBy != transactionId)
        {
            version = version->Older;
        }

        return version != null;
    }

    private void BringBack(in KeptPage kept, TransactionId transactionId)
    {
        if (!kept.WasTouched)
        {
            PageUndo.UndoPage(versions, kept.Page, transactionId);
        }
        else if (versions.Newest(kept.Page) is var newest && newest != null && newest->CreatedBy == transactionId)
        {
            versions.Unlink(newest);
            versions.Free(newest);
        }

        if (kept.Version != 0)
        {
            PageVersion* version = (PageVersion*)kept.Version;
            version->PageNumber = kept.Page;
            versions.Link(version);
        }

        if (kept.Before < 0)
        {
            _newest.Remove(kept.Page);
        }
        else
        {
            _newest[kept.Page] = kept.Before;
        }
    }

    /// <summary>Takes a version out of its chain; a reader that reached it before restarts at the head.</summary>
    private PageVersion* TakeOut(PageVersion* version)
    {
        versions.Unlink(version);
        version->PageNumber = PageNumber.None;
        return version;
    }

    private PageVersion* Copy(PageVersion* version)
    {
        VersionMemory memory = versions.Memory;
        int bytes = version->IsWhole ? memory.PageBytes : version->SlotBytes;
        memory.EnsureRoom(bytes, 0, 1);
        PageVersion* copy = memory.RentVersion();
        byte* slots = memory.RentBlock(bytes);
        new ReadOnlySpan<byte>(version->Slots, bytes).CopyTo(new Span<byte>(slots, bytes));
        if (!version->IsWhole)
        {
            VersionMemory.ShareHeap(version->Heap);
        }

        copy->PageNumber = PageNumber.None;
        copy->CreatedBy = version->CreatedBy;
        copy->SupersededBy = PageVersion.Current;
        copy->Slots = slots;
        copy->Heap = version->IsWhole ? slots : version->Heap;
        copy->SlotBytes = version->SlotBytes;
        copy->PageCount = 1;
        return copy;
    }

    /// <summary>The lengths of the page writer's lists at a savepoint.</summary>
    /// <param name="Touched">Number of pages touched.</param>
    /// <param name="Superseded">Number of versions superseded.</param>
    /// <param name="Groups">Number of groups in the space map.</param>
    /// <param name="InMemory">Number of changes to the pages that are only in memory.</param>
    /// <param name="Pending">The pending trees.</param>
    /// <param name="Kept">Number of pages saved for earlier savepoints.</param>
    internal readonly record struct Mark(
        int Touched, int Superseded, long Groups, int InMemory, PendingRoot[] Pending, int Kept = 0);

    /// <param name="Page">The page.</param>
    /// <param name="Version">The transaction's own version of it, not in any chain; 0 if there was none.</param>
    /// <param name="WasTouched">Whether the transaction had already changed, allocated or freed it.</param>
    /// <param name="Before">Index of the previous entry of the same page, or −1.</param>
    private readonly record struct KeptPage(PageNumber Page, nint Version, bool WasTouched, int Before);
}
