using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;

namespace Voron.Storage.Engine;

/// <summary>
/// What is on disk: the data file, with the images of the newest complete batch and its deferred list laid over it, is exactly snapshot N
/// of checkpoint k.
/// </summary>
internal sealed class CheckpointBase
{
    private readonly UsedPages _used = null!;

    internal required DatabaseId DatabaseId { get; init; }

    /// <summary>k.</summary>
    internal long Checkpoint { get; init; }

    /// <summary>N.</summary>
    internal TransactionId TransactionId { get; init; }

    /// <summary>Where batch head k stands; None for a database that was never checkpointed.</summary>
    internal JournalPosition Batch { get; init; }

    /// <summary>Where batch head k + 1 will stand.</summary>
    internal JournalPosition NextBatch { get; init; }

    /// <summary>N's commit record.</summary>
    internal RecordMark Mark { get; init; }

    /// <summary>Batch k holds images, so that an open has to bring them to their places again.</summary>
    internal bool HasImages { get; init; }

    /// <summary>Generation and number of the newest slot on disk.</summary>
    internal long SlotGeneration { get; set; }

    internal uint SlotNumber { get; set; }

    /// <summary>
    /// Pages that snapshot N reaches. For the checkpoint alone: its memory serves a later one when this is the base no more.
    /// </summary>
    internal required UsedPages Used
    {
        get => _used;
        init => (_used, UsedPageCount, SpaceGroups) = (value, value.Count, value.Groups);
    }

    /// <summary>How many pages N reaches.</summary>
    internal long UsedPageCount { get; private init; }

    /// <summary>How many space maps N has.</summary>
    internal long SpaceGroups { get; private init; }

    /// <summary>
    /// Pages whose image for N is in a page chunk and not in the data file, because a reader still reads the older content there.
    /// </summary>
    internal Dictionary<long, BatchEntry> Deferred { get; init; } = [];

    internal HeaderSlot ToSlot() => new()
    {
        DatabaseIdLow = DatabaseId.Low,
        DatabaseIdHigh = DatabaseId.High,
        Generation = SlotGeneration,
        Checkpoint = Checkpoint,
        TransactionId = TransactionId.Value,
        BatchSequence = Batch.Sequence,
        BatchOffset = Batch.Offset,
        NextBatchSequence = NextBatch.Sequence,
        NextBatchOffset = NextBatch.Offset,
        SlotNumber = SlotNumber,
    };
}
