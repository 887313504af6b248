using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Decides where each page of a checkpoint is written. Two questions for each page, in this order, after the snapshot was pinned: is it
/// <em>blocked</em>, because a live snapshot reads its present bytes from the file? Is it <em>held</em>, because the snapshot on disk
/// reaches it? New readers begin at N or later and find their versions in memory, so the set of blocked pages only shrinks from here on.
/// One plan serves all checkpoints of an environment, so a checkpoint needs no memory of its own.
/// </summary>
internal sealed class CheckpointPlan
{
    /// <summary>Versions in memory that N sees, of one part of the version table at a time.</summary>
    private readonly List<DirtyPage> _candidates = [];
    private readonly Dictionary<long, KeptImages> _keptIn = [];

    /// <summary>
    /// Neither blocked nor held: written in place before the image set is complete. Includes deferred pages that no reader blocks any
    /// more.
    /// </summary>
    internal List<DirtyPage> Straight { get; } = [];

    /// <summary>Held and not blocked: into the image set, then in place.</summary>
    internal List<DirtyPage> Held { get; } = [];

    /// <summary>Blocked: into the image set, and not in place until the readers have ended.</summary>
    internal List<DirtyPage> Blocked { get; } = [];

    /// <summary>Indexes, in the list of deferred pages of the base, of the pages whose images stay as they are; ascending.</summary>
    internal List<int> Kept { get; } = [];

    /// <summary>Pages that are removed from the deferred list and not added with another image, in page order.</summary>
    internal List<PageNumber> Removed { get; } = [];

    /// <summary>Whether the table lists all deferred pages; otherwise only the changes, with a link to the table before.</summary>
    internal bool HasFullTable { get; private set; }

    internal bool IsEmpty => Straight.Count + Held.Count + Blocked.Count == 0;

    /// <summary>Number of pages to be written, those of images included.</summary>
    internal long PagesToWrite =>
        Straight.Sum(static page => page.Count) + (2 * Held.Sum(static page => page.Count)) + Blocked.Sum(static page => page.Count);

    internal void Clear()
    {
        Empty(Straight);
        Empty(Held);
        Empty(Blocked);
        Empty(Removed);
        Kept.Clear();
    }

    /// <summary>
    /// Empties a list for the next checkpoint. Frees a long list of which little was used: while a reader is held, one checkpoint has many
    /// pages and those after it few.
    /// </summary>
    internal static void Empty<T>(List<T> list)
    {
        const int LongList = 1024;
        if (list.Capacity > LongList && list.Count < list.Capacity / 8)
        {
            list.Clear();
            list.Capacity = 0;
        }

        list.Clear();
    }

    /// <param name="snapshot">N.</param>
    /// <param name="target">The pages that N reaches.</param>
    /// <param name="onDisk">The newest complete checkpoint.</param>
    /// <param name="versions">Has all versions in memory that N sees, and knows what readers read from the file.</param>
    /// <param name="live">Snapshots of all readers, collected after N was pinned.</param>
    /// <param name="placed">Knows what readers in other processes read from the file.</param>
    internal void Sort(
        TransactionId snapshot,
        UsedPages target,
        CheckpointBase onDisk,
        VersionTable versions,
        ReadOnlySpan<TransactionId> live,
        PlacedRuns placed)
    {
        const int PagesPerTurn = 256;
        Clear();
        ReadOnlySpan<ImageEntry> deferred = onDisk.Deferred.Entries;
        Kept.EnsureCapacity(deferred.Length);
        int sorted = 0;
        int next = 0;
        for (int part = 0; Collect(part, snapshot, versions); part++)
        {
            foreach (DirtyPage page in _candidates)
            {
                if (++sorted % PagesPerTurn == 0)
                {
                    EngineThread.Yield();
                }

                next = RemoveBefore(page.Page, deferred, next);
                bool wasDeferred = next < deferred.Length && deferred[next].PageNumber == page.Page;
                bool isNew = page.CreatedBy > onDisk.TransactionId;

                // Otherwise it was freed by N, or it is in the file and in memory only for a reader that found it there.
                bool isToPlace = target.IsUsed(page.Page) && (isNew || wasDeferred);
                bool isBlocked = isToPlace && Place(page, isNew, onDisk, versions, live, placed);
                if (wasDeferred && isBlocked && !isNew)
                {
                    Kept.Add(next++);
                }
                else if (wasDeferred && isBlocked)
                {
                    next++;
                }
            }
        }

        RemoveBefore(PageNumber.AfterAll, deferred, next);
    }

