// Unsafe fence. Bounds: heads come from HeadTable; chains are changed only under the gate and read without it by the stamp rule of
// PageVersion.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// The versions of pages that live in memory: a sparse two-level table from page number to a chain.
/// <para>A lookup for snapshot S takes the version with content and a ≤ S &lt; b; where there is none the data file has the content.
/// Never "the newest a ≤ S": a later version may have left memory for the file while an older one is kept for an old reader.</para>
/// </summary>
internal sealed unsafe partial class VersionTable : IDisposable
{
    private HeadTable _heads = new();

    /// <summary>The same for pages without a place in the data file.</summary>
    private HeadTable _headsInMemory = new();
    private long _visible;

    internal VersionTable(VersionMemory memory)
    {
        Gate = new Gate();
        Chunks = new ChunkViews(Gate);
        Memory = memory;
    }

    /// <summary>
    /// Held while a chain or the memory below changes; never while waiting, except, rarely, for a spill file to be created.
    /// </summary>
    internal Gate Gate { get; }

    internal VersionMemory Memory { get; }

    /// <summary>Page chunks that versions are views of.</summary>
    internal ChunkViews Chunks { get; }

    /// <summary>Pages freed by transactions that free many: they have no markers.</summary>
    internal FreedPages Freed { get; } = new();

    /// <summary>The newest published transaction: what new readers see.</summary>
    internal TransactionId Visible => new(Volatile.Read(ref _visible));

    /// <summary>One past the highest page number that may have a version.</summary>
    internal PageNumber EndPage => new((long)_heads.Parts << HeadTable.PartShift);

    /// <summary>Makes all versions up to this transaction visible to new readers; one release store.</summary>
    internal void Publish(TransactionId transactionId)
    {
        Scheduling.Pass(SchedulingPoint.Publish);
        Volatile.Write(ref _visible, transactionId.Value);
        Scheduling.Pass(SchedulingPoint.Publish);
    }

    /// <summary>Finds the version that a registered snapshot sees in memory; false when it must read the data file.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryFind(PageNumber page, TransactionId snapshot, out PageView view)
    {
        PageVersion* head = Head(page);
        if (head == null)
        {
            view = default;
            return false;
        }

        return TryFindInChain(head, page, snapshot, out view);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageVersion* Head(PageNumber page) =>
        _heads.TryGet(page.Value, out PageVersion* head) ? head : page.IsInMemory ? HeadInMemory(page) : null;

    internal bool HasAny(PageNumber page) => Head(page) != null;

    /// <summary>
    /// Returns the newest version with content; null if the data file has the current content. The caller holds the gate, or the writer
    /// lock, without which no version is freed.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageVersion* Newest(PageNumber page)
    {
        PageVersion* version = Head(page);
        while (version != null && version->IsInFile)
        {
            version = version->Older;
        }

        return version;
    }

    /// <summary>
    /// Reserves all memory that a change of these pages can need: places in the table, a version and a marker for each, and one or two
    /// blocks of these lengths. After it the change cannot run out of memory.
    /// </summary>
    internal void Prepare(PageNumber page, long count, int blockBytes = 0, int otherBlockBytes = 0)
    {
        Gate.AssertHeld();
        for (PageNumber p = page; p < page + count; p++)
        {
            HeadForChange(p);
        }

        Memory.EnsureRoom(blockBytes, otherBlockBytes, count + 1);
    }

    /// <summary>
    /// Whether a live snapshot reads the present bytes of any of these pages from the data file, so that they must not be overwritten.
    /// </summary>
    internal bool IsReadFromFile(PageNumber page, long count, ReadOnlySpan<TransactionId> live)
    {
        Gate.AssertHeld();
        for (PageNumber p = page; p < page + count; p++)
        {
            for (PageVersion* version = Head(p); version != null; version = version->Older)
            {
                if (version->IsInFile && version->IsVisibleToAny(live))
                {
                    return true;
                }
            }
        }

        return Freed.LastSeen(page, page + count, live) != PageNumber.None;
    }

    /// <summary>Returns one more than the highest page, from this one on, that a live snapshot reads from the data file.</summary>
    internal PageNumber EndOfReadFromFile(PageNumber from, ReadOnlySpan<TransactionId> live)
    {
        using (Gate.Hold())
        {
            from = PageNumber.Max(from, Freed.LastSeen(from, PageNumber.AfterAll, live) + 1);
        }

        for (long part = _heads.Parts - 1; part >= from.Value >> HeadTable.PartShift; part--)
        {
            if (_heads.Part(part) == null)
            {
                continue;
            }

            using (Gate.Hold())
            {
                PageNumber first = PageNumber.Max(from, new PageNumber(part << HeadTable.PartShift));
                for (PageNumber page = new(((part + 1) << HeadTable.PartShift) - 1); page >= first; page--)
                {
                    if (IsReadFromFile(page, 1, live))
                    {
                        return page + 1;
                    }
                }
            }
        }

        return from;
    }

    /// <summary>
    /// Adds, in page order, every version in memory that the pinned snapshot sees in a part of the table; false if there is no such part.
    /// Holds the gate for a few pages at a time, so writers wait microseconds.
    /// </summary>
    internal bool CollectVisible(int part, TransactionId snapshot, List<DirtyPage> into)
    {
        const int PagesPerTurn = 64;
        if (part >= _heads.Parts)
        {
            return false;
        }

        nint* all = _heads.Part(part);
        for (int start = 0; all != null && start < HeadTable.PartPages; start += PagesPerTurn)
        {
            // What the pinned snapshot sees exists already and is not freed: an empty place stays irrelevant.
            Span<nint> heads = new(all + start, PagesPerTurn);
            if (heads.ContainsAnyExcept(0))
            {
                EngineThread.Yield();
                CollectVisible(heads, snapshot, into);
            }
        }

        return true;
    }

    public void Dispose()
    {
        FreeRunsOf(_heads);
        FreeRunsOf(_headsInMemory);
        _heads.Free();
        _headsInMemory.Free();
        Chunks.Dispose();
        Memory.Dispose();
    }

    private void CollectVisible(Span<nint> heads, TransactionId snapshot, List<DirtyPage> into)
    {
        foreach (nint head in heads)
        {
            CacheLine.Fetch((void*)head);
        }

        using (Gate.Hold())
        {
            foreach (nint head in heads)
            {
                PageVersion* version = (PageVersion*)head;
                while (version != null && (version->IsInFile || !version->IsVisibleTo(snapshot)))
                {
                    version = version->Older;
                }

                if (version != null)
                {
                    into.Add(new DirtyPage(version->PageNumber, version->PageCount, version->CreatedBy, (nint)version));
                }
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PageVersion* HeadInMemory(PageNumber page)
    {
        _headsInMemory.TryGet(page - PageNumber.FirstInMemory, out PageVersion* head);
        return head;
    }

    private ref nint HeadForChange(PageNumber page) => ref page.IsInMemory
        ? ref _headsInMemory.ForChange(page - PageNumber.FirstInMemory)
        : ref _heads.ForChange(page.Value);
}
