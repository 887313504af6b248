using Voron.Storage.Checkpoints;

namespace Voron.Storage.Engine;

/// <summary>
/// Returns memory of page versions to the system once the load that needed it has ended and the data file has them. Only the flusher's
/// thread does it: only that one is waited for before the memory goes with the environment.
/// </summary>
/// <param name="parts">The versions, and the lock under which they are freed.</param>
/// <param name="pressure">Counts what checkpoints have released.</param>
/// <param name="keptBytes">At most this much stays, so that a small write need not take memory first.</param>
/// <param name="isBlocking">Whether a writer waits for a checkpoint, so that load goes on though nothing is committed.</param>
internal sealed class IdleMemory(DatabaseParts parts, BackPressure pressure, long keptBytes, Func<bool> isBlocking)
{
    /// <summary>A checkpoint beside fewer commits than this part of what it covers ends a time of load.</summary>
    private const int LoadShare = 16;

    /// <summary>Whether there is memory to return, or versions that wait for readers have some.</summary>
    internal bool IsHeld => parts.Versions.Memory.IdleBytes > keptBytes
        || (parts.Versions.Memory.UsedBytes > keptBytes && parts.Reclaim.HeldCount > 0);

    /// <summary>Whether few commits were made during a checkpoint that covers this many bytes of commits.</summary>
    internal static bool IsLoadOver(long coveredBytes, long writtenMeanwhileBytes) => writtenMeanwhileBytes <= coveredBytes / LoadShare;

    /// <summary>Runs a checkpoint; if it ends a time of load, returns the memory.</summary>
    internal void ReturnAfter(Action checkpoint)
    {
        long written = parts.Commits.BytesWritten;
        long covered = pressure.JournalGrowth;
        checkpoint();
        if (!isBlocking() && IsLoadOver(covered, parts.Commits.BytesWritten - written))
        {
            GiveBack();
        }
    }

    /// <summary>
    /// Frees the versions that no snapshot sees, and returns the memory. If another thread holds the writer lock, that thread frees them,
    /// and their memory is returned later.
    /// </summary>
    internal void GiveBack()
    {
        if (!IsHeld)
        {
            return;
        }

        if (parts.Pipeline.Lock.TryEnter(TimeSpan.Zero))
        {
            try
            {
                parts.Pipeline.ReclaimVersions(everything: true);
                pressure.Reclaimed();
            }
            finally
            {
                parts.Pipeline.LeaveWriterLock();
            }
        }

        if (parts.Versions.Memory.IdleBytes > keptBytes)
        {
            parts.Versions.Memory.GiveBack(parts.Versions.Gate, keptBytes);
        }
    }
}
