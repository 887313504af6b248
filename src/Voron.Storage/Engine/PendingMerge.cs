using System.Text;
using Voron.Storage.Checkpoints;
using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// Merges what is pending, when no commit does it any more: once the database is idle, and at its close. Each step is a
/// transaction of its own, so that a writer that comes meanwhile waits for one step and not for all.
/// </summary>
/// <param name="parts">The pending trees, and the lock under which they change.</param>
/// <param name="pressure">Says when the merged pages have to be written.</param>
/// <param name="options">Whom to tell of what cannot be merged; and tests let entries be pending for ever.</param>
/// <param name="checkpoint">Writes the pages.</param>
/// <param name="pace">How it does so beside writers.</param>
internal sealed class PendingMerge(
    DatabaseParts parts, BackPressure pressure, StorageOptions options, Action<BackgroundPace> checkpoint, BackgroundPace pace)
{
    private const int EntriesBesideWriters = 1 << 10;
    private const int EntriesAlone = 1 << 14;

    /// <summary>Whether transactions may be made here. A follower takes their numbers from its source, and merges with those.</summary>
    internal required Func<bool> MayCommit { private get; init; }

    /// <summary>Whether there is something to merge.</summary>
    internal bool IsDue =>
        MayCommit() && options.Engine.PendingBytes is null && parts.Session.Pending is { IsAny: true, AreLeftBlocked: false };

    /// <summary>Merges until nothing is pending or another writer has come. Does not require the writer lock.</summary>
    internal void RunIdle()
    {
        long last = parts.Pipeline.LastSealed.Value;
        bool hasMore = IsDue;
        while (hasMore && parts.Pipeline.LastSealed.Value == last && parts.Pipeline.Lock.TryEnter(TimeSpan.Zero))
        {
            hasMore = parts.Session.MergePending(EntriesBesideWriters);
            last++;
            if (pressure.IsMemoryFull && !parts.Pipeline.KeepsVersions)
            {
                parts.Pipeline.WriteSealed();
                checkpoint(pace);
            }
        }
    }

    /// <summary>
    /// Merges until nothing is pending, if that is not too much for a close; the journal keeps what is not merged in time. The caller holds
    /// the writer lock, and no other writer will get it.
    /// </summary>
    /// <param name="makeRoom">Called after each step; false ends the merge, because what is merged cannot be written.</param>
    internal void RunClosing(Func<bool> makeRoom)
    {
        long start = options.TimeProvider.GetTimestamp();
        bool isPoisoned = parts.Pipeline.FailStop.IsPoisoned;
        bool hasMore = !isPoisoned && IsDue && parts.Session.Pending.AllBytes <= options.Engine.ClosingMergeBytes;
        while (hasMore)
        {
            hasMore = parts.Session.MergePending(EntriesAlone);
            parts.Pipeline.Lock.TryEnter(Timeout.InfiniteTimeSpan);
            hasMore &= makeRoom() && options.TimeProvider.GetElapsedTime(start) < options.Engine.ClosingMergeTime;
        }

        parts.Pipeline.WriteSealed();
    }

    /// <summary>Tells, once, of entries that cannot be merged, if there are any.</summary>
    internal void ReportDamage()
    {
        if (parts.Session.Pending.TakeBlocked() is (byte[] tree, StorageException damage))
        {
            string name = Encoding.UTF8.GetString(tree);
            options.Report(
                StorageEventKind.ChangesNotMerged,
                $"Recent changes of tree '{name}' are kept in memory and in the journal: {damage.Message}",
                damage);
        }
    }
}
