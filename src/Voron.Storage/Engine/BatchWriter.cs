using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>Puts the images of a plan, and the list of all that is deferred, into the page journal; the head comes later.</summary>
internal sealed class BatchWriter(PageJournal journal, int pageBytes)
{
    private readonly List<BatchEntry> _images = [];
    private readonly List<BatchEntry> _deferred = [];
    private readonly byte[] _page = new byte[pageBytes];
    private int _newlyDeferred;

    /// <summary>Where the images of the plan's blocked pages are, in the plan's order.</summary>
    internal ReadOnlySpan<BatchEntry> NewlyDeferred => CollectionsMarshal.AsSpan(_deferred)[.._newlyDeferred];

    internal void Write(CheckpointPlan plan, CheckpointBase onDisk, ref BatchHead head, CheckpointPace pace)
    {
        journal.BeginBatch(onDisk.NextBatch, BytesOf(plan));
        _images.Clear();
        _deferred.Clear();
        Add(plan.Held, _images, pace);
        Add(plan.Blocked, _deferred, pace);
        _newlyDeferred = _deferred.Count;
        AddStillDeferred(plan, onDisk);
        journal.AddTable(ref head, _images, _deferred);
    }

    private void AddStillDeferred(CheckpointPlan plan, CheckpointBase onDisk)
    {
        foreach (BatchEntry entry in plan.StillDeferred.Values)
        {
            _deferred.Add(entry);
        }
    }

    private long BytesOf(CheckpointPlan plan)
    {
        long bytes = plan.StillDeferred.Count * (long)BatchEntry.SizeBytes;
        foreach (List<DirtyPage> pages in (ReadOnlySpan<List<DirtyPage>>)[plan.Held, plan.Blocked])
        {
            foreach (DirtyPage page in pages)
            {
                bytes += (page.Count * pageBytes) + BatchEntry.SizeBytes;
            }
        }

        return bytes + FormatConstants.BlockBytes;
    }

    private void Add(List<DirtyPage> pages, List<BatchEntry> entries, CheckpointPace pace)
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

            entries.Add(journal.AddImage(new PageNumber(page.Page), page.Count, image));
            inPiece += image.Length;
            if (inPiece >= CheckpointPace.PieceBytes)
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
