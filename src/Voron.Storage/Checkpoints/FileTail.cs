using System.Runtime.InteropServices;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Cuts the free tail off the data file, when it is long. The checkpoint's header is durable, so no recovery asks for more than N's pages;
/// what later states have beyond them is in memory, or is a value that was placed there, whose end is known; and the pages that readers
/// still find there are known by their markers. That the header comes first is a second belt: once the batch is complete, any slot leads
/// to it.
/// </summary>
internal sealed class FileTail(DataFile file, VersionTable versions, ReaderTable readers, CommitPipeline pipeline, PlacedRuns placed)
{
    private readonly List<long> _live = [];

    /// <summary>
    /// The writer lock is held for the swap of the end that readers go by; when somebody else has it the tail stays until the next
    /// checkpoint.
    /// </summary>
    internal void Cut(long transaction, long endPage, bool ownsWriterLock)
    {
        if (file.BytesToKeep(endPage) is null || (!ownsWriterLock && !pipeline.Lock.TryEnter(TimeSpan.Zero)))
        {
            return;
        }

        bool isHidden;
        try
        {
            placed.ForgetEnds(transaction);
            isHidden = TryHide(Math.Max(endPage, placed.EndPage));
        }
        finally
        {
            if (!ownsWriterLock)
            {
                pipeline.Lock.Exit();
            }
        }

        if (isHidden)
        {
            file.CutTail();
        }
    }

    private bool TryHide(long endPage)
    {
        _live.Clear();
        readers.CollectSnapshots(_live);
        long end = versions.EndOfReadFromFile(endPage, CollectionsMarshal.AsSpan(_live));
        if (file.BytesToKeep(end) is not { } keep)
        {
            return false;
        }

        file.HideTail(keep);
        return true;
    }
}
