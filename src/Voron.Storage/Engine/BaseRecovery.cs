using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// Finds the base — the newest of the valid header slots and the complete batches behind them — and makes the data file exactly that
/// snapshot: its images and its deferred list go to their places, then a slot names it again, because that slot's first sync may have
/// failed before. Repeatable at any point.
/// </summary>
internal sealed class BaseRecovery(DataFile file, PageSource source, PageBatchReader batches)
{
    internal CheckpointBase Recover(List<HeaderSlot> slots)
    {
        HeaderSlot newest = slots[0];
        PageBatch? batch = FindNewestBatch(newest);
        if (batch is not null)
        {
            if (file.Bytes < batch.Head.FileBytes)
            {
                Throw.FileTooShort(file.Path, file.Bytes, batch.Head.FileBytes);
            }

            // A slot is only written when the images of its batch are in their places; they are applied again all the same.
            if (batch.Head.Checkpoint != newest.Checkpoint || !Sabotage.Is(SabotageRule.HeaderBeforeDataSync))
            {
                Apply(batch.Images);
            }

            Apply(batch.Deferred);
            file.Sync();
        }

        CheckpointBase onDisk = Describe(newest, batch?.Head);
        HeaderSlots.Write(file, onDisk.ToSlot());
        file.Sync();
        return onDisk;
    }

    /// <summary>The batch of the newest slot, or one of the at most two that were completed after that slot was written.</summary>
    private PageBatch? FindNewestBatch(HeaderSlot slot)
    {
        JournalPosition nextPlace = new(slot.NextBatchSequence, slot.NextBatchOffset);
        PageBatch? next = batches.TryRead(nextPlace, slot.Checkpoint + 1, out _);
        if (next is not null && !Sabotage.Is(SabotageRule.IgnoreBatchesAfterSlot))
        {
            return batches.TryRead(NextPlaceOf(next.Head), slot.Checkpoint + 2, out _) ?? next;
        }

        if (slot.Checkpoint == 0)
        {
            return null;
        }

        PageBatch? own = batches.TryRead(new JournalPosition(slot.BatchSequence, slot.BatchOffset), slot.Checkpoint, out string reason);
        if (own is null)
        {
            Throw.MissingBatch(file.Path, slot.Checkpoint, reason);
        }

        return own;
    }

    private void Apply(IReadOnlyList<BatchEntry> entries)
    {
        long pages = file.Bytes / file.PageBytes;
        foreach (BatchEntry entry in entries)
        {
            if (entry.PageNumber < FormatConstants.CatalogRootPage || entry.PageCount < 1 || entry.PageNumber > pages - entry.PageCount)
            {
                Throw.ImageOutOfRange(file.Path, entry.PageNumber, entry.PageCount, pages);
            }

            file.Write(entry.PageNumber, batches.ReadImage(entry, file.PageBytes));
        }
    }

    private CheckpointBase Describe(HeaderSlot newest, BatchHead? head)
    {
        SpaceLayout layout = new(file.PageBytes);
        BatchHead at = head ?? new BatchHead
        {
            NextPage = layout.FirstFreePage,
            NextBatchSequence = newest.NextBatchSequence,
            NextBatchOffset = newest.NextBatchOffset,
        };
        bool isKnown = head is not null;
        return new CheckpointBase
        {
            DatabaseId = new DatabaseId(newest.DatabaseIdLow, newest.DatabaseIdHigh),
            Checkpoint = at.Checkpoint,
            TransactionId = new TransactionId(at.TransactionId),
            Batch = isKnown ? new JournalPosition(at.Sequence, at.Offset) : JournalPosition.None,
            NextBatch = NextPlaceOf(at),
            Mark = new RecordMark(
                new TransactionId(at.TransactionId), new JournalPosition(at.CommitSequence, at.CommitOffset), at.CommitChecksum),
            HasImages = at.ImageCount + at.DeferredCount > 0,
            SlotGeneration = newest.Generation + 1,
            SlotNumber = 1 - newest.SlotNumber,
            Used = UsedPages.Load(source, layout.GroupOf(at.NextPage - 1) + 1, at.TransactionId),
        };
    }

    private static JournalPosition NextPlaceOf(in BatchHead head) => new(head.NextBatchSequence, head.NextBatchOffset);
}
