using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>Verifies spill files for a checkpoint, and removes them after it.</summary>
internal sealed class SpillKeeper(VersionTable versions, CommitPipeline pipeline)
{
    /// <summary>
    /// Throws if the system may have lost anything in the spill files: images of the set that is about to be complete may come from them.
    /// </summary>
    internal void Confirm()
    {
        if (versions.Memory.Spills.Bytes == 0)
        {
            return;
        }

        TransactionId visible = versions.Visible;
        foreach (SpillFile spill in Locked(static spills => spills.Used()))
        {
            spill.Confirm(visible);
        }
    }

    /// <summary>
    /// Frees versions and removes spill files after a checkpoint, when much has left memory. Only the holder of the writer lock frees
    /// versions; if another thread holds it, that thread does so, and the files are removed after the next checkpoint.
    /// </summary>
    internal void GiveBack(bool ownsWriterLock)
    {
        if (versions.Memory.Spills.Bytes == 0)
        {
            return;
        }

        if (ownsWriterLock || pipeline.Lock.TryEnter(TimeSpan.Zero))
        {
            try
            {
                pipeline.ReclaimVersions(everything: true);
            }
            finally
            {
                if (!ownsWriterLock)
                {
                    pipeline.LeaveWriterLock();
                }
            }
        }

        foreach (SpillFile spill in Locked(static spills => spills.TakeUnused()))
        {
            spill.Dispose();
        }
    }

    private SpillFile[] Locked(Func<SpillSpace, SpillFile[]> take)
    {
        using (versions.Gate.Hold())
        {
            return take(versions.Memory.Spills);
        }
    }
}
