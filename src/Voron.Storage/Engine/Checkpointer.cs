using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// Checkpoint k: brings the data file from snapshot N of checkpoint k − 1 to a newer N. The invariant at every instant: data file ⊕
/// newest complete batch (its images and its deferred list) = snapshot N of that batch, exactly. A complete batch head is what counts;
/// the header slots only find it.
/// <para>Order: choose and pin N · sort · straight pages in place, sync · images, table, then head of the batch · held pages in place,
/// sync · only now may versions leave memory · header slot that is not the newest, sync · recycle. One run at a time.</para>
/// </summary>
internal sealed class Checkpointer
{
    private readonly DataFile _file;
    private readonly VersionTable _versions;
    private readonly ReclaimQueue _reclaim;
    private readonly ReaderTable _readers;
    private readonly CommitLine _line;
    private readonly CommitJournal _commits;
    private readonly PageJournal _batches;
    private readonly PageSource _source;
    private readonly Gate _one;
    private readonly List<DirtyPage> _candidates = [];
    private readonly List<long> _live = [];
    private readonly byte[] _page;
    private CheckpointBase _base;
    private bool _isClosed;

    internal Checkpointer(DatabaseParts parts, CheckpointBase onDisk)
    {
        _one = new Gate(parts.Versions.Turns);
        _file = parts.File;
        _versions = parts.Versions;
        _reclaim = parts.Reclaim;
        _readers = parts.Readers;
        _line = parts.Line;
        _commits = parts.Commits;
        _batches = parts.Batches;
        _source = parts.Source;
        _page = new byte[parts.File.PageBytes];
        _base = onDisk;
    }

    internal CheckpointBase Base => Volatile.Read(ref _base);

    /// <summary>Checkpoints done since the environment was opened.</summary>
    internal long Count { get; private set; }

    /// <summary>
    /// Brings everything committed so far to the data file, and ends with an empty batch, so that the next open has nothing to apply.
    /// </summary>
    internal void RunClosing()
    {
        Run(CheckpointPace.Full);
        if (Base.HasImages)
        {
            Run(CheckpointPace.Full, force: true);
        }

        using (_one.Hold())
        {
            NoteEnd();
        }
    }

    /// <summary>Brings everything committed so far to the data file. False when there was nothing to do.</summary>
    internal bool Run(CheckpointPace pace, bool force = false)
    {
        using (_one.Hold())
        {
            if (_isClosed)
            {
                Transactions.Throw.EnvironmentDisposed();
            }

            _line.FailStop.ThrowIfPoisoned();
            ReaderSlot pin = _readers.Occupy();
            long generation = pin.Generation;
            try
            {
                return RunPinned(pin, pace, force);
            }
            finally
            {
                pin.Release(generation);
                _candidates.Clear();
            }
        }
    }

    /// <summary>
    /// Waits for a checkpoint that runs, and lets none begin: one that somebody asked for just before the environment was disposed would
    /// find its files closed.
    /// </summary>
    internal void Close()
    {
        using (_one.Hold())
        {
            _isClosed = true;
        }
    }

    /// <summary>The space maps of a registered snapshot; the base is one that is not newer.</summary>
    internal UsedPages LoadUsedPages(CheckpointBase olderBase, long snapshot) =>
        UsedPages.Load(_source, olderBase.Used.Groups, snapshot);

    /// <summary>Does something while no checkpoint runs: the data file and the newest batch stay as they are meanwhile.</summary>
    internal void WhileResting(Action<CheckpointBase> action)
    {
        using (_one.Hold())
        {
            action(_base);
        }
    }

