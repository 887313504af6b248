using Voron.Storage.Checkpoints;

namespace Voron.Storage.Engine;

/// <summary>Returns memory of page versions to the system once the load that needed it has ended and the data file has them.</summary>
/// <param name="parts">The versions, and the lock under which they are freed.</param>
/// <param name="pressure">Counts what checkpoints have released.</param>
/// <param name="keptBytes">At most this much stays, so that a small write need not take memory first.</param>
internal sealed class IdleMemory(DatabaseParts parts, BackPressure pressure, long keptBytes)
{
    /// <summary>A checkpoint beside fewer commits than this part of what it covers ends a time of load.</summary>
    private const int LoadShare = 16;

    /// <summary>Whether there is memory to return, or versions that wait for readers have some.</summary>
    internal bool IsHeld => parts.Versions.Memory.IdleBytes > keptBytes
        || (parts.Versions.Memory.UsedBytes > keptBytes && parts.Reclaim.HeldCount > 0);

    /// <summary>Whether few commits were made during a checkpoint that covers this many bytes of commits.</summary>
    internal static bool IsLoadOver(long coveredBytes, long writtenMeanwhileBytes) => writtenMeanwhileBytes <= coveredBytes / LoadShare;

    /// <summary>
    /// Frees the versions that no snapshot sees, and returns the memory. If another thread holds the writer lock, that thread frees them,
    /// and their memory is returned later. Only the flusher's thread calls it.
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
