using System.Runtime.InteropServices;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Checkpoint k: brings the data file from snapshot N of checkpoint k − 1 to a newer N. The invariant at every instant: data file ⊕
/// newest complete image set (its images and its deferred list) = snapshot N of that set, exactly. A complete head decides which set
/// is the newest; the header slots only locate it.
/// <para>Order: choose and pin N · sort · a header slot that marks the file as no longer at rest · straight pages in place, sync ·
/// images, table, then head of the image set · held pages in place, sync · only now may versions leave memory, for the file or,
/// blocked ones, for their image in a mapped chunk · header slot, sync · recycle · cut the free tail. One run at a time.</para>
/// </summary>
internal sealed partial class Checkpointer
{
    private readonly DataFile _file;
    private readonly HeaderWriter _header;
    private readonly VersionTable _versions;
    private readonly VersionRelease _release;
    private readonly FileTail _tail;
    private readonly HolePunch _holes;
    private readonly SpillKeeper _spills;
    private readonly JournalRecycling _recycling;
    private readonly PlacedRuns _placed;
    private readonly OutsideReaders _outside;
    private readonly ReaderTable _readers;
    private readonly CommitPipeline _pipeline;
    private readonly CommitJournal _commits;
    private readonly PageJournal _imageJournal;
    private readonly PageSource _source;
    private readonly InPlaceWriter _inPlace;
    private readonly ImageWriter _imageWriter;
    private readonly CheckpointPlan _plan = new();
    private readonly Gate _one;
    private readonly List<TransactionId> _live = [];
    private readonly PendingTrees _pending;
    private readonly PagesOnDisk _pagesOnDisk;
    private UsedPages? _spareUsed;
    private ImageEntry _deferredTable;
    private long _pendingSequence;
    private CheckpointBase _base;
    private CheckpointFailure _failure;
    private bool _isSetBegun;
    private bool _ownsWriterLock;
    private bool _isClosed;

    internal Checkpointer(DatabaseParts parts, CheckpointBase onDisk)
    {
        _one = new Gate();
        _file = parts.File;
        _header = parts.Header;
        _versions = parts.Versions;
        _release = new VersionRelease(parts.File, parts.Versions, parts.Reclaim, parts.ImageJournal);
        _tail = new FileTail(parts.File, parts.Versions, parts.Readers, parts.Pipeline, parts.Placed);
        _holes = new HolePunch(parts);
        _spills = new SpillKeeper(parts.Versions, parts.Pipeline);
        _recycling = new JournalRecycling(parts.Versions, parts.ImageJournal, parts.Commits);
        _placed = parts.Placed;
        _outside = parts.Outside;
        _readers = parts.Readers;
        _pipeline = parts.Pipeline;
        _pending = parts.Session.Pending;
        _commits = parts.Commits;
        _imageJournal = parts.ImageJournal;
        _source = parts.Source;
        _inPlace = new InPlaceWriter(_file, parts.Versions, parts.Reclaim);
        _imageWriter = new ImageWriter(_imageJournal, _file.PageBytes);
        _base = onDisk;
        _pagesOnDisk = parts.Pages.Space.OnDisk;
        _pagesOnDisk.Set(() => onDisk.Used);
    }

    internal CheckpointBase Base => Volatile.Read(ref _base);

    /// <summary>
    /// Gets the reason why a file that is no longer needed could not be removed; null when all were removed. The checkpoint is complete by
    /// then, so it does not fail.
    /// </summary>
    internal required Action<StorageException?> ReportKept { get; init; }

    /// <summary>Number of checkpoints completed since the environment was opened.</summary>
    internal long Count { get; private set; }

    /// <summary>Bytes of pages written to their places.</summary>
    internal long DataBytesWritten => _inPlace.WrittenBytes;

    /// <summary>Bytes of page images written.</summary>
    internal long ImageBytesWritten => _imageWriter.WrittenBytes;

    /// <summary>Writes everything committed so far to the data file. Returns false when there was nothing to do.</summary>
    internal bool Run(BackgroundPace pace, bool force = false)
    {
        using (_one.Hold())
        {
            if (_isClosed)
            {
                Transactions.Throw.EnvironmentDisposed();
            }

            _pipeline.FailStop.ThrowIfPoisoned();
            try
            {
                _failure = CheckpointFailure.LeavesAllAsItWas;
                _isSetBegun = false;
                if (!RunPinned(pace, force))
                {
                    return false;
                }
            }
            catch (Exception error)
            {
                Fail(error);
                throw;
            }
            finally
            {
                pace.End();
                _release.ForgetWritten();
                _outside.Admit(_base.Checkpoint, _pipeline.FailStop.IsPoisoned);
                _readers.Pin.Release(_readers.Pin.Occupant);
            }

            _release.CheckAllSoon();
            _spills.GiveBack(_ownsWriterLock);
            return true;
        }
    }

    /// <summary>Runs an action while no checkpoint runs, so that the data file and the newest image set do not change.</summary>
    internal void WithCheckpointsPaused(Action<CheckpointBase> action)
    {
        using (_one.Hold())
        {
            action(_base);
        }
    }