    private bool RunPinned(ReaderSlot pin, CheckpointPace pace, bool force)
    {
        if (Sabotage.Is(SabotageRule.DecideBeforePin))
        {
            CollectLive();
        }

        RecordMark mark = _line.RegisterCheckpoint(pin);
        if (!force && mark.TransactionId == _base.TransactionId && _base.Deferred.Count == 0)
        {
            return false;
        }

        if (_line.LastDurable.Value < mark.TransactionId.Value)
        {
            _commits.Flush();
        }

        UsedPages target = LoadUsedPages(_base, mark.TransactionId.Value);
        CheckpointPlan plan = MakePlan(mark.TransactionId.Value, target);
        if (!force && mark.TransactionId == _base.TransactionId && plan.IsEmpty)
        {
            return false;
        }

        DoOrPoison(() => _file.EnsurePages(target.EndPage), maySpaceReturn: true);
        InPlaceWriter writer = new(_file, pace);
        DoOrPoison(() => writer.WriteAndSync(plan.Straight));
        if (Sabotage.Is(SabotageRule.ApplyBeforeBatch))
        {
            writer.WriteAndSync(plan.Held);
        }

        BatchResult batch = WriteBatch(plan, mark, target, pace);
        CheckpointBase next = NextBase(plan, mark, target, batch);
        if (Sabotage.Is(SabotageRule.HeaderBeforeDataSync))
        {
            WriteSlot(next);
        }

        DoOrPoison(() => ApplyHeld(writer, plan.Held));
        MoveToFile(plan.Straight);
        MoveToFile(plan.Held);
        if (Sabotage.Is(SabotageRule.RecycleBeforeHeader))
        {
            Recycle(next);
        }

        DoOrPoison(() => WriteSlot(next));
        Volatile.Write(ref _base, next);
        Count++;
        Recycle(next);
        return true;
    }

    private CheckpointPlan MakePlan(long snapshot, UsedPages target)
    {
        _versions.CollectVisible(snapshot, _candidates);
        if (!Sabotage.Is(SabotageRule.DecideBeforePin))
        {
            CollectLive();
        }

        return CheckpointPlan.Sort(_candidates, target, _base, _versions, CollectionsMarshal.AsSpan(_live));
    }

    private void CollectLive()
    {
        _live.Clear();
        _readers.CollectSnapshots(_live);
    }

    private BatchResult WriteBatch(CheckpointPlan plan, RecordMark mark, UsedPages target, CheckpointPace pace)
    {
        _batches.BeginBatch(_base.NextBatch);
        List<BatchEntry> held = AddImages(plan.Held, pace);
        List<BatchEntry> deferred = AddImages(plan.Blocked, pace);
        int newlyDeferred = deferred.Count;
        if (!Sabotage.Is(SabotageRule.DropDeferredList))
        {
            deferred.AddRange(plan.StillDeferred.Values);
            if (Sabotage.Is(SabotageRule.KeepStaleDeferred))
            {
                deferred.AddRange(_base.Deferred.Values.Except(plan.StillDeferred.Values));
            }
        }

        BatchHead head = new()
        {
            DatabaseIdLow = _base.DatabaseId.Low,
            DatabaseIdHigh = _base.DatabaseId.High,
            Checkpoint = _base.Checkpoint + 1,
            TransactionId = mark.TransactionId.Value,
            CatalogRoot = FormatConstants.CatalogRootPage,
            NextPage = target.EndPage,
            FileBytes = target.EndPage * _file.PageBytes,
            CommitSequence = mark.Position.Sequence,
            CommitOffset = mark.Position.Offset,
            CommitChecksum = mark.Checksum,
        };
        JournalPosition next = default;
        DoOrPoison(() => next = _batches.Complete(head, held, deferred));
        return new BatchResult(next, deferred.GetRange(0, newlyDeferred));
    }

    private List<BatchEntry> AddImages(List<DirtyPage> pages, CheckpointPace pace)
    {
        List<BatchEntry> entries = new(pages.Count);
        foreach (DirtyPage page in pages)
        {
            ReadOnlySpan<byte> image = _page;
            if (page.Count > 1)
            {
                image = PageImage.OfRun(page.Version, _file.PageBytes);
            }
            else
            {
                PageImage.Write(page.Version, _page);
            }

            entries.Add(_batches.AddImage(new PageNumber(page.Page), page.Count, image));
            if (entries.Count % CheckpointPace.PiecePages == 0)
            {
                pace.Rest();
            }
        }

        return entries;
    }

    private void ApplyHeld(InPlaceWriter writer, List<DirtyPage> held)
    {
        try
        {
            writer.WriteAndSync(held);
        }
        catch (StorageException) when (Sabotage.Is(SabotageRule.ReleaseBeforeSync))
        {
            // Versions that left memory too early are only missed when the sync fails.
            MoveToFile(held);
            throw;
        }
    }

