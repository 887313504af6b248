using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Recovery;

/// <summary>
/// Finds the base — the newest of the valid header slots and the complete batches behind them — and brings the data file to exactly that
/// snapshot, in two steps. <see cref="Find"/> lays the images of the base and its deferred list over the map and changes nothing, so
/// that replay can read the snapshot and can still be given up. <see cref="Settle"/> writes them to their places, and then a slot that
/// names the base again, because that slot's first sync may have failed before. Repeatable at any point.
/// </summary>
internal sealed class BaseRecovery(DataFile file, PageSource source, ImageSetReader batches, MappedImages images)
{
    /// <summary>Groups of the base that have a space map.</summary>
    internal long Groups { get; private set; }

    /// <summary>Pages and runs that the base has in the page journal.</summary>
    internal int ImageCount { get; private set; }

    /// <summary>The base was completed after the newest slot was written.</summary>
    internal bool IsNewerThanSlot { get; private set; }

    /// <summary>Changes nothing on disk.</summary>
    internal CheckpointBase Find(List<HeaderSlot> slots)
    {
        HeaderSlot newest = slots[0];
        ImageSet? batch = FindNewestSet(newest);
        if (batch is not null)
        {
            // A second belt, and the clearer message: a file that was cut off has fewer pages than the batch has in use as well.
            if (file.Bytes < batch.Head.FileBytes)
            {
                Throw.FileTooShort(file.Path, file.Bytes, batch.Head.FileBytes);
            }

            // Space maps are looked for up to there, so a number that cannot be must not be followed.
            if (batch.Head.NextPage < FormatConstants.CatalogRootPage || batch.Head.NextPage > file.Bytes / file.PageBytes)
            {
                Throw.NextPageOutOfRange(file.Path, batch.Head.NextPage, file.Bytes / file.PageBytes);
            }

            IsNewerThanSlot = batch.Head.Checkpoint != newest.Checkpoint;

            // A slot is only written when the images of its batch are in their places; they are applied again all the same.
            LayOver(batch.Images, areInPlace: !IsNewerThanSlot);
            LayOver(batch.Deferred, areInPlace: false);
        }

        CheckpointBase found = Describe(newest, batch?.Head);
        file.Mapped.NewestTransaction = found.TransactionId.Value;
        return found;
    }

    /// <summary>
    /// Makes the data file the base. Everything that recovery reads was read and found good before; from here on it is not given up.
    /// </summary>
    internal void Settle(CheckpointBase onDisk, HeaderWriter header)
    {
        if (!file.Mapped.Overlay.IsEmpty)
        {
            header.BeginWriting();
            foreach (long page in file.Mapped.Overlay.Pages)
            {
                file.Mapped.Overlay.CopyTo(page, file.Write);
            }

            file.Sync();
        }

        header.Write(onDisk);
        file.Mapped.Overlay.Clear();
        images.Dispose();
    }

    /// <summary>The batch of the newest slot, or one of the at most two that were completed after that slot was written.</summary>
    private ImageSet? FindNewestSet(HeaderSlot slot)
    {
        JournalPosition nextPlace = new(slot.NextSetSequence, slot.NextSetOffset);
        ImageSet? next = batches.TryRead(nextPlace, slot.Checkpoint + 1, out _);
        if (next is not null)
        {
            // While large values are placed the older slot is one checkpoint behind, so two may follow it when the newer slot is lost.
            ImageSet? second = batches.TryRead(NextPlaceOf(next.Head), slot.Checkpoint + 2, out _);
            return second ?? next;
        }

        if (slot.Checkpoint == 0)
        {
            return null;
        }

        ImageSet? own = batches.TryRead(new JournalPosition(slot.BatchSequence, slot.BatchOffset), slot.Checkpoint, out string reason);
        if (own is null)
        {
            Throw.MissingImageSet(file.Path, slot.Checkpoint, reason);
        }

        return own;
    }

    /// <summary>An image that is lost is not needed where the page is in its place, as it is once a slot names its batch.</summary>
    private void LayOver(IReadOnlyList<ImageEntry> entries, bool areInPlace)
    {
        long pages = file.Bytes / file.PageBytes;
        foreach (ImageEntry entry in entries)
        {
            if (entry.PageNumber < FormatConstants.CatalogRootPage || entry.PageCount < 1 || entry.PageNumber > pages - entry.PageCount)
            {
                Throw.ImageOutOfRange(file.Path, entry.PageNumber, entry.PageCount, pages);
            }

            bool isLaid = images.TryLocate(entry, file.PageBytes, out IDiskFile? chunk, out nint address)
                && file.Mapped.Overlay.TryAdd(entry, chunk, address);
            if (!isLaid && !(areInPlace && file.Mapped.Holds(entry.PageNumber, entry.Checksum)))
            {
                Throw.BadImage(file.Path, entry);
            }
        }

        ImageCount += entries.Count;
    }

    private CheckpointBase Describe(HeaderSlot newest, ImageSetHead? head)
    {
        SpaceLayout layout = new(file.PageBytes);
        ImageSetHead at = head ?? new ImageSetHead
        {
            NextPage = layout.FirstFreePage,
            NextSetSequence = newest.NextSetSequence,
            NextSetOffset = newest.NextSetOffset,
        };
        bool isKnown = head is not null;
        long groups = layout.GroupOf(at.NextPage - 1) + 1;
        Groups = groups;
        return new CheckpointBase
        {
            DatabaseId = new DatabaseId(newest.DatabaseIdLow, newest.DatabaseIdHigh),
            Checkpoint = at.Checkpoint,
            TransactionId = new TransactionId(at.TransactionId),
            Batch = isKnown ? new JournalPosition(at.Sequence, at.Offset) : JournalPosition.None,
            NextSet = NextPlaceOf(at),
            Mark = new RecordMark(
                new TransactionId(at.TransactionId), new JournalPosition(at.CommitSequence, at.CommitOffset), at.CommitChecksum),
            HasImages = at.ImageCount + at.DeferredCount > 0,
            CommitSequence = newest.CommitSequence,

            // Of an older slot it says nothing about this base. A second belt: the mark of this base lies behind all that the slot knew to
            // be empty.
            EndSequence = at.Checkpoint == newest.Checkpoint ? newest.EndSequence : 0,
            SpaceGroups = groups,
            UsedLater = () => UsedPages.Load(source, groups, at.TransactionId),
        };
    }

    private static JournalPosition NextPlaceOf(in ImageSetHead head) => new(head.NextSetSequence, head.NextSetOffset);
}
