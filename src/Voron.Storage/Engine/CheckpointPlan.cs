using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// Where each page of a checkpoint goes. Two questions per page, in this order, asked after the snapshot was pinned: <em>blocked</em> —
/// does a live snapshot read this page's present bytes from the file? — and <em>held</em> — does the snapshot on disk reach this page?
/// New readers start at N or later and find their versions in memory, so the blocked set only shrinks from here on.
/// <para>One plan serves all checkpoints of an environment, so that a checkpoint needs no memory of its own.</para>
/// </summary>
internal sealed class CheckpointPlan
{
    private readonly List<DirtyPage> _kept = [];
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

    /// <summary>Images of older batches that stay deferred as they are.</summary>
    internal Dictionary<long, BatchEntry> StillDeferred { get; private set; } = [];

    internal bool IsEmpty => Straight.Count + Held.Count + Blocked.Count == 0;

    internal void Clear()
    {
        Straight.Clear();
        Held.Clear();
        Blocked.Clear();
        StillDeferred.Clear();
        _kept.Clear();
    }

    /// <summary>Gives the deferred images away and takes, for the next plan, the memory of a list that nobody needs any more.</summary>
    internal Dictionary<long, BatchEntry> HandOverDeferred(Dictionary<long, BatchEntry> unused)
    {
        Dictionary<long, BatchEntry> deferred = StillDeferred;
        unused.Clear();
        StillDeferred = unused;
        return deferred;
    }

    /// <param name="candidates">All versions in memory that N sees, in page order.</param>
    /// <param name="target">The pages that N reaches.</param>
    /// <param name="onDisk">The newest complete checkpoint.</param>
    /// <param name="versions">Tells who reads what from the file.</param>
    /// <param name="live">Snapshots of all readers, collected after N was pinned.</param>
    internal void Sort(
        List<DirtyPage> candidates, UsedPages target, CheckpointBase onDisk, VersionTable versions, ReadOnlySpan<long> live)
    {
        const int PagesPerTurn = 256;
        Clear();
        int looked = 0;
        foreach (DirtyPage page in candidates)
        {
            if (++looked % PagesPerTurn == 0)
            {
                EngineThread.Yield(versions.Turns);
            }

            bool wasDeferred = onDisk.Deferred.TryGetValue(page.Page, out BatchEntry entry);
            bool isNew = page.CreatedBy > onDisk.TransactionId.Value;
            if (!target.IsUsed(page.Page) || (!isNew && !wasDeferred))
            {
                // Freed by N, or in the file already and in memory only for a reader that found it there.
                continue;
            }

            Place(page, isNew, entry, onDisk, versions, live);
        }
    }

    /// <summary>
    /// A chunk is kept as long as one image in it is deferred. When the chunks that are kept for nothing else are more than twice as long
    /// as those images, the images are written again, into this batch, and the chunks go: a reader that stays for hours costs at most
    /// about one more copy of the pages it can see.
    /// </summary>
    internal void CarryForward(PageJournal batches, VersionTable versions)
    {
        if (_kept.Count == 0)
        {
            return;
        }

        const int MostChunkBytesPerByte = 2;
        long chunkBytes = 0;
        long liveBytes = 0;
        CountKept(versions.Memory.PageBytes);
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

                chunkBytes += batches.BytesOf(sequence);
                liveBytes += images.Bytes;
            }
        }

        if (chunkBytes <= liveBytes * MostChunkBytesPerByte)
        {
            return;
        }

        foreach (DirtyPage page in _kept)
        {
            if (_keptIn.ContainsKey(StillDeferred[page.Page].Sequence))
            {
                StillDeferred.Remove(page.Page);
                Blocked.Add(page);
            }
        }
    }

    private void CountKept(int pageBytes)
    {
        _keptIn.Clear();
        foreach (BatchEntry entry in StillDeferred.Values)
        {
            ref KeptImages images = ref CollectionsMarshal.GetValueRefOrAddDefault(_keptIn, entry.Sequence, out _);
            images = new KeptImages(images.Count + 1, images.Bytes + (entry.PageCount * pageBytes));
        }
    }

    private void Place(
        DirtyPage page, bool isNew, BatchEntry deferred, CheckpointBase onDisk, VersionTable versions, ReadOnlySpan<long> live)
    {
        long count = page.Count;
        bool blocked;
        using (versions.Gate.Hold())
        {
            blocked = versions.IsReadFromFile(page.Page, count, live);
        }

        if (blocked && !isNew)
        {
            StillDeferred.Add(page.Page, deferred);
            _kept.Add(page);
        }
        else if (blocked)
        {
            Blocked.Add(page);
        }
        else if (isNew && onDisk.Used.IsAnyUsed(page.Page, count))
        {
            Held.Add(page);
        }
        else
        {
            Straight.Add(page);
        }
    }

    private readonly record struct KeptImages(int Count, long Bytes);
}
