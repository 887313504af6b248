// Unsafe fence. Bounds: versions are those of the version table or were rented from its memory and are given back here exactly once; blocks
// are copied in their own length.
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Pages;

/// <summary>
/// What pages of the write transaction were like at its savepoints. A page is kept once for the newest savepoint, right before its first
/// change behind it: of a node the slots, for a shared heap is only appended to; a map as a whole; a run that is given back
/// as it is. Going back to a savepoint brings what was kept to its place, newest first, so that a page which was kept for several of them
/// ends as the oldest says.
/// </summary>
internal sealed unsafe class PageSavepoints(VersionTable versions)
{
    private readonly List<Mark> _marks = [];
    private readonly List<KeptPage> _kept = [];

    /// <summary>Where in the list the newest entry of a page stands.</summary>
    private readonly Dictionary<long, int> _newest = [];

    internal bool IsAny => _marks.Count > 0;

    internal void Create(in Mark mark) => _marks.Add(mark with { Kept = _kept.Count });

    /// <summary>
    /// Keeps what the transaction has of a page, if that was not kept since the newest savepoint. False: the caller may free its version.
    /// </summary>
    /// <param name="page">The page that is about to change.</param>
    /// <param name="transactionId">The write transaction.</param>
    /// <param name="isGoing">The page is given back: the transaction's version of it is taken out of its chain and kept as it is.</param>
    internal bool Keep(long page, long transactionId, bool isGoing = false)
    {
        int before = _newest.GetValueOrDefault(page, -1);
        if (before >= _marks[^1].Kept)
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
    /// Brings all pages back to what they were at a savepoint, which stays; those behind it go. Nothing here can fail. The caller holds the
    /// gate.
    /// </summary>
    internal Mark RollbackTo(int depth, long transactionId)
    {
        Mark mark = _marks[depth];
        _marks.RemoveRange(depth + 1, _marks.Count - depth - 1);
        for (int i = _kept.Count - 1; i >= mark.Kept; i--)
        {
            BringBack(_kept[i], transactionId);
        }

        _kept.RemoveRange(mark.Kept, _kept.Count - mark.Kept);
        return mark;
    }

    /// <summary>A savepoint goes with those behind it: what was kept for it counts for the one before.</summary>
    internal void Release(int depth)
    {
        _marks.RemoveRange(depth, _marks.Count - depth);
        if (!IsAny)
        {
            Forget();
        }
    }

    /// <summary>The transaction ends: no savepoint is left.</summary>
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

    private static bool IsSuperseded(PageVersion* version, long transactionId)
    {
        while (version != null && version->SupersededBy != transactionId)
        {
            version = version->Older;
        }

        return version != null;
    }

    private void BringBack(in KeptPage kept, long transactionId)
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

    /// <summary>In no chain any more; a reader that came across it before starts at the head again.</summary>
    private PageVersion* TakeOut(PageVersion* version)
    {
        versions.Unlink(version);
        version->PageNumber = -1;
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

        copy->PageNumber = -1;
        copy->CreatedBy = version->CreatedBy;
        copy->SupersededBy = PageVersion.Current;
        copy->Slots = slots;
        copy->Heap = version->IsWhole ? slots : version->Heap;
        copy->SlotBytes = version->SlotBytes;
        copy->PageCount = 1;
        return copy;
    }

    /// <summary>What the page writer's lists were like at a savepoint.</summary>
    /// <param name="Touched">Pages touched.</param>
    /// <param name="Superseded">Versions superseded.</param>
    /// <param name="Groups">Groups of the space map.</param>
    /// <param name="Kept">Pages kept for savepoints before.</param>
    internal readonly record struct Mark(int Touched, int Superseded, long Groups, int Kept = 0);

    /// <param name="Page">The page.</param>
    /// <param name="Version">The transaction's own version of it, in no chain; 0 when it had none.</param>
    /// <param name="WasTouched">The transaction had changed, allocated or freed it before.</param>
    /// <param name="Before">The entry of the same page before this one, or −1.</param>
    private readonly record struct KeptPage(long Page, nint Version, bool WasTouched, int Before);
}
