using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>Large values, which are written to the data file before they are put into a tree.</content>
internal sealed partial class TreeChanges
{
    /// <summary>Redo of the transaction up to which large values are written through the journal, in bytes.</summary>
    internal int JournalledBytes { private get; set; }

    /// <summary>Writes a piece of a value to the data file; no tree references it yet.</summary>
    internal PlacedRun WritePiece(ReadOnlySpan<byte> piece) => _pages.Placed!.Write(piece);

    /// <summary>Like PutRuns, in replay: first claims the runs for the transaction, as they were when its record was written.</summary>
    internal void AdoptRuns(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        // An earlier deferred put may free these very pages, if an earlier transaction had a value there.
        ApplyDeferred();

        foreach (PlacedRun run in runs)
        {
            _pages.Placed!.ClaimForReplay(run);
        }

        PutRuns(index, key, runs);
    }

    /// <summary>Frees pieces that no tree references.</summary>
    internal void FreeRuns(ReadOnlySpan<PlacedRun> runs)
    {
        foreach (PlacedRun run in runs)
        {
            _pages.FreeRun(run.Reference);
        }
    }

    /// <summary>Puts a value that is already in the data file, in one or more pieces, into a tree.</summary>
    internal void PutRuns(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        ApplyDeferred();
        ref OpenTree tree = ref _open[index];
        tree.Version++;

        // Write the redo before the change: the key may be in a page that changes.
        _redo.PutPlaced(index, key, runs);
        tree.Grew(_trees.PutRuns(tree.Root, key, runs) ? 1 : 0);
        SendFragmentIfLong();
    }

    private bool HasPlaced => (_reserved.IsAny && IsPlaced(_reserved.Value.Length)) || _pages.Placed is { HasAny: true };

    /// <summary>
    /// Whether a value is placed. One that keeps the redo short is written through the journal: that is twice the bytes, but its
    /// transaction waits for the device once, and placing waits for it twice. A transaction that has placed a value waits anyway.
    /// </summary>
    private bool IsPlaced(int valueBytes) => _pages.Placed is { } placed && valueBytes >= placed.LeastBytes && !_redo.IsReplay
        && (placed.HasAny || !_redo.FitsIn(JournalledBytes, valueBytes));

    private bool PutPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ApplyDeferred();
        PutRuns(index, key, [_pages.Placed!.Write(value)]);
        return true;
    }
}