    /// <summary>
    /// Decides which deferred images are written again, into this image set, and whether all deferred pages are listed again. A chunk is
    /// kept as long as one image in it is deferred. If the chunks that are kept for nothing else have more other bytes than all deferred
    /// images together, the images in them are written again and the chunks are recycled: a reader that stays for hours costs at most
    /// about one more copy of the pages that it sees.
    /// </summary>
    internal void CarryForward(TransactionId snapshot, CheckpointBase onDisk, PageJournal imageJournal, VersionTable versions)
    {
        HasFullTable = onDisk.Deferred.NeedsFullTable(Kept.Count, Blocked.Count, Removed.Count);
        if (Kept.Count == 0)
        {
            return;
        }

        const int MostTableShare = 8;
        const long FewTableBytes = 4 * FormatConstants.MinChunkBytes;
        long otherBytes = 0;
        long keptBytes = CountKept(onDisk.Deferred, versions.Memory.PageBytes);
        long tableBytes = CountTables(onDisk, imageJournal, versions);
        using (versions.Gate.Hold())
        {
            foreach ((long sequence, KeptImages images) in _keptIn)
            {
                // Other versions in the chunk, of readers in between, keep the chunk in any case.
                if (versions.Chunks.CountOf(sequence) > images.Count)
                {
                    _keptIn.Remove(sequence);
                    continue;
                }

                otherBytes += imageJournal.BytesOf(sequence) - images.Bytes;
            }
        }

        bool carries = otherBytes > keptBytes;
        HasFullTable |= carries || tableBytes > Math.Max(keptBytes / MostTableShare, FewTableBytes);
        if (carries)
        {
            Carry(snapshot, onDisk.Deferred.Entries, versions);
        }
    }

    /// <summary>
    /// Blocks all held pages: a reader in another process has come to the snapshot on disk since the pages were sorted, and reads them.
    /// </summary>
    internal void BlockHeld(CheckpointBase onDisk)
    {
        HashSet<PageNumber> held = [.. Held.Select(static page => page.Page)];
        Removed.RemoveAll(held.Contains);
        Blocked.AddRange(Held);
        Blocked.Sort(static (one, other) => one.Page.CompareTo(other.Page));
        Held.Clear();
        HasFullTable |= onDisk.Deferred.NeedsFullTable(Kept.Count, Blocked.Count, Removed.Count);
    }

    private long CountKept(DeferredPages deferred, int pageBytes)
    {
        _keptIn.Clear();
        long bytes = 0;
        foreach (int place in Kept)
        {
            ref readonly ImageEntry entry = ref deferred.Entries[place];
            ref KeptImages images = ref CollectionsMarshal.GetValueRefOrAddDefault(_keptIn, entry.Sequence, out _);
            images = new KeptImages(images.Count + 1, images.Bytes + (entry.PageCount * pageBytes));
            bytes += entry.PageCount * pageBytes;
        }

        return bytes;
    }

    /// <summary>Returns the length of the chunks that are kept for tables of deferred pages and for nothing else.</summary>
    private long CountTables(CheckpointBase onDisk, PageJournal imageJournal, VersionTable versions)
    {
        long bytes = 0;
        foreach (long sequence in onDisk.Deferred.TableChunks)
        {
            if (sequence == onDisk.NextSet.Sequence || _keptIn.ContainsKey(sequence))
            {
                continue;
            }

            bool isMapped;
            using (versions.Gate.Hold())
            {
                isMapped = versions.Chunks.CountOf(sequence) > 0;
            }

            bytes += isMapped ? 0 : imageJournal.BytesOf(sequence);
        }

        return bytes;
    }

    private void Carry(TransactionId snapshot, ReadOnlySpan<ImageEntry> deferred, VersionTable versions)
    {
        int next = 0;
        int left = 0;
        for (int part = 0; Collect(part, snapshot, versions); part++)
        {
            foreach (DirtyPage page in _candidates)
            {
                if (next == Kept.Count || deferred[Kept[next]].PageNumber != page.Page)
                {
                    continue;
                }

                int place = Kept[next++];
                if (_keptIn.ContainsKey(deferred[place].Sequence))
                {
                    Blocked.Add(page);
                }
                else
                {
                    Kept[left++] = place;
                }
            }
        }

        Kept.RemoveRange(left, Kept.Count - left);
        Blocked.Sort(static (one, other) => one.Page.CompareTo(other.Page));
    }

    private bool Collect(int part, TransactionId snapshot, VersionTable versions)
    {
        _candidates.Clear();
        return versions.CollectVisible(part, snapshot, _candidates);
    }

    /// <summary>
    /// Removes from the list the deferred pages before this one, for which nothing else was found. Returns the index of the first entry
    /// that is not before it.
    /// </summary>
    private int RemoveBefore(PageNumber page, ReadOnlySpan<ImageEntry> deferred, int next)
    {
        while (next < deferred.Length && deferred[next].PageNumber < page)
        {
            Removed.Add(deferred[next++].PageNumber);
        }

        return next;
    }

    /// <summary>Returns whether the page is blocked. A page that stays deferred as it is, is added to no list.</summary>
    private bool Place(
        DirtyPage page,
        bool isNew,
        CheckpointBase onDisk,
        VersionTable versions,
        ReadOnlySpan<TransactionId> live,
        PlacedRuns placed)
    {
        long count = page.Count;
        bool blocked = placed.IsReadOutside(page.Page, count);
        if (!blocked)
        {
            using (versions.Gate.Hold())
            {
                blocked = versions.IsReadFromFile(page.Page, count, live);
            }
        }

        if (blocked)
        {
            if (isNew)
            {
                Blocked.Add(page);
            }
        }
        else if (isNew && onDisk.Used.IsAnyUsed(page.Page, count))
        {
            Held.Add(page);
        }
        else
        {
            Straight.Add(page);
        }

        return blocked;
    }

    private readonly record struct KeptImages(int Count, long Bytes);
}
