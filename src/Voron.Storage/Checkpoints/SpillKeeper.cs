using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>What a checkpoint has to do about spill files: believe in them only when it may, and give them back.</summary>
internal sealed class SpillKeeper(VersionTable versions, CommitPipeline pipeline)
{
    /// <summary>
    /// Before a batch is complete whose images may come from spill files: the system must not have lost any of it. Throws when it may have.
    /// </summary>
    internal void Confirm()
    {
        if (versions.Memory.SpillBytes == 0)
        {
            return;
        }

        foreach (SpillFile spill in Locked(static memory => memory.UsedSpills()))
        {
            spill.Confirm();
        }
    }

    /// <summary>
    /// After a checkpoint, when much has left memory. Only the holder of the writer lock frees versions; when somebody else has it he does
    /// that himself, and the files go with the next checkpoint.
    /// </summary>
    internal void GiveBack(bool ownsWriterLock)
    {
        if (versions.Memory.SpillBytes == 0)
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

        foreach (SpillFile spill in Locked(static memory => memory.TakeUnusedSpills()))
        {
            spill.Dispose();
        }
    }

    private SpillFile[] Locked(Func<VersionMemory, SpillFile[]> take)
    {
        using (versions.Gate.Hold())
        {
            return take(versions.Memory);
        }
    }
}
