using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Where each page of a checkpoint goes. Two questions per page, in this order, asked after the snapshot was pinned: <em>blocked</em> —
/// does a live snapshot read this page's present bytes from the file? — and <em>held</em> — does the snapshot on disk reach this page?
/// New readers start at N or later and find their versions in memory, so the blocked set only shrinks from here on.
/// <para>One plan serves all checkpoints of an environment, so that a checkpoint needs no memory of its own.</para>
/// </summary>
internal sealed class CheckpointPlan
{
    /// <summary>Versions in memory that N sees, of one part of the version table at a time.</summary>
    private readonly List<DirtyPage> _candidates = [];
    private readonly Dictionary<long, KeptImages> _keptIn = [];

    /// <summary>
    /// Neither blocked nor held: straight to their place, before the batch is complete. Deferred images that nobody is blocked on any
    /// more are among them.
    /// </summary>
    internal List<DirtyPage> Straight { get; } = [];

    /// <summary>Held but not blocked: into the batch, then in place.</summary>
    internal List<DirtyPage> Held { get; } = [];

    /// <summary>Blocked: into the batch and nowhere else until the readers are gone.</summary>
    internal List<DirtyPage> Blocked { get; } = [];

    /// <summary>Places in the list of the base of deferred pages whose images stay as they are, ascending.</summary>
    internal List<int> Kept { get; } = [];

    /// <summary>Pages that leave the deferred list, and do not come back to it with another image, in page order.</summary>
    internal List<long> Removed { get; } = [];

    /// <summary>The table of the batch lists all deferred pages; else those that come and go, with a link to the table before.</summary>
    internal bool HasFullTable { get; private set; }

    internal bool IsEmpty => Straight.Count + Held.Count + Blocked.Count == 0;

    internal void Clear()
    {
        Empty(Straight);
        Empty(Held);
        Empty(Blocked);
        Empty(Removed);
        Kept.Clear();
    }

    /// <summary>
    /// Empties a list for the next checkpoint. A long list of which the last one used little gives its memory back: while a reader is held,
    /// one checkpoint meets many pages and those after it few.
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
    /// <param name="versions">Has all versions in memory that N sees, and tells who reads what from the file.</param>
    /// <param name="live">Snapshots of all readers, collected after N was pinned.</param>
    internal void Sort(long snapshot, UsedPages target, CheckpointBase onDisk, VersionTable versions, ReadOnlySpan<long> live)
    {
        const int PagesPerTurn = 256;
        Clear();
        ReadOnlySpan<ImageEntry> deferred = onDisk.Deferred.Entries;
        Kept.EnsureCapacity(deferred.Length);
        int placed = 0;
        int next = 0;
        for (int part = 0; Collect(part, snapshot, versions); part++)
        {
            foreach (DirtyPage page in _candidates)
            {
                if (++placed % PagesPerTurn == 0)
                {
                    EngineThread.Yield();
                }

                next = RemoveBefore(page.Page, deferred, next);
                bool wasDeferred = next < deferred.Length && deferred[next].PageNumber == page.Page;
                bool isNew = page.CreatedBy > onDisk.TransactionId.Value;

                // Else freed by N, or in the file already and in memory only for a reader that found it there.
                bool isToPlace = target.IsUsed(page.Page) && (isNew || wasDeferred);
                bool isBlocked = isToPlace && Place(page, isNew, onDisk, versions, live);
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

        RemoveBefore(long.MaxValue, deferred, next);
    }

    /// <summary>
    /// Decides which deferred images are written again, into this batch, and whether all deferred pages are listed again.
    /// <para>A chunk is kept as long as one image in it is deferred. When the chunks that are kept for nothing else have more bytes of
    /// other content than all deferred images have, the images in them are written again and the chunks go: a reader that stays for hours
    /// costs at most about one more copy of the pages it can see.</para>
    /// </summary>
    internal void CarryForward(long snapshot, CheckpointBase onDisk, PageJournal batches, VersionTable versions)
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
        long tableBytes = CountTables(onDisk, batches, versions);
        using (versions.Gate.Hold())
        {
            foreach ((long sequence, KeptImages images) in _keptIn)
            {
                // Other versions in the chunk, of readers in between, keep it whatever is done here.
                if (versions.Chunks.CountOf(sequence) > images.Count)
                {
                    _keptIn.Remove(sequence);
                    continue;
                }

                otherBytes += batches.BytesOf(sequence) - images.Bytes;
            }
        }

        bool carries = otherBytes > keptBytes;
        HasFullTable |= carries || tableBytes > Math.Max(keptBytes / MostTableShare, FewTableBytes);
        if (carries)
        {
            Carry(snapshot, onDisk.Deferred.Entries, versions);
        }
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
    private long CountTables(CheckpointBase onDisk, PageJournal batches, VersionTable versions)
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

            bytes += isMapped ? 0 : batches.BytesOf(sequence);
        }

        return bytes;
    }

    private void Carry(long snapshot, ReadOnlySpan<ImageEntry> deferred, VersionTable versions)
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

    private bool Collect(int part, long snapshot, VersionTable versions)
    {
        _candidates.Clear();
        return versions.CollectVisible(part, snapshot, _candidates);
    }

    /// <summary>
    /// Removes the deferred pages before this one, for which nothing else was found, from the list. Returns the place of the first one not
    /// before it.
    /// </summary>
    private int RemoveBefore(long page, ReadOnlySpan<ImageEntry> deferred, int next)
    {
        while (next < deferred.Length && deferred[next].PageNumber < page)
        {
            Removed.Add(deferred[next++].PageNumber);
        }

        return next;
    }

    /// <summary>Returns whether the page is blocked; where it stays deferred as it is, it goes nowhere.</summary>
    private bool Place(DirtyPage page, bool isNew, CheckpointBase onDisk, VersionTable versions, ReadOnlySpan<long> live)
    {
        long count = page.Count;
        bool blocked;
        using (versions.Gate.Hold())
        {
            blocked = versions.IsReadFromFile(page.Page, count, live);
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
