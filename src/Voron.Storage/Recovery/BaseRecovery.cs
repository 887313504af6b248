using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Recovery;

/// <summary>
/// Finds the base — the newest of the valid header slots and the complete image sets after it — and makes the data file exactly that
/// snapshot, in two steps. <see cref="Find"/> lays the images of the base and its deferred pages over the map and changes nothing, so
/// replay can read the snapshot and can still be abandoned. <see cref="Settle"/> writes them to their places, and then a slot that names
/// the base again, because the first sync of that slot may have failed before. Can be repeated at any point.
/// </summary>
internal sealed class BaseRecovery(DataFile file, PageSource source, ImageSetReader sets, MappedImages images)
{
    /// <summary>
    /// Whether images are left alone whose pages a header slot says are in their places. A reader beside a writer must not map their chunk:
    /// unlike one with deferred images, it is written to again.
    /// </summary>
    internal bool TrustsPlaces { get; init; }

    /// <summary>Groups of the base that have a space map.</summary>
    internal long Groups { get; private set; }

    /// <summary>Number of pages and runs of the base that are in the page journal.</summary>
    internal int ImageCount { get; private set; }

    /// <summary>Whether the base was completed after the newest slot was written.</summary>
    internal bool IsNewerThanSlot { get; private set; }

    /// <summary>Changes nothing on disk.</summary>
    internal CheckpointBase Find(List<HeaderSlot> slots)
    {
        HeaderSlot newest = slots[0];
        ImageSet? set = FindNewestSet(newest);
        if (set is not null)
        {
            // The check below would find it as well, with a less clear message: a file that was cut has fewer pages than the set uses.
            if (file.Bytes < set.Head.FileBytes)
            {
                Throw.FileTooShort(file.Path, file.Bytes, set.Head.FileBytes);
            }

            // Space maps are read up to there, so an impossible number must not be used.
            if (set.Head.NextPage < FormatConstants.CatalogRootPage || set.Head.NextPage > file.EndPage)
            {
                Throw.NextPageOutOfRange(file.Path, set.Head.NextPage, file.EndPage);
            }

            IsNewerThanSlot = set.Head.Checkpoint != newest.Checkpoint;

            // A slot is only written when the images of its set are in their places; they are applied again nevertheless.
            LayOver(set.Images, areInPlace: !IsNewerThanSlot);
            LayOver(set.Deferred, areInPlace: false);
        }

        CheckpointBase found = Describe(newest, set?.Head);
        file.Mapped.NewestTransaction = found.TransactionId;
        return found;
    }

    /// <summary>
    /// Makes the data file the base. Everything that recovery reads has been read and verified before; from here on it cannot be
    /// abandoned.
    /// </summary>
    internal void Settle(CheckpointBase onDisk, HeaderWriter header)
    {
        if (!file.Mapped.Overlay.IsEmpty)
        {
            header.BeginWriting();
            foreach (PageNumber page in file.Mapped.Overlay.Pages)
            {
                file.Mapped.Overlay.CopyTo(page, file.Write);
            }

            file.Sync();
        }

        header.Write(onDisk);
        file.Mapped.Overlay.Clear();
        images.Dispose();
    }

    /// <summary>
    /// Returns the image set of the newest slot, or the later one of at most two that were completed after that slot was written.
    /// </summary>
    private ImageSet? FindNewestSet(HeaderSlot slot)
    {
        JournalPosition nextPlace = new(slot.NextSetSequence, slot.NextSetOffset);
        ImageSet? next = sets.TryRead(nextPlace, slot.Checkpoint + 1, out _);
        if (next is not null)
        {
            // While large values are placed, the older slot is one checkpoint behind, so two sets may follow it if the newer slot is lost.
            ImageSet? second = sets.TryRead(NextPlaceOf(next.Head), slot.Checkpoint + 2, out _);
            return second ?? next;
        }

        if (slot.Checkpoint == 0)
        {
            return null;
        }

        ImageSet? own = sets.TryRead(new JournalPosition(slot.SetSequence, slot.SetOffset), slot.Checkpoint, out string reason);
        if (own is null)
        {
            Throw.MissingImageSet(file.Path, slot.Checkpoint, reason);
        }

        return own;
    }

    /// <summary>
    /// Lays images over the map. A lost image is not needed if the page is in its place, as it is once a slot names its image set.
    /// </summary>
    private void LayOver(IReadOnlyList<ImageEntry> entries, bool areInPlace)
    {
        if (areInPlace && TrustsPlaces)
        {
            return;
        }

        PageNumber end = file.EndPage;
        foreach (ImageEntry entry in entries)
        {
            if (entry.PageNumber < FormatConstants.CatalogRootPage || entry.PageCount < 1 || entry.PageNumber > end - entry.PageCount)
            {
                Throw.ImageOutOfRange(file.Path, entry.PageNumber, entry.PageCount, end);
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
            TransactionId = newest.TransactionId,
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
            TransactionId = at.TransactionId,
            ImageSet = isKnown ? new JournalPosition(at.Sequence, at.Offset) : JournalPosition.None,
            NextSet = NextPlaceOf(at),
            Mark = new RecordMark(
                at.TransactionId, new JournalPosition(at.CommitSequence, at.CommitOffset), at.CommitChecksum),
            PendingSequence = at.PendingSequence,
            HasImages = at.ImageCount + at.DeferredCount > 0,
            CommitSequence = newest.CommitSequence,

            // In an older slot it says nothing about this base. (The mark of this base is after all that the slot knew to be empty.)
            EndSequence = at.Checkpoint == newest.Checkpoint ? newest.EndSequence : 0,
            SpaceGroups = groups,
            UsedLater = () => UsedPages.Load(source, groups, at.TransactionId),
        };
    }

    private static JournalPosition NextPlaceOf(in ImageSetHead head) => new(head.NextSetSequence, head.NextSetOffset);
}