    /// <summary>
    /// The file holds these versions now, durably: readers find them there, and memory lets go of them when the readers that hold them
    /// end.
    /// </summary>
    private void MoveToFile(List<DirtyPage> pages)
    {
        const int PagesPerTurn = 64;
        for (int start = 0; start < pages.Count; start += PagesPerTurn)
        {
            using (_versions.Gate.Hold())
            {
                for (int i = start; i < Math.Min(start + PagesPerTurn, pages.Count); i++)
                {
                    TryMoveToFile(pages[i].Version);
                }
            }
        }
    }

    /// <summary>A version that memory does not let go stays: it holds what the file holds, for the readers that see it.</summary>
    private void TryMoveToFile(nint version)
    {
        try
        {
            _reclaim.MoveToFile(version);
        }
        catch (InsufficientMemoryException)
        {
            // Only a version that a later transaction has replaced needs memory here, and that one is garbage before long.
        }
    }

    private CheckpointBase NextBase(CheckpointPlan plan, RecordMark mark, UsedPages target, BatchResult batch)
    {
        Dictionary<long, BatchEntry> deferred = plan.StillDeferred;
        foreach (BatchEntry entry in batch.NewlyDeferred)
        {
            deferred[entry.PageNumber] = entry;
        }

        return new CheckpointBase
        {
            DatabaseId = _base.DatabaseId,
            Checkpoint = _base.Checkpoint + 1,
            TransactionId = mark.TransactionId,
            Batch = _base.NextBatch,
            NextBatch = batch.NextPlace,
            Mark = mark,
            HasImages = plan.Held.Count + plan.Blocked.Count + plan.StillDeferred.Count > 0,
            SlotGeneration = _base.SlotGeneration + 1,
            SlotNumber = 1 - _base.SlotNumber,
            Used = target,
            Deferred = deferred,
        };
    }

    private void WriteSlot(CheckpointBase next)
    {
        HeaderSlot slot = next.ToSlot();
        HeaderSlots.Write(_file, slot);
        if (Sabotage.Is(SabotageRule.WriteBothSlots))
        {
            slot.SlotNumber = 1 - slot.SlotNumber;
            HeaderSlots.Write(_file, slot);
        }

        _file.Sync();
    }

    /// <summary>Has the header slot say that the journal ends with N, so that the next open need not look for more behind it.</summary>
    private void NoteEnd()
    {
        long last = _commits.Chunks.LastSequence;
        if (_line.LastSealed == _base.TransactionId && last > _base.EndSequence)
        {
            _base.EndSequence = last;
            _base.SlotGeneration++;
            _base.SlotNumber = 1 - _base.SlotNumber;
            DoOrPoison(() => WriteSlot(_base));
        }
    }

    private void Recycle(CheckpointBase next)
    {
        HashSet<long> needed = [next.Batch.Sequence, next.NextBatch.Sequence];
        if (!Sabotage.Is(SabotageRule.ForgetDeferredAtRecycle))
        {
            needed.UnionWith(next.Deferred.Values.Select(static entry => entry.Sequence));
        }

        bool keepsNewest = !Sabotage.Is(SabotageRule.RecycleNewestBatch);
        if (!keepsNewest && next.NextBatch.Sequence > next.Batch.Sequence)
        {
            needed.Remove(next.Batch.Sequence);
        }

        _batches.Recycle(keepsNewest ? next.Batch.Sequence : next.NextBatch.Sequence, needed);
        _commits.Recycle(Sabotage.Is(SabotageRule.RecycleChunkOfMark) ? new JournalPosition(long.MaxValue, 0) : next.Mark.Position);
    }

    /// <summary>
    /// A write or sync of the data file or of a batch that fails, for whatever reason, leaves it unknown what is on the device: nothing
    /// more is committed until the database is reopened. Another checkpoint would write over the batch that these pages may need.
    /// </summary>
    private void DoOrPoison(Action step, bool maySpaceReturn = false)
    {
        try
        {
            step();
        }
        catch (Exception error)
        {
            // A full disk refuses to grow the file before anything is written: the next checkpoint tries again.
            bool goesOn = (maySpaceReturn && error is StorageFullException) || Sabotage.Is(SabotageRule.GoOnAfterFailedCheckpoint);
            if (!goesOn)
            {
                _line.FailStop.Poison(error);
            }

            throw;
        }
    }

    private readonly record struct BatchResult(JournalPosition NextPlace, List<BatchEntry> NewlyDeferred);
}
