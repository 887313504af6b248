using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// Where each page of a checkpoint goes. Two questions per page, in this order, asked after the snapshot was pinned: <em>blocked</em> —
/// does a live snapshot read this page's present bytes from the file? — and <em>held</em> — does the snapshot on disk reach this page?
/// New readers start at N or later and find their versions in memory, so the blocked set only shrinks from here on.
/// </summary>
internal sealed class CheckpointPlan
{
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
    internal Dictionary<long, BatchEntry> StillDeferred { get; } = [];

    internal bool IsEmpty => Straight.Count + Held.Count + Blocked.Count == 0;

    /// <param name="candidates">All versions in memory that N sees, in page order.</param>
    /// <param name="target">The pages that N reaches.</param>
    /// <param name="onDisk">The newest complete checkpoint.</param>
    /// <param name="versions">Tells who reads what from the file.</param>
    /// <param name="live">Snapshots of all readers, collected after N was pinned.</param>
    internal static CheckpointPlan Sort(
        List<DirtyPage> candidates, UsedPages target, CheckpointBase onDisk, VersionTable versions, ReadOnlySpan<long> live)
    {
        CheckpointPlan plan = new();
        foreach (DirtyPage page in candidates)
        {
            bool wasDeferred = onDisk.Deferred.TryGetValue(page.Page, out BatchEntry entry);
            bool isNew = page.CreatedBy > onDisk.TransactionId.Value;
            if (!target.IsUsed(page.Page) || (!isNew && !wasDeferred))
            {
                // Freed by N, or in the file already and in memory only for a reader that found it there.
                continue;
            }

            plan.Place(page, isNew, entry, onDisk, versions, live);
        }

        return plan;
    }

    private void Place(
        DirtyPage page, bool isNew, BatchEntry deferred, CheckpointBase onDisk, VersionTable versions, ReadOnlySpan<long> live)
    {
        bool blocked;
        using (versions.Gate.Hold())
        {
            blocked = versions.IsReadFromFile(page.Page, page.Count, live) && !Sabotage.Is(SabotageRule.OverwriteBlockedPages);
        }

        if (blocked && !isNew)
        {
            StillDeferred.Add(page.Page, deferred);
        }
        else if (blocked)
        {
            Blocked.Add(page);
        }
        else if (isNew && onDisk.Used.IsAnyUsed(page.Page, page.Count))
        {
            Held.Add(page);
        }
        else
        {
            Straight.Add(page);
        }
    }
}
