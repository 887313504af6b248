using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <content>Which pages are in use: in the snapshot on disk, and in the newest one.</content>
internal sealed partial class Database
{
    /// <summary>Pages that the snapshot of the last checkpoint reaches.</summary>
    internal UsedPages UsedOnDisk
    {
        get
        {
            UsedPages? used = null;
            _checkpointer.WithCheckpointsPaused(onDisk => used = UsedOf(onDisk).Copy());
            return used!;
        }
    }

    /// <summary>Runs that may not be overwritten, because the transactions that freed them may not be durable.</summary>
    internal int RunsInDoubt => _parts.Placed.RunsInDoubt;

    /// <summary>
    /// Returns the pages of the snapshot on disk. If a space map is damaged, which a check reports, its pages count as free.
    /// </summary>
    private UsedPages UsedOf(CheckpointBase onDisk)
    {
        try
        {
            return onDisk.Used;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            return UsedPages.Load(_parts.Source, onDisk.SpaceGroups, onDisk.TransactionId, static (_, _) => { });
        }
    }

    /// <summary>Returns the pages that a reader beginning now can reach.</summary>
    internal UsedPages UsedNow
    {
        get
        {
            ReaderSlot slot = BeginRead();
            long generation = slot.Generation;
            UsedPages used = UsedPages.Load(_parts.Source, _checkpointer.Base.SpaceGroups, slot.Snapshot);
            slot.Release(generation);
            return used;
        }
    }
}