    private bool RunPinned(BackgroundPace pace, bool force)
    {
        if (_pipeline.IsAheadOfJournal)
        {
            _commits.Flush();
        }

        RecordMark mark = _pipeline.RegisterCheckpoint();
        _pendingSequence = _pending.ChunkAt(mark.TransactionId, _base.FirstNeeded.Sequence);
        if (!force && mark.TransactionId == _base.TransactionId && _base.Deferred.Entries.IsEmpty)
        {
            return false;
        }

        if (_pipeline.LastDurable < mark.TransactionId)
        {
            _commits.Flush();
        }

        UsedPages target = LoadTarget(mark.TransactionId);
        MakePlan(mark.TransactionId, target);
        if (!force && mark.TransactionId == _base.TransactionId && _plan.IsEmpty)
        {
            _spareUsed = target;
            return false;
        }

        _failure = CheckpointFailure.LeavesAllAsItWasWhenFull;
        _header.BeginWriting();
        WriteStraight(target, pace);

        JournalPosition nextPlace = WriteImages(mark, target, pace);

        Finish(NextBase(mark, target, nextPlace), pace);
        return true;
    }

    private void WriteStraight(UsedPages target, BackgroundPace pace)
    {
        _file.EnsurePages(target.EndPage);
        _inPlace.WriteAndSync(_plan.Straight, pace, isLastLook: true);
    }

    /// <summary>
    /// Writes held pages and the header slot, after the image set is complete: from here on recovery yields N, and the checkpoint cannot
    /// be undone.
    /// </summary>
    private void Finish(CheckpointBase next, BackgroundPace pace)
    {
        _file.Mapped.NewestTransaction = next.TransactionId;

        _inPlace.WriteAndSync(_plan.Held, pace, isLastLook: true);
        _release.ToFile(_plan.Straight);
        _release.ToFile(_plan.Held);
        _release.ToChunks(_plan.Blocked, _imageWriter.NewlyDeferred);

        _header.Write(next);
        _failure = CheckpointFailure.LeavesAllAsItWas;
        _isSetBegun = false;
        _spareUsed = _base.Used;
        Volatile.Write(ref _base, next);
        _pagesOnDisk.Set(() => next.Used);
        Count++;
        Recycle(next, pace);
        if (!_outside.Any)
        {
            _tail.Cut(next.TransactionId, next.Used.EndPage, _ownsWriterLock);
            _holes.Punch(_spareUsed, next.Used, _ownsWriterLock);
        }
    }

    /// <summary>Loads the target snapshot's used pages before the checkpoint changes what they are read from.</summary>
    private UsedPages LoadTarget(TransactionId snapshot)
    {
        long groups = _base.Used.Groups;
        if (_spareUsed is not { } used)
        {
            return UsedPages.Load(_source, groups, snapshot);
        }

        _spareUsed = null;
        used.Reload(_source, groups, snapshot);
        return used;
    }

    private void MakePlan(TransactionId snapshot, UsedPages target)
    {
        _outside.Look(_base.Checkpoint, () => _base.Used);
        CollectLive();

        _plan.Sort(snapshot, target, _base, _versions, CollectionsMarshal.AsSpan(_live), _placed);
        _plan.CarryForward(snapshot, _base, _imageJournal, _versions);
    }

    private void CollectLive()
    {
        _live.Clear();
        _readers.CollectSnapshots(_live);
    }

    private JournalPosition WriteImages(RecordMark mark, UsedPages target, BackgroundPace pace)
    {
        // From here on no reader comes to the snapshot on disk. What one that has come since the sorting reads stays in its place.
        _outside.Refuse(_base.Checkpoint, _file.Path);
        if (_outside.Look(_base.Checkpoint, () => _base.Used))
        {
            _plan.BlockHeld(_base);
        }

        _failure = CheckpointFailure.LeavesAllAsItWas;
        ImageSetHead head = new()
        {
            DatabaseIdLow = _base.DatabaseId.Low,
            DatabaseIdHigh = _base.DatabaseId.High,
            Checkpoint = _base.Checkpoint + 1,
            TransactionId = mark.TransactionId,
            CatalogRoot = FormatConstants.CatalogRootPage,
            NextPage = target.EndPage,
            FileBytes = target.EndPage.ByteOffset(_file.PageBytes),
            CommitSequence = mark.Position.Sequence,
            CommitOffset = mark.Position.Offset,
            CommitChecksum = mark.Checksum,
            PendingSequence = _pendingSequence,
        };
        _isSetBegun = true;
        _deferredTable = _imageWriter.Write(_plan, _base, ref head, pace);
        _failure = CheckpointFailure.Poisons;
        _spills.Confirm();

        return _imageJournal.Complete(head, closesChunk: _plan.Blocked.Count > 0 || (_ownsWriterLock && _imageJournal.HasLongChunk));
    }

    private CheckpointBase NextBase(RecordMark mark, UsedPages target, JournalPosition nextPlace)
    {
        bool hasImages = _plan.Held.Count + _plan.Blocked.Count + _plan.Kept.Count > 0;
        _base.Deferred.Change(_plan.Kept, _imageWriter.NewlyDeferred, _deferredTable, _plan.HasFullTable);
        return _base.Next(mark, target, nextPlace, hasImages, _pendingSequence);
    }

    private void Recycle(CheckpointBase next, BackgroundPace? pace) =>
        ReportKept(_recycling.Run(next, next.FirstNeeded, pace));

    /// <summary>
    /// Handles the failure of a checkpoint. Once a failed write or sync leaves the content of the device unknown, all commits are refused:
    /// another checkpoint would overwrite the image set that these pages may need.
    /// </summary>
    private void Fail(Exception error)
    {
        bool isClean = _failure == CheckpointFailure.LeavesAllAsItWas
            || (_failure == CheckpointFailure.LeavesAllAsItWasWhenFull && error is StorageFullException);
        if (isClean && _isSetBegun)
        {
            _imageJournal.AbandonSet();
        }
        else if (!isClean)
        {
            // Keep the image set's chunks: its head may be on the device even though the call failed.
            _pipeline.FailStop.Poison(error);
        }
    }
}
