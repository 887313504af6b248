using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>Writes the images of a plan, then the table of them and of the deferred pages. The head is written later.</summary>
internal sealed class ImageWriter(PageJournal journal, int pageBytes)
{
    private readonly List<ImageEntry> _images = [];
    private readonly List<ImageEntry> _newlyDeferred = [];
    private readonly byte[] _page = new byte[pageBytes];

    /// <summary>Checksum of the table's deferred part.</summary>
    private RunningChecksum _deferred;

    /// <summary>The entries of the images of blocked pages, in the order of the plan.</summary>
    internal ReadOnlySpan<ImageEntry> NewlyDeferred => CollectionsMarshal.AsSpan(_newlyDeferred);

    /// <summary>Bytes of images written since the environment was opened.</summary>
    internal long WrittenBytes { get; private set; }

    /// <summary>Writes everything but the head. Returns the link to the table's deferred part.</summary>
    internal ImageEntry Write(CheckpointPlan plan, CheckpointBase onDisk, ref ImageSetHead head, BackgroundPace pace)
    {
        CheckpointPlan.Empty(_images);
        CheckpointPlan.Empty(_newlyDeferred);
        _newlyDeferred.EnsureCapacity(plan.Blocked.Count);
        head.ImageCount = plan.Held.Count;
        head.DeferredCount = plan.Blocked.Count + (plan.HasFullTable ? plan.Kept.Count : plan.Removed.Count + 1);
        journal.BeginSet(onDisk.NextSet, BytesOf(plan, head));
        Add(plan.Held, _images, pace);
        Add(plan.Blocked, _newlyDeferred, pace);

        journal.BeginTable(ref head);
        journal.AddEntries(CollectionsMarshal.AsSpan(_images));
        _deferred = new RunningChecksum(head.DeferredCount * ImageEntry.SizeBytes);
        if (plan.HasFullTable)
        {
            AddDeferred(NewlyDeferred);
            AddKept(plan, onDisk.Deferred);
        }
        else
        {
            AddDeferred([onDisk.Deferred.Link]);
            AddDeferred(NewlyDeferred);
            AddRemoved(plan);
        }

        journal.EndTable(ref head);
        return new ImageEntry
        {
            Sequence = head.TableSequence,
            Offset = head.TableOffset + (head.ImageCount * ImageEntry.SizeBytes),
            Checksum = _deferred.Value,
            PageCount = head.DeferredCount,
        };
    }

    private void AddKept(CheckpointPlan plan, DeferredPages deferred)
    {
        foreach (int place in plan.Kept)
        {
            AddDeferred(deferred.Entries.Slice(place, 1));
        }
    }

    private void AddRemoved(CheckpointPlan plan)
    {
        foreach (PageNumber page in plan.Removed)
        {
            AddDeferred([new ImageEntry { PageNumber = page }]);
        }
    }

    private void AddDeferred(ReadOnlySpan<ImageEntry> entries)
    {
        _deferred.Append(MemoryMarshal.AsBytes(entries));
        journal.AddEntries(entries);
    }

    private long BytesOf(CheckpointPlan plan, in ImageSetHead head)
    {
        long bytes = (head.ImageCount + head.DeferredCount) * ImageEntry.SizeBytes;
        foreach (List<DirtyPage> pages in (ReadOnlySpan<List<DirtyPage>>)[plan.Held, plan.Blocked])
        {
            foreach (DirtyPage page in pages)
            {
                bytes += page.Count * pageBytes;
            }
        }

        return bytes + FormatConstants.BlockBytes;
    }

    private void Add(List<DirtyPage> pages, List<ImageEntry> entries, BackgroundPace pace)
    {
        long inPiece = 0;
        foreach (DirtyPage page in pages)
        {
            if (inPiece == 0)
            {
                pace.BeginPiece();
            }

            ReadOnlySpan<byte> image = _page;
            if (page.Count > 1)
            {
                image = PageImage.OfRun(page.Version, pageBytes);
            }
            else
            {
                PageImage.Write(page.Version, _page);
            }

            entries.Add(journal.AddImage(page.Page, page.Count, image));
            inPiece += image.Length;
            WrittenBytes += image.Length;
            if (inPiece >= BackgroundPace.PieceBytes * pace.PieceFactor)
            {
                pace.EndPiece();
                inPiece = 0;
            }
        }

        if (inPiece > 0)
        {
            pace.EndPiece();
        }
    }
}
