using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Cuts the free end of the data file if it is long. The header of the checkpoint is durable, so no recovery needs more than the pages of
/// N. What later states have beyond them is in memory, or is a placed value whose end is known; pages that readers still read there are
/// known by their markers. (Even before the header is durable, every slot leads to the complete image set; waiting for it is a second
/// safeguard.)
/// </summary>
internal sealed class FileTail(DataFile file, VersionTable versions, ReaderTable readers, CommitPipeline pipeline, PlacedRuns placed)
{
    private static readonly TimeSpan CutRest = TimeSpan.FromMilliseconds(1);
    private readonly List<TransactionId> _live = [];

    /// <summary>
    /// Holds the writer lock while the end that readers use changes. If another thread holds it, the end stays until the next checkpoint.
    /// </summary>
    internal void Cut(TransactionId transaction, PageNumber endPage, bool ownsWriterLock)
    {
        if (file.BytesToKeep(endPage) is null || (!ownsWriterLock && !pipeline.Lock.TryEnter(TimeSpan.Zero)))
        {
            return;
        }

        bool isHidden;
        try
        {
            placed.ForgetEnds(transaction);
            isHidden = TryHide(PageNumber.Max(endPage, placed.EndPage));
        }
        finally
        {
            if (!ownsWriterLock)
            {
                pipeline.Lock.Exit();
            }
        }

        // A mapped file cannot be cut on Windows; it is when it is closed, to the last length that was asked for.
        bool inPieces = !ownsWriterLock && !OperatingSystem.IsWindows();
        while (isHidden && file.CutTail(inPieces))
        {
            EngineThread.Rest(CutRest);
        }
    }

    private bool TryHide(PageNumber endPage)
    {
        _live.Clear();
        readers.CollectSnapshots(_live);
        PageNumber end = versions.EndOfReadFromFile(endPage, CollectionsMarshal.AsSpan(_live));
        if (file.BytesToKeep(end) is not { } keep)
        {
            return false;
        }

        file.HideTail(keep);
        return true;
    }
}
