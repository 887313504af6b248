using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Threads;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// The state on disk: the data file, with the images of the newest complete image set and its deferred pages laid over it, is exactly
/// snapshot N of checkpoint k.
/// </summary>
internal sealed record CheckpointBase
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

    /// <summary>Place of the head of image set k; None for a database without a checkpoint.</summary>
    internal JournalPosition ImageSet { get; init; }

    /// <summary>Place of the head of image set k + 1.</summary>
    internal JournalPosition NextSet { get; init; }

    /// <summary>N's commit record.</summary>
    internal RecordMark Mark { get; init; }

    /// <summary>
    /// The first commit chunk with records of entries that are pending in N: in the journal, and not in the leaves; 0 if there are none.
    /// </summary>
    internal long PendingSequence { get; init; }

    /// <summary>The place in the commit journal from which on recovery needs all chunks.</summary>
    internal JournalPosition FirstNeeded => PendingSequence > 0 ? new JournalPosition(PendingSequence, 0) : Mark.Position;

    /// <summary>Whether image set k has images, which an open must write to their places.</summary>
    internal bool HasImages { get; init; }

    /// <summary>The newest commit chunk known to be durable when the newest slot was written; 0 for none.</summary>
    internal long CommitSequence { get; init; }

    /// <summary>
    /// The newest commit chunk known to have no record after N's, because it was closed cleanly; 0 for none. Chunks of earlier uses are
    /// never written again, so this stays true as long as N is the same.
    /// </summary>
    internal long EndSequence { get; init; }

    /// <summary>
    /// Pages that snapshot N reaches. For checkpoints only: the memory is used by a later one when this is no longer the base.
    /// </summary>
    internal UsedPages Used
    {
        get => Volatile.Read(ref _used) ?? LoadOnce();
        init => (_used, _usedPageCount, SpaceGroups) = (value, value.Count, value.Groups);
    }

    /// <summary>
    /// Loads <see cref="Used"/> at its first use, so that an open need not read the space maps of a large file. The next checkpoint uses
    /// it before it writes anything.
    /// </summary>
    internal Func<UsedPages> UsedLater
    {
        init => (_load, _loading) = (value, new Gate());
    }

    /// <summary>Number of pages that N reaches.</summary>
    internal long UsedPageCount
    {
        get
        {
            _ = Used;
            return _usedPageCount;
        }
    }

    /// <summary>Number of space maps of N.</summary>
    internal long SpaceGroups { get; init; }

    /// <summary>
    /// Pages whose image for N is in a page chunk and not in the data file, because a reader still reads the older content there. For the
    /// checkpoint, and for code that runs while none does: the next base takes the list over and changes it.
    /// </summary>
    internal DeferredPages Deferred { get; private init; } = new();

    /// <summary>The checkpoint after this one.</summary>
    internal CheckpointBase Next(RecordMark mark, UsedPages used, JournalPosition nextSet, bool hasImages, long pendingSequence) => new()
    {
        DatabaseId = DatabaseId,
        Checkpoint = Checkpoint + 1,
        TransactionId = mark.TransactionId,
        ImageSet = NextSet,
        NextSet = nextSet,
        Mark = mark,
        HasImages = hasImages,
        PendingSequence = pendingSequence,
        Used = used,
        Deferred = Deferred,
    };

    /// <summary>Returns a slot that names this state; its writer sets number and generation.</summary>
    internal HeaderSlot ToSlot() => new()
    {
        DatabaseIdLow = DatabaseId.Low,
        DatabaseIdHigh = DatabaseId.High,
        Checkpoint = Checkpoint,
        TransactionId = TransactionId,
        SetSequence = ImageSet.Sequence,
        SetOffset = ImageSet.Offset,
        NextSetSequence = NextSet.Sequence,
        NextSetOffset = NextSet.Offset,
        CommitSequence = Math.Max(CommitSequence, Mark.Position.Sequence),
        EndSequence = EndSequence,
    };

    /// <summary>
    /// Loads the used pages. A commit that places a large value may need them at the same time as a checkpoint: one of them reads, the
    /// other waits.
    /// </summary>
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
