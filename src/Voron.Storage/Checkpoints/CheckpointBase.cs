using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Threads;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// What is on disk: the data file, with the images of the newest complete batch and its deferred list laid over it, is exactly snapshot N
/// of checkpoint k.
/// </summary>
internal sealed class CheckpointBase
{
    private readonly Func<UsedPages>? _load;
    private readonly Gate _loading;
    private UsedPages? _used;
    private long _usedPageCount;

    internal required DatabaseId DatabaseId { get; init; }

    /// <summary>k.</summary>
    internal long Checkpoint { get; init; }

    /// <summary>N.</summary>
    internal TransactionId TransactionId { get; init; }

    /// <summary>Where batch head k stands; None for a database that was never checkpointed.</summary>
    internal JournalPosition Batch { get; init; }

    /// <summary>Where batch head k + 1 will stand.</summary>
    internal JournalPosition NextSet { get; init; }

    /// <summary>N's commit record.</summary>
    internal RecordMark Mark { get; init; }

    /// <summary>Batch k holds images, so that an open has to bring them to their places again.</summary>
    internal bool HasImages { get; init; }

    /// <summary>The newest commit chunk that was known to be durable when the newest slot was written; 0 when none was.</summary>
    internal long CommitSequence { get; set; }

    /// <summary>
    /// No record stands behind N's in commit chunks up to this one, because they were closed cleanly; 0 says nothing. Chunks of earlier
    /// lives are never written again, so this stays true for as long as N is the same.
    /// </summary>
    internal long EndSequence { get; set; }

    /// <summary>
    /// Pages that snapshot N reaches. For the checkpoint alone: its memory serves a later one when this is the base no more.
    /// </summary>
    internal UsedPages Used
    {
        get => Volatile.Read(ref _used) ?? LoadOnce();
        init => (_used, _usedPageCount, SpaceGroups) = (value, value.Count, value.Groups);
    }

    /// <summary>
    /// In place of <see cref="Used"/>: they are read when they are asked for, so that an open need not read the space maps of a large
    /// file. The next checkpoint asks before it writes anything.
    /// </summary>
    internal Func<UsedPages> UsedLater
    {
        init => (_load, _loading) = (value, new Gate());
    }

    /// <summary>How many pages N reaches.</summary>
    internal long UsedPageCount
    {
        get
        {
            _ = Used;
            return _usedPageCount;
        }
    }

    /// <summary>How many space maps N has.</summary>
    internal long SpaceGroups { get; init; }

    /// <summary>
    /// Pages whose image for N is in a page chunk and not in the data file, because a reader still reads the older content there. For the
    /// checkpoint, and for what runs while none does: the next base changes the list and takes it over.
    /// </summary>
    internal DeferredPages Deferred { get; private init; } = new();

    /// <summary>The checkpoint after this one.</summary>
    internal CheckpointBase Next(RecordMark mark, UsedPages used, JournalPosition nextBatch, bool hasImages) => new()
    {
        DatabaseId = DatabaseId,
        Checkpoint = Checkpoint + 1,
        TransactionId = mark.TransactionId,
        Batch = NextSet,
        NextSet = nextBatch,
        Mark = mark,
        HasImages = hasImages,
        Used = used,
        Deferred = Deferred,
    };

    /// <summary>A slot that names this state; its writer gives it its number and generation.</summary>
    internal HeaderSlot ToSlot() => new()
    {
        DatabaseIdLow = DatabaseId.Low,
        DatabaseIdHigh = DatabaseId.High,
        Checkpoint = Checkpoint,
        TransactionId = TransactionId.Value,
        BatchSequence = Batch.Sequence,
        BatchOffset = Batch.Offset,
        NextSetSequence = NextSet.Sequence,
        NextSetOffset = NextSet.Offset,
        CommitSequence = Math.Max(CommitSequence, Mark.Position.Sequence),
        EndSequence = EndSequence,
    };

    /// <summary>A commit that places a long value may ask while a checkpoint does: one reads, and the other waits for it.</summary>
    private UsedPages LoadOnce()
    {
        using (_loading.Hold())
        {
            if (_used is null)
            {
                UsedPages used = _load!();
                _usedPageCount = used.Count;
                Volatile.Write(ref _used, used);
            }

            return _used;
        }
    }
}
