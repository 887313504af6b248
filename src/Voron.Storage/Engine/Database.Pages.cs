using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Engine;

/// <content>Which pages the snapshot on disk uses.</content>
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
}
